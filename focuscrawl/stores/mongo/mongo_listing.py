"""Lists of the articles in a MongoDB database, the newest first, and single articles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from focuscrawl.search.listed_article import (
    ListedArticle,
    Place,
    WholeArticle,
    newest_first,
    ranges_after,
)
from focuscrawl.search.search_results import EVERYWHERE, Scope
from focuscrawl.stores.mongo.mongo_documents import NO_TERMS, midnight, numbered_row, row_of
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_reader import MongoReader
from focuscrawl.stores.mongo.mongo_search import within
from focuscrawl.stores.records.batch_changes import ARTICLES, NUMBERED, Kind, Row
from focuscrawl.stores.records.listed_rows import listed_article, whole_article

_PLACE = {"_id": 0, "published": 1, "url_md5": 1}
_ORDER = [("published", -1), ("url_md5", -1)]
_BRIEF = NO_TERMS | {"body_html": 0}


class MongoListing(MongoReader):
    """The lists of a MongoDB database."""

    async def newest(
        self, limit: int, *, scope: Scope = EVERYWHERE, after: Place | None = None
    ) -> list[ListedArticle]:
        """Return the newest articles, without gone ones and those without a text."""
        places = await self._places(NUMBERED, within(scope), limit, after)
        if not (scope.series or scope.tag):
            readable = within(scope) | {"gone_at": None, "text": {"$ne": ""}}
            places += await self._places(ARTICLES, readable, limit, after)
        keys = [key for _, key in sorted(set(places), key=newest_first, reverse=True)[:limit]]
        return await self.listed(keys)

    async def _places(self, kind: Kind, where: Row, limit: int, after: Place | None) -> list[Place]:
        found: list[Place] = []
        for part in ranges_after(after):
            if len(found) < limit:
                every = {"$and": [where, _condition(part)]}
                cursor = self._collection(kind.table).find(every, _PLACE)
                cursor.sort(_ORDER).limit(limit - len(found))
                with translated(self._label):
                    rows = [row_of(document) async for document in cursor]
                found += [(row["published"], row["url_md5"]) for row in rows]
        return found

    async def listed(self, url_md5s: Sequence[str]) -> list[ListedArticle]:
        """Return the stored ones of the given articles, in the given order."""
        where = {"url_md5": {"$in": list(url_md5s)}}
        found: dict[str, ListedArticle] = {}
        with translated(self._label):
            async for document in self._collection(ARTICLES.table).find(where):
                found[document["url_md5"]] = listed_article(row_of(document))
            async for document in self._collection(NUMBERED.table).find(where, _BRIEF):
                found[document["url_md5"]] = listed_article(numbered_row(document))
        return [found[key] for key in url_md5s if key in found]

    async def whole(self, url_md5: str) -> WholeArticle | None:
        """Return an article with its text, None if there is none."""
        where = {"url_md5": url_md5}
        with translated(self._label):
            numbered = await self._collection(NUMBERED.table).find_one(where, NO_TERMS)
            document = numbered or await self._collection(ARTICLES.table).find_one(where)
        if document is None:
            return None
        whole = await self._whole(document)
        return whole_article(numbered_row(whole) if numbered else row_of(whole))

    async def has_quotes(self, url_md5: str) -> bool:
        """Return whether any price was read from an article."""
        with translated(self._label):
            found = await self._collection("quotes").find_one({"article_md5": url_md5}, {"_id": 1})
        return found is not None

    async def series(self) -> list[tuple[str, str]]:
        """Return the series of numbered articles, each with its site, by site."""
        collection = self._collection(NUMBERED.table)
        found: list[tuple[str, str]] = []
        with translated(self._label):
            for series in await collection.distinct("series"):
                one = await collection.find_one({"series": series}, {"site": 1})
                if one and isinstance(series, str) and isinstance(one.get("site"), str):
                    found.append((one["site"], series))
        return sorted(found)

    async def sites(self) -> list[str]:
        """Return the sites with articles."""
        with translated(self._label):
            found = [
                site
                for kind in (NUMBERED, ARTICLES)
                for site in await self._collection(kind.table).distinct("site")
            ]
        return sorted({site for site in found if isinstance(site, str)})


def _condition(part: Sequence[tuple[str, str, Any]]) -> Row:
    """Return the condition of a range of an index."""
    found: Row = {}
    for name, how, value in part:
        wanted = midnight(value) if isinstance(value, date) else value
        found.setdefault(name, {})["$lte" if how == "le" else f"${how}"] = wanted
    return found
