"""All quotes of a SQL database as plain columns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, func, select, true, type_coerce
from sqlalchemy.types import NULLTYPE

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql.sql_errors import BadDataError, translated
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_tables import articles, crawl_runs, price_decisions, quotes

Columns = Mapping[str, Sequence[Any]]
"""Values by the name of their column, as the driver has them: SQLite's days and times are texts."""
SEPARATOR = "\x1f"
QUOTE_TEXTS = (
    "entity commodity region province city county entity_type flag moisture goods_condition"
).split()
"""The texts of a quote, of which the first may have the separator in it."""
_ARTICLES_AT_ONCE = 1000
_ARTICLE = (
    "url_md5 record_md5 url site published is_complete gone_at first_seen fetched_at"
).split()


def _raw(column: ColumnElement[Any]) -> ColumnElement[Any]:
    # To convert the values of a million rows one by one takes longer than to read them.
    return type_coerce(column, NULLTYPE)


class SQLPrices(SQLReader):
    """The quotes of a SQL database."""

    async def price_articles(self) -> AsyncIterator[Columns]:
        """Stream columns of all articles, ordered by URL MD5.

        They are ``url_md5 record_md5 url site published is_complete gone_at first_seen fetched_at``. Quotes change
        with ``record_md5``, or by a verdict.
        """
        key = articles.c.url_md5
        query = select(*(_raw(articles.c[name]).label(name) for name in _ARTICLE)).order_by(key)
        query = query.limit(_ARTICLES_AT_ONCE)
        after: str | None = None
        while True:
            where = true() if after is None else key > after
            found = await self._in_thread(self._columns, query.where(where))
            if not found:
                return
            yield found
            after = found["url_md5"][-1]

    async def price_quotes(self, url_md5s: Sequence[str]) -> Columns:
        """Return columns of the quotes of some articles; none if there are no quotes.

        They are ``article_md5 seq date texts low high marks``: ``texts`` are ``QUOTE_TEXTS`` with ``SEPARATOR``
        between them, the prices are in yuan per ton, ``marks`` is 1 for a primary quote plus 2 for one
        of a known entity.
        """
        texts = [quotes.c[name] for name in QUOTE_TEXTS]
        is_sqlite = self._db.dialect.name == "sqlite"
        # To read each text takes three times as long.
        joined = (
            func.printf(SEPARATOR.join(["%s"] * len(texts)), *texts)
            if is_sqlite
            else func.concat_ws(SEPARATOR, *texts)
        )
        is_known = type_coerce(quotes.c.entity_is_known, Integer)
        query = select(
            *(quotes.c.article_md5, quotes.c.seq, _raw(quotes.c.date).label("date")),
            _raw(joined).label("texts"),
            _raw(quotes.c.price_yuan_per_ton_low).label("low"),
            _raw(quotes.c.price_yuan_per_ton_high).label("high"),
            (type_coerce(quotes.c.is_primary, Integer) + 2 * is_known).label("marks"),
        )
        own = quotes.c.article_md5.in_(url_md5s)
        return await self._in_thread(self._columns, query.where(own))

    def _columns(self, query: Select[Any]) -> Columns:
        try:
            with translated(self._label), self._db.connect() as connection:
                result = connection.execute(query)
                return dict(zip(result.keys(), zip(*result.all(), strict=True), strict=False))
        except BadDataError as error:
            raise StoreError(f"{self._label} cannot be read: {error}") from error

    async def judged_articles(self) -> set[str]:
        """Return the URL MD5s of the articles whose quotes have verdicts."""
        key = price_decisions.c.article_md5
        return {row["article_md5"] for row in await self._fetch(select(key).distinct())}

    async def price_mark(self) -> str:
        """Return a text that differs after a crawl, after a verdict, and with other articles."""
        columns = (crawl_runs.c.updated_at, crawl_runs.c.ended_at, price_decisions.c.decided_at)
        found = [await self._fetch(select(func.max(column).label("value"))) for column in columns]
        found.append(await self._fetch(select(func.count(articles.c.url_md5).label("value"))))
        return " ".join(str(rows[0]["value"]) for rows in found)

    async def spans(self, url_md5s: Sequence[str]) -> dict[tuple[str, int], str]:
        """Return the sentences of the quotes of articles."""
        query = select(quotes.c.article_md5, quotes.c.seq, quotes.c.span)
        rows = await self._fetch_by(query, quotes.c.article_md5, url_md5s)
        return {(row["article_md5"], row["seq"]): row["span"] for row in rows}
