"""All quotes of a MongoDB database as plain rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from focuscrawl.stores.mongo.mongo_documents import row_of
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_reader import CHUNK, MongoReader
from focuscrawl.stores.records.batch_changes import DECISIONS, RUNS, Row
from focuscrawl.stores.store_protocol import ArticleRow, QuoteRow

_ARTICLE = "url_md5 url site published is_complete gone_at first_seen fetched_at".split()
_QUOTE = (
    "article_md5 seq date commodity entity region province city county entity_type "
    "price_yuan_per_ton_low price_yuan_per_ton_high flag is_primary entity_is_known"
).split()
_PRICES = slice(10, 12)
# Documents of older versions lack these.
_ADDED = dict.fromkeys(("province", "city", "county", "entity_type"), "")


class MongoPrices(MongoReader):
    """The quotes of a MongoDB database."""

    async def price_rows(self) -> AsyncIterator[tuple[list[ArticleRow], list[QuoteRow]]]:
        """Stream batches of articles with all of their quotes."""
        found = self._collection("articles").find({}, dict.fromkeys(_ARTICLE, 1))
        async with aclosing(self._chunks(found.sort("url_md5", 1), CHUNK)) as chunks:
            async for documents in chunks:
                articles: list[Any] = [_values(_ARTICLE, row_of(one)) for one in documents]
                yield articles, await self._price_rows_of([row[0] for row in articles])

    async def _price_rows_of(self, url_md5s: Sequence[str]) -> list[QuoteRow]:
        projection = {"_id": 0, **dict.fromkeys(_QUOTE, 1)}
        found = self._collection("quotes").find({"article_md5": {"$in": url_md5s}}, projection)
        rows: list[Any] = []
        with translated(self._label):
            async for document in found.sort([("article_md5", 1), ("seq", 1)]):
                values = _values(_QUOTE, _ADDED | row_of(document))
                rows.append((*values[: _PRICES.start], *map(float, values[_PRICES]), *values[12:]))
        return rows

    async def price_mark(self) -> str:
        """Return a text that differs after a crawl, after a verdict, and with other articles."""
        fields = ((RUNS, "updated_at"), (RUNS, "ended_at"), (DECISIONS, "decided_at"))
        with translated(self._label):
            marks = [await self._newest_value(kind.table, field) for kind, field in fields]
            marks.append(await self._collection("articles").estimated_document_count())
        return " ".join(map(str, marks))

    async def _newest_value(self, collection: str, field: str) -> Any:
        found = await self._collection(collection).find_one({}, {field: 1}, sort=[(field, -1)])
        return found and found.get(field)

    async def spans(self, url_md5s: Sequence[str]) -> dict[tuple[str, int], str]:
        """Return the sentences of the quotes of articles."""
        projection = {"article_md5": 1, "seq": 1, "span": 1}
        found = self._collection("quotes").find(
            {"article_md5": {"$in": list(url_md5s)}}, projection
        )
        with translated(self._label):
            return {(one["article_md5"], one["seq"]): one["span"] async for one in found}


def _values(names: Iterable[str], row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)
