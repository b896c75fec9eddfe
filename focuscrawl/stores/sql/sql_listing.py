"""Lists of the articles in a SQL database, the newest first, and single articles."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Select,
    Table,
    and_,
    exists,
    func,
    select,
)

from focuscrawl.items import FILE
from focuscrawl.search.search_results import (
    EVERYWHERE,
    SUMMARY,
    TITLE,
    ListedArticle,
    Place,
    Scope,
    WholeArticle,
    newest_first,
    ranges_after,
)
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_search import within
from focuscrawl.stores.sql.sql_tables import articles, numbered_articles, quotes

_SHA256 = re.compile("[0-9a-f]{64}")

# Articles of lists from their rows, which may lack the long texts.


def listed_article(row: Mapping[str, Any]) -> ListedArticle:
    """Build an article of a list from its row, numbered or not."""
    text = row.get("description") or row.get("body_text") or row.get("text") or ""
    values = _shared(row) | {"title": row["title"][:TITLE], "summary": text[:SUMMARY]}
    return ListedArticle(**values)


def whole_article(row: Mapping[str, Any]) -> WholeArticle:
    """Build an article with its text from its row, numbered or not."""
    return WholeArticle(
        **_shared(row),
        title=row["title"],
        summary=row.get("description", ""),
        text=row["text"] if "text" in row else row["body_text"],
        html=row.get("body_html", ""),
        gone_at=row.get("gone_at"),
        is_complete=bool(row.get("is_complete", True)),
        files=tuple(
            digest
            for url, values in row.get("validators", {}).items()
            for digest in (values[1:2] if url == FILE else values[2:3])
            if _SHA256.fullmatch(digest)
        ),
    )


def _shared(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "url_md5": row["url_md5"],
        "url": row["url"],
        "site": row["site"],
        "series": row.get("series", ""),
        "author": row.get("author", "")[:TITLE],
        "tags": tuple(row.get("tags", ())),
        "published": row["published"],
        "first_seen": row["first_seen"],
    }


_NUMBERED, _LISTED = numbered_articles.c, articles.c
_SAME = "url_md5 url site published first_seen".split()


class SQLListing(SQLReader):
    """The lists of a SQL database."""

    async def newest(
        self, limit: int, *, scope: Scope = EVERYWHERE, after: Place | None = None
    ) -> list[ListedArticle]:
        """Return the newest articles, without gone ones and those without a text."""
        places = await self._places(numbered_articles, within(scope), limit, after)
        if not (scope.series or scope.tag):
            readable = and_(_LISTED.gone_at.is_(None), _LISTED.text != "")
            places += await self._places(
                articles, and_(within(scope, articles), readable), limit, after
            )
        keys = [key for _, key in sorted(set(places), key=newest_first, reverse=True)[:limit]]
        return await self.listed(keys)

    async def _places(
        self, table: Table, where: ColumnElement[bool], limit: int, after: Place | None
    ) -> list[Place]:
        order = table.c.published, table.c.url_md5
        query = select(*order).where(where).order_by(*(column.desc() for column in order))
        found: list[Place] = []
        for part in ranges_after(after):
            if len(found) < limit:
                within_part = [getattr(operator, how)(table.c[name], to) for name, how, to in part]
                rows = await self._fetch(query.where(*within_part).limit(limit - len(found)))
                found += [(row["published"], row["url_md5"]) for row in rows]
        return found

    async def listed(self, url_md5s: Sequence[str]) -> list[ListedArticle]:
        """Return the stored ones of the given articles, in the given order."""
        found: dict[str, ListedArticle] = {}
        for query in _brief_articles(), _brief_numbered():
            rows = await self._fetch_by(query, _key_of(query), url_md5s)
            found |= {row["url_md5"]: listed_article(row) for row in rows}
        return [found[key] for key in url_md5s if key in found]

    async def whole(self, url_md5: str) -> WholeArticle | None:
        """Return an article with its text, None if there is none."""
        for query in _whole_numbered(), _whole_articles():
            for row in await self._fetch(query.where(_key_of(query) == url_md5)):
                return whole_article(row)
        return None

    async def has_quotes(self, url_md5: str) -> bool:
        """Return whether any price was read from an article."""
        asked = select(exists().where(quotes.c.article_md5 == url_md5).label("has"))
        return bool((await self._fetch(asked))[0]["has"])

    async def series(self) -> list[tuple[str, str]]:
        """Return the series of numbered articles, each with its site, by site."""
        found: list[tuple[str, str]] = []
        for series in await self._values(_NUMBERED.series):
            site = select(_NUMBERED.site).where(_NUMBERED.series == series).limit(1)
            found += [(row["site"], series) for row in await self._fetch(site)]
        return sorted(found)

    async def sites(self) -> list[str]:
        """Return the sites with articles."""
        found = [await self._values(column) for column in (_NUMBERED.site, _LISTED.site)]
        return sorted({site for sites in found for site in sites})

    async def _values(self, column: Column[str]) -> list[str]:
        """Return the values of a column, each by a step in its index: DISTINCT would read all rows."""
        found: list[str] = []
        query = select(column.label("value")).order_by(column).limit(1)
        while rows := await self._fetch(query.where(column > found[-1]) if found else query):
            found.append(rows[0]["value"])
        return found


def _key_of(query: Select[Any]) -> ColumnElement[str]:
    return query.selected_columns["url_md5"]


def _brief_numbered() -> Select[Any]:
    tags, author = _NUMBERED.tags, func.substr(_NUMBERED.author, 1, TITLE).label("author")
    cut = {"title": TITLE, "description": SUMMARY, "body_text": SUMMARY}
    texts = [func.substr(_NUMBERED[name], 1, size).label(name) for name, size in cut.items()]
    return select(*_columns(numbered_articles), _NUMBERED.series, tags, author, *texts)


def _brief_articles() -> Select[Any]:
    cut = {"title": TITLE, "text": SUMMARY}
    texts = [func.substr(_LISTED[name], 1, size).label(name) for name, size in cut.items()]
    return select(*_columns(articles), *texts)


def _whole_numbered() -> Select[Any]:
    names = "series title author tags description body_text body_html".split()
    return select(*_columns(numbered_articles), *(_NUMBERED[name] for name in names))


def _whole_articles() -> Select[Any]:
    names = "title text gone_at is_complete validators".split()
    return select(*_columns(articles), *(_LISTED[name] for name in names))


def _columns(table: Table) -> list[Any]:
    return [table.c[name] for name in _SAME]
