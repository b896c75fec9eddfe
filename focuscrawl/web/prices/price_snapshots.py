"""Tables of all quotes that the pages show: the newest one, and those of what was known on a day."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from focuscrawl.errors import ArgumentError, StoreError, StoreUnavailableError
from focuscrawl.items import Quote
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.price_statistics.moisture_classes import MOISTURES, moisture_class
from focuscrawl.reports.entity_series import location_of
from focuscrawl.stored_records import ArticleRevision
from focuscrawl.stores.database_urls import sql_store_at
from focuscrawl.stores.sql.price_columns import NEVER, read_columns
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.prices.price_table import (
    PriceTable,
    Series,
    assembled,
    day_number,
    right_quotes,
    table_of,
)

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
"""Seconds after which everything is read again, whatever the store's marks say."""
_SHARE = 10
"""Reading takes at most one part in so many of the time, whatever a crawl writes meanwhile."""
_RUNS = 300


class PriceSnapshots:
    """The newest table of prices, which a thread of its own keeps current.

    ``error`` is the reason why the last attempt to read the store failed, None after a success.
    ``share`` is how much of the store the reading of now, or the last one, has read, from 0 to 1.
    ``known`` has tables of what was known on a day, by version, day and commodity.
    """

    def __init__(self) -> None:
        self.error: StoreError | None = None
        self.share = 0.0
        self.known: dict[tuple[str, date, str | None], PriceTable] = {}
        self.known_lock = asyncio.Lock()
        self._table: PriceTable | None = None
        self._is_loaded = threading.Event()

    @property
    def is_empty(self) -> bool:
        """Whether no table has been read yet."""
        return self._table is None

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

    The store is read in a thread with a loop of its own: rows are converted there, parallel to the
    pages.
    """
    keep_little()
    loop = asyncio.new_event_loop()
    name = f"prices-{sha256(site.store.label.encode()).hexdigest()[:12]}.npz"
    watching = loop.create_task(_watch(site.store_url, site.prices, site.data / name))
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


async def _watch(store_url: str, snapshots: PriceSnapshots, file: Path) -> None:
    store = sql_store_at(store_url)
    try:
        mark, is_open = "", False
        # The first table need not be whole.
        whole_at, pause = monotonic(), 0.0
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
                began = monotonic()
                is_whole = began - whole_at >= WHOLE_SECONDS
                if found != mark or is_whole:
                    with _progress(snapshots) as note:
                        table = await read_prices(store, note, file, is_whole=is_whole)
                    snapshots.succeed(table)
                    mark, whole_at = found, began if is_whole else whole_at
                    pause = max(CHECK_SECONDS, (monotonic() - began) * _SHARE)
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


@contextmanager
def _progress(snapshots: PriceSnapshots) -> Iterator[Callable[[float], None]]:
    """Yield a function that notes the share read; a terminal shows that of the first table."""
    snapshots.share = 0.0
    if not (snapshots.is_empty and sys.stderr and sys.stderr.isatty()):
        yield partial(setattr, snapshots, "share")
        return
    # Imported here: a server whose errors go to a file needs none of it.
    from rich.console import Console
    from rich.progress import Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), TaskProgressColumn(), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("quotes read", total=1)

        def note(share: float) -> None:
            snapshots.share = share
            bar.update(task, completed=share)

        yield note


async def read_prices(
    store: SQLStore,
    note: Callable[[float], None] = lambda share: None,
    file: Path | None = None,
    *,
    is_whole: bool = False,
) -> PriceTable:
    """Read all quotes of an open store, as :func:`~focuscrawl.stores.sql.price_columns.read_columns` does."""
    read_at = datetime.now(UTC)
    columns = await read_columns(store, note, file, is_whole=is_whole)
    runs = await store.runs(limit=_RUNS)
    return table_of(columns, runs, read_at.astimezone().date(), read_at)


# Prices as they were known at the end of a day: without later articles, with the versions of then.

_AT_ONCE = 200
Versions = dict[int, list[Quote]]
"""The quotes of the version of then, by the position of their article."""


def end_of(day: date) -> int:
    """Return the end of a day, in this machine's time zone, in milliseconds since 1970."""
    try:
        midnight = datetime.combine(day, datetime.min.time()) + timedelta(days=1)
        return round(midnight.astimezone().timestamp() * 1000)
    except (OverflowError, OSError, ValueError) as error:
        raise ArgumentError(f"known_on = {day}: beyond the calendar of this machine") from error


