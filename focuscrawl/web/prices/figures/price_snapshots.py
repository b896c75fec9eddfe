"""The table of all quotes that the pages show, read again when the store has changed."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import threading
import time
from contextlib import aclosing, suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.database_urls import sql_store_at
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.prices.figures.price_table import PriceTable
from focuscrawl.web.prices.figures.price_table_builder import PriceTableBuilder

if TYPE_CHECKING:
    from focuscrawl.web.web_site import WebSite


# Memory that glibc keeps for later: much, after a table of prices was read or summed up in a thread.

# From malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE = 2**20
_SHARES = 2


def keep_little() -> None:
    """Have glibc return each large column as soon as it is freed, whatever thread had it."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, _SHARES)


def give_back() -> None:
    """Return free memory to the system; other libraries than glibc have no such function."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


_log = logging.getLogger(__name__)
CHECK_SECONDS = 15.0
"""Seconds between two looks whether the store has changed."""
WHOLE_SECONDS = 900.0
"""Seconds after which everything is read again, whatever the store's mark says."""
_SHARE = 10
"""Reading takes at most one part in so many of the time, whatever a crawl writes meanwhile."""
_RUNS = 300


class PriceSnapshots:
    """The newest table of prices, which a thread of its own keeps current.

    ``error`` is the reason why the last attempt to read the store failed, None after a success.
    ``known`` has tables of what was known on a day, by version, day and commodity.
    """

    def __init__(self) -> None:
        self.error: StoreError | None = None
        self.known: dict[tuple[str, date, str | None], PriceTable] = {}
        self.known_lock = asyncio.Lock()
        self._table: PriceTable | None = None
        self._is_loaded = threading.Event()

    @property
    def table(self) -> PriceTable | None:
        """The newest table, None before the first one is read.

        Raises the error of the store where not even the first one could be read.
        """
        if self._table is None and self.error is not None:
            raise self.error
        return self._table

    async def first(self, seconds: float) -> PriceTable | None:
        """Return the newest table, and wait some seconds for the first one."""
        if self._table is None and self.error is None:
            await asyncio.to_thread(self._is_loaded.wait, seconds)
        return self.table

    def succeed(self, table: PriceTable) -> None:
        """Show another table from now on."""
        self._table = table
        self.error = None
        self._is_loaded.set()

    def fail(self, error: StoreError) -> None:
        """Remember why the store could not be read; an earlier table is shown meanwhile."""
        self.error = error
        self._is_loaded.set()


async def keep_prices(site: WebSite) -> None:
    """Keep the table of prices of a site current until cancelled.

    The store is read in a thread with a loop of its own: rows are converted there, beside the
    pages.
    """
    keep_little()
    loop = asyncio.new_event_loop()
    watching = loop.create_task(_watch(site.store_url, site.prices))
    thread = threading.Thread(target=_run, args=(loop, watching), name="prices", daemon=True)
    thread.start()
    try:
        await asyncio.Event().wait()
    finally:
        loop.call_soon_threadsafe(watching.cancel)
        await asyncio.to_thread(thread.join)


def _run(loop: asyncio.AbstractEventLoop, watching: asyncio.Task[None]) -> None:
    try:
        loop.run_until_complete(asyncio.gather(watching, return_exceptions=True))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _watch(store_url: str, snapshots: PriceSnapshots) -> None:
    store = sql_store_at(store_url)
    try:
        mark, is_open = "", False
        read_at = -WHOLE_SECONDS
        pause = 0.0
        while True:
            # What was needed to read, and what pages needed since.
            give_back()
            await asyncio.sleep(pause)
            pause = CHECK_SECONDS
            try:
                if not is_open:
                    await store.open()
                    is_open = True
                found = await store.price_mark()
                began = time.monotonic()
                if found != mark or began - read_at >= WHOLE_SECONDS:
                    snapshots.succeed(await read_prices(store))
                    mark, read_at = found, began
                    pause = max(CHECK_SECONDS, (time.monotonic() - began) * _SHARE)
                elif snapshots.error is not None:
                    snapshots.error = None
            except StoreError as error:
                snapshots.fail(error)
                is_open = is_open and isinstance(error, StoreUnavailableError)
            except Exception as error:
                _log.exception("the prices cannot be read")
                snapshots.fail(StoreError(f"the prices cannot be read: {error!r}"))
    finally:
        await store.close()


async def read_prices(store: SQLStore) -> PriceTable:
    """Read all quotes of an open store."""
    read_at = datetime.now(UTC)
    builder = PriceTableBuilder()
    async with aclosing(store.price_rows()) as batches:  # type: ignore[type-var]
        async for articles, quotes in batches:
            builder.add(articles, quotes)
    runs = await store.runs(limit=_RUNS)
    return builder.table(runs, read_at.astimezone().date(), read_at)
