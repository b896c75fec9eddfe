"""All quotes of a SQL database as plain rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Double, Select, func, select, true, type_coerce

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql.sql_errors import BadDataError, translated
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_tables import articles, crawl_runs, price_decisions, quotes

ArticleRow = tuple[str, str, str, date | None, bool, datetime | None, datetime, datetime]
"""``url_md5 url site published is_complete gone_at first_seen fetched_at`` of an article."""
QuoteRow = tuple[
    str,
    int,
    date | None,
    str,
    str,
    str,
    str,
    str,
    str,
    str,
    float,
    float,
    str,
    bool,
    bool,
    str,
    str,
]
"""``article_md5 seq date commodity entity region province city county entity_type``, the prices in yuan per
ton ``low high``, and ``flag is_primary entity_is_known moisture goods_condition`` of a quote."""

_ARTICLES_AT_ONCE = 500
_ARTICLE = "url_md5 url site published is_complete gone_at first_seen fetched_at".split()
_BEFORE = "article_md5 seq date commodity entity region province city county entity_type".split()
_PRICES = ("price_yuan_per_ton_low", "price_yuan_per_ton_high")
_AFTER = ("flag", "is_primary", "entity_is_known", "moisture", "goods_condition")
# Floats, for the decimals of a million rows take longer than everything else.
_QUOTES = select(
    *(quotes.c[name] for name in _BEFORE),
    *(type_coerce(quotes.c[name], Double()).label(name) for name in _PRICES),
    *(quotes.c[name] for name in _AFTER),
).order_by(quotes.c.article_md5, quotes.c.seq)


class SQLPrices(SQLReader):
    """The quotes of a SQL database."""

    async def price_rows(self) -> AsyncIterator[tuple[list[ArticleRow], list[QuoteRow]]]:
        """Stream batches of articles with all of their quotes."""
        key = articles.c.url_md5
        query = select(*(articles.c[name] for name in _ARTICLE)).order_by(key)
        after: str | None = None
        while True:
            part = query.where(true() if after is None else key > after)
            batch = await self._in_thread(self._batch, part.limit(_ARTICLES_AT_ONCE))
            if batch[0]:
                yield batch
            if len(batch[0]) < _ARTICLES_AT_ONCE:
                return
            after = batch[0][-1][0]

    def _batch(self, query: Select[Any]) -> tuple[list[ArticleRow], list[QuoteRow]]:
        try:
            with translated(self._label), self._db.connect() as connection:
                found: list[Any] = list(map(tuple, connection.execute(query)))
                if not found:
                    return [], []
                own = quotes.c.article_md5.between(found[0][0], found[-1][0])
                rows: list[Any] = list(map(tuple, connection.execute(_QUOTES.where(own)).all()))
                return found, rows
        except BadDataError as error:
            raise StoreError(f"{self._label} cannot be read: {error}") from error

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
