"""Search in MongoDB: the documents that have given terms, and what ranking reads of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from focuscrawl.search.found import BODY, EVERYWHERE, Candidate, Found, Scope
from focuscrawl.stores.mongo_documents import FILES, numbered_row
from focuscrawl.stores.mongo_errors import translated
from focuscrawl.stores.mongo_reader import MongoReader
from focuscrawl.stores.numbered import TERMS
from focuscrawl.stores.plans import NUMBERED, Row

_FIELDS = [f"terms_{name}" for name in TERMS]
_HEADLINE = _FIELDS[:2]
_UNREAD = dict.fromkeys(("body_html", *_FIELDS), 0)
# How far documents with a term are counted, and of how many terms, to begin with the rarest.
_COUNTED, _TERMS_COUNTED = 20_000, 8


class MongoSearch(MongoReader):
    """A MongoDB database whose numbered articles are searched."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[Found]:
        """Return the best of the numbered articles that have all words of ``query``."""
        # Here, for it loads dictionaries that a crawl has no use for.
        from focuscrawl.search.engine import search

        with translated(self._label):
            return await search(self, query, limit, scope)

    async def related(self, url: str, limit: int = 10) -> list[Found]:
        """Return the numbered articles nearest to the one at ``url``."""
        from focuscrawl.search.engine import related

        with translated(self._label):
            return await related(self, url, limit)

    async def matching(
        self,
        terms: Sequence[str],
        parts: Sequence[str],
        scope: Scope,
        limit: int,
        *,
        in_headline: bool,
    ) -> list[str]:
        """Return the keys of the documents with all terms and parts, the newest first."""
        fields = _HEADLINE if in_headline else _FIELDS
        where = await self._having(terms)
        if where is None:
            return []
        if parts:
            has_parts = [_in_any(fields, re.escape(part)) for part in parts]
            where["$and"] = where.get("$and", []) + has_parts
        scoped = {"site": scope.site, "series": scope.series}
        where |= {name: value for name, value in scoped.items() if value is not None}
        found = self._collection(NUMBERED.table).find(where, {"_id": 0, "url_md5": 1})
        found.sort([("published", -1), ("url_md5", 1)]).limit(limit)
        return [document["url_md5"] async for document in found]

    async def _having(self, terms: Sequence[str]) -> Row | None:
        """Return the condition of having all terms, None if there is no such document.

        A text search is for any of its words, and looks for the rest in all that it finds: so it is
        given only the rarest. Terms are letters and digits, which are no operators of it.
        """
        if not terms:
            return {}
        counts = [await self._count(term) for term in terms[:_TERMS_COUNTED]]
        if not all(counts):
            return None
        rarest = terms[counts.index(min(counts))]
        # Only a term's end needs to be told: its mark stands nowhere else in a term.
        others = [_in_any(_FIELDS, f"{term}(?: |$)") for term in terms if term != rarest]
        return {"$text": {"$search": rarest}} | ({"$and": others} if others else {})

    async def _count(self, term: str) -> int:
        where = {"$text": {"$search": term}}
        return await self._collection(NUMBERED.table).count_documents(where, limit=_COUNTED)

    async def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Return the articles with the given keys, their bodies cut."""
        where = {"url_md5": {"$in": list(keys)}}
        found = self._collection(NUMBERED.table).find(where, _UNREAD)
        return [_candidate(document) async for document in found]


def _in_any(fields: Sequence[str], expression: str) -> Row:
    # The body first, where most is found.
    return {"$or": [{name: {"$regex": expression}} for name in reversed(fields)]}


def _candidate(document: Mapping[str, Any]) -> Candidate:
    row = numbered_row({name: value for name, value in document.items() if name != FILES})
    body = row["body_text"]
    return Candidate(
        key=row["url_md5"],
        url=row["url"],
        site=row["site"],
        series=row["series"],
        number=row["number"],
        published=row["published"],
        title=row["title"],
        tags=tuple(row["tags"]),
        description=row["description"],
        body=body[:BODY],
        is_whole=len(body) <= BODY and FILES not in document,
    )
