"""Reader of a SQL database, page by page and in its own thread."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Engine, Select, and_, literal, select, true
from sqlalchemy.engine import URL

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql import sql_connections
from focuscrawl.stores.sql.row_sizes import groups, size_of
from focuscrawl.stores.sql.sql_errors import BadDataError, translated

_T = TypeVar("_T")
Rows = list[Mapping[str, Any]]
# Rows read at a time: whole texts are large, summaries and quotes small.
TEXTS, SMALL, KEYS = 32, 2000, 500


class SQLReader:
    """A SQL database that is read without blocking the event loop.

    All blocking work runs in a single thread, in the order in which it was submitted.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._label = sql_connections.label(url)
        self._engine: Engine | None = None
        self._worker: ThreadPoolExecutor | None = None
        self._packet: int | None = None

    @property
    def label(self) -> str:
        """The URL without password."""
        return self._label

    async def _in_thread(self, work: Callable[..., _T], *values: Any) -> _T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="sql-store")
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *values)

    @property
    def _db(self) -> Engine:
        if self._engine is None:
            raise StoreError(f"{self._label} is not open; call open() first")
        return self._engine

    async def _keyed(
        self,
        query: Select[Any],
        order: Sequence[ColumnElement[Any]],
        whole: Select[Any],
        *,
        is_descending: bool = False,
    ) -> AsyncIterator[Mapping[str, Any]]:
        async for keys in self._keys(query, order, whole, TEXTS, is_descending=is_descending):
            for row in await self._rows_of(whole, order[-1], keys):
                yield row

    async def _keys(
        self,
        query: Select[Any],
        order: Sequence[ColumnElement[Any]],
        whole: Select[Any],
        most: int,
        *,
        is_descending: bool = False,
    ) -> AsyncIterator[list[str]]:
        """Yield the keys of a query (its last column) in its order, grouped by the size of the rows.

        The columns of an index are read first: MySQL would sort whole rows, with texts, each time.
        """
        key = order[-1]
        sized = size_of(whole.selected_columns, self._db.dialect.name)
        async for listed in self._paged(query, order, SMALL, is_descending=is_descending):
            for start in range(0, len(listed), KEYS):
                keys = [row[-1] for row in listed[start : start + KEYS]]
                sizes = await self._fetch(select(key, sized.label("size")).where(key.in_(keys)))
                by_key = {row[str(key.key)]: row["size"] for row in sizes}
                for group in groups(keys, by_key, most):
                    yield group

    async def _rows_of(
        self, whole: Select[Any], key: ColumnElement[Any], keys: Sequence[str]
    ) -> Rows:
        rows = await self._fetch(whole.where(key.in_(keys)))
        places = {value: place for place, value in enumerate(keys)}
        return sorted(rows, key=lambda row: places[row[str(key.key)]])

    async def _dated_last(
        self, query: Select[Any], day: ColumnElement[Any], key: Any, since: date | None
    ) -> AsyncIterator[Mapping[str, Any]]:
        async for rows in self._dated_pages(query, day, key, since):
            for row in rows:
                yield row._mapping

    async def _dated_pages(
        self, query: Select[Any], day: ColumnElement[Any], key: Any, since: date | None
    ) -> AsyncIterator[Sequence[Any]]:
        """Read the rows of a query, which are small, page by page: undated ones first, then by day."""
        if since is None:
            async for rows in self._paged(query.where(day.is_(None)), [*key], SMALL):
                yield rows
        dated = day.is_not(None) if since is None else day >= since
        async for rows in self._paged(query.where(dated), [day, *key], SMALL):
            yield rows

    async def _small(
        self, query: Select[Any], keys: Sequence[ColumnElement[Any]]
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Stream the rows of a query, which are small."""
        async for rows in self._paged(query, keys, SMALL):
            for row in rows:
                yield row._mapping

    async def _paged(
        self,
        query: Select[Any],
        keys: Sequence[ColumnElement[Any]],
        size: int,
        *,
        is_descending: bool = False,
    ) -> AsyncIterator[Sequence[Any]]:
        """Read a query page by page, each beginning after the keys of the last row.

        No cursor stays open in between, so that a slow reader holds no lock or connection.
        """
        order = [key.desc() for key in keys] if is_descending else keys
        part = query.order_by(*order).limit(size)
        ranges: list[ColumnElement[bool]] = [true()]
        while ranges:
            rows = await self._in_thread(self._fetch_now, part.where(ranges.pop(0)))
            if rows:
                yield rows
            if len(rows) == size:
                last = [rows[-1]._mapping[str(key.key)] for key in keys]
                ranges = ranges_after(keys, last, is_descending)

    async def _fetch(self, query: Select[Any]) -> Rows:
        rows = await self._in_thread(self._fetch_now, query)
        return [row._mapping for row in rows]

    async def _fetch_by(
        self, query: Select[Any], key: ColumnElement[Any], values: Sequence[str]
    ) -> Rows:
        """Fetch the rows of a query with any of the values of a key, ``KEYS`` of them at a time."""
        rows: Rows = []
        for start in range(0, len(values), KEYS):
            rows += await self._fetch(query.where(key.in_(values[start : start + KEYS])))
        return rows

    def _fetch_now(self, query: Select[Any]) -> Sequence[Any]:
        try:
            with translated(self._label), self._db.connect() as connection:
                return connection.execute(query).all()
        except BadDataError as error:
            raise StoreError(f"{self._label} cannot be read: {error}") from error


def ranges_after(
    keys: Sequence[ColumnElement[Any]], last: Sequence[Any], is_descending: bool
) -> list[ColumnElement[bool]]:
    """Return conditions for the rows after the one with the key values ``last``.

    The conditions are in the order of the rows. Each is one range of an index over the keys, which
    MySQL and SQLite do not recognise in a single condition for all of them.
    """
    beyond = operator.lt if is_descending else operator.gt
    # Literals, because SQLAlchemy cannot order a bare True.
    values = [literal(value, key.type) for key, value in zip(keys, last, strict=True)]
    equal = [key == value for key, value in zip(keys, values, strict=True)]
    return [
        and_(*equal[:place], beyond(keys[place], values[place]))
        for place in reversed(range(len(keys)))
    ]