async def versions_of(store: SQLStore, table: PriceTable, until: int) -> Versions:
    """Return the quotes of articles that were known, and have changed since."""
    own = table.articles
    has_changed = (own.first_seen < until) & (own.fetched_at >= until)
    places = {own.md5(int(place)): int(place) for place in np.flatnonzero(has_changed)}
    revised = [key for key in await store.revised() if key in places] if places else []
    found: Versions = {}
    for start in range(0, len(revised), _AT_ONCE):
        revisions = await store.revisions(revised[start : start + _AT_ONCE])
        for key, version in _valid(revisions, until).items():
            found[places[key]] = version.quotes
    return found


def _valid(revisions: Iterable[ArticleRevision], until: int) -> Mapping[str, ArticleRevision]:
    """Return the first version of each article that was replaced only later; they come by time."""
    found: dict[str, ArticleRevision] = {}
    for one in revisions:
        if one.replaced_at.timestamp() * 1000 >= until:
            found.setdefault(one.article_md5, one)
    return found


def as_known(table: PriceTable, commodity: str | None, day: date, versions: Versions) -> PriceTable:
    """Return the quotes of a commodity, of all if it is None, as they were known at the end of a day."""
    until = end_of(day)
    articles = replace(
        table.articles,
        gone_at=np.where(table.articles.gone_at >= until, NEVER, table.articles.gone_at),
    )
    is_kept = table.articles.first_seen < until
    is_kept[list(versions)] = False
    rows = np.arange(len(table))
    if commodity in table.commodities:
        part = table.slice_of(table.commodities.index(commodity))
        rows = rows[part]
    rows = rows[is_kept[table.article[rows]]]
    names = [name for name in _COLUMNS if name != "is_counted"]
    columns: dict[str, Any] = {name: getattr(table, name)[rows] for name in names}
    columns["is_right"] &= columns["day"] <= day_number(day)
    known = _Names(table)
    extra = known.columns_of(versions, commodity, day)
    columns = {name: np.concatenate([columns[name], extra[name]]) for name in names}
    is_standing = (articles.gone_at == NEVER)[columns["article"]]
    columns["is_counted"] = columns["is_right"] & is_standing
    lists = {"commodities": known.commodities, "series": known.series, "flags": known.flags}
    return assembled(columns, lists, articles, table.runs, table.read_at, day)


_COLUMNS = (
    "commodity owner day low high article seq flag kind moisture is_primary is_known is_right is_counted"
).split()


class _Names:
    """Names of a table, with those that only earlier versions have."""

    def __init__(self, table: PriceTable) -> None:
        self.commodities = list(table.commodities)
        self.series = list(table.series)
        self.flags = list(table.flags)
        self._owners = dict(table.series_by_name)
        # A name in two places is followed by its place: the first of such a place is meant.
        self._by_place = {
            (one.name.partition("(")[0], one.place): number
            for number, one in reversed(list(enumerate(table.series)))
        }

    def columns_of(self, versions: Versions, commodity: str | None, today: date) -> dict[str, Any]:
        """Return the columns of the quotes of versions."""
        listed = [
            (article, seq, quote)
            for article, quotes in versions.items()
            for seq, quote in enumerate(quotes)
            if commodity in (None, quote.commodity)
        ]
        quotes = [quote for _, _, quote in listed]
        low = [float(quote.price_yuan_per_ton_low) for quote in quotes]
        high = [float(quote.price_yuan_per_ton_high) for quote in quotes]
        columns: dict[str, Any] = {
            "commodity": _ints(_number(self.commodities, quote.commodity) for quote in quotes),
            "owner": _ints(map(self._owner, quotes)),
            "day": _ints(day_number(quote.date) for quote in quotes),
            "low": np.array(low, dtype=np.float64),
            "high": np.array(high, dtype=np.float64),
            "article": _ints(article for article, _, _ in listed),
            "seq": _ints(seq for _, seq, _ in listed),
            "flag": _ints(_number(self.flags, quote.flag) for quote in quotes),
            "kind": np.array([ENTITY_TYPES.index(q.entity_type) for q in quotes], dtype=np.int8),
            "moisture": np.array(
                [MOISTURES.index(moisture_class(q.moisture, q.goods_condition)) for q in quotes],
                dtype=np.int8,
            ),
            "is_primary": _flags(quote.is_primary for quote in quotes),
            "is_known": _flags(quote.entity_is_known for quote in quotes),
        }
        is_named = _flags(bool(quote.entity) for quote in quotes)
        columns["is_right"] = right_quotes(columns, is_named, today)
        return columns

    def _owner(self, quote: Quote) -> int:
        place = location_of(quote)
        found = self._by_place.get((quote.entity, place), self._owners.get(quote.entity))
        if found is None:
            found = self._owners[quote.entity] = len(self.series)
            self.series.append(Series(quote.entity, place))
        return found


def _number(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _ints(values: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(list(values), dtype=np.int32)


def _flags(values: Iterable[bool]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array(list(values), dtype=bool)
