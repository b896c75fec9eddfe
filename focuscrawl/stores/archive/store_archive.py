"""Several stores as one: batches, retries, spilling."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from focuscrawl.errors import FocuscrawlError, StoreError, StoreUnavailableError
from focuscrawl.items import KnownArticle, MissingNumber, Record, Seed, TemplateRecord
from focuscrawl.reports.workbook import SheetFault
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.archive.store_writer import Lane, Result
from focuscrawl.stores.store_protocol import Store, Written
from focuscrawl.stores.workbook.workbook_store import ExcelStore
from focuscrawl.system.machine_faults import named

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_Key = TypeVar("_Key")


@dataclass(slots=True)
class _Waiting:
    record: Record
    done: asyncio.Future[Written]
    since: float


class Archive:
    """Writes every record to all stores, and awaits that it is durable in each.

    Records are written in batches of ``batch_size``, or of what has come in ``batch_age`` seconds
    if that is less; one batch at a time, all stores side by side. A store that does not answer is
    tried again with growing pauses for ``retry_seconds`` (``open_seconds`` at the start); then what
    it misses is spilled to a file of ``spill_folder``, and it is tried again every
    ``rest_seconds`` and by the next run, with the spilled records first. Used from one event loop.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        spill_folder: Path,
        *,
        batch_size: int = 100,
        batch_age: float = 0.5,
        retry_seconds: float = 60.0,
        open_seconds: float = 5.0,
        rest_seconds: float = 15.0,
    ) -> None:
        _check("FOCUSCRAWL_BATCH_SIZE", batch_size, 1)
        _check("FOCUSCRAWL_BATCH_AGE", batch_age, 0)
        _check("FOCUSCRAWL_STORE_RETRY", retry_seconds, 0)
        self._spill_folder = spill_folder
        self._views = [s for s in stores if isinstance(s, ExcelStore) and not s.owns_source]
        self._lanes = [
            Lane(
                store,
                Spill(spill_folder, store.label),
                Spill(spill_folder, store.label, ".refused.jsonl"),
                retry_seconds=retry_seconds,
                rest_seconds=rest_seconds,
            )
            for store in stores
            if store not in self._views
        ]
        self._open_seconds = open_seconds
        self._batch_size = batch_size
        self._batch_age = batch_age
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._full = asyncio.Event()
        self._is_closing = False
        self._has_written = False
        self._flusher: asyncio.Task[None] | None = None
        self._spilled: dict[str, int] = {}

    @property
    def counts(self) -> dict[str, Written]:
        """What each store has written so far, by label; spilled records count once written."""
        return {lane.store.label: lane.counts for lane in self._lanes}

    @property
    def spilled(self) -> dict[str, int]:
        """How many records wait in the spill file, by label of the stores with any; after close."""
        return dict(self._spilled)

    @property
    def spill_files(self) -> dict[str, Path]:
        """The files of :attr:`spilled`, by label."""
        files = {lane.store.label: lane.spill_file for lane in self._lanes}
        return {label: files[label] for label in self._spilled}

    @property
    def other_spills(self) -> list[Path]:
        """Files in which records wait for stores that this archive has not."""
        own = {lane.spill_file for lane in self._lanes}
        found = self._spill_folder.glob(f"{'?' * 16}.jsonl")
        return sorted(path for path in found if path not in own and path.stat().st_size)

    @property
    def refused_files(self) -> list[Path]:
        """The files in which this run has set aside spilled records that a store refuses."""
        return [lane.refused_file for lane in self._lanes if lane.refused_file]

    @property
    def damaged(self) -> dict[Path, int]:
        """How many damaged lines of spilled records were set aside in this run, by file."""
        found = [lane.damaged for lane in self._lanes]
        return {path: count for count, path in found if count}

    @property
    def locations(self) -> list[str]:
        """Where all records are: paths of files, URLs (without password) of servers.

        Workbooks that could not be written are left out, and so is a store for which records wait in
        a spill file, with what it is shown in; after close.
        """
        stores = [lane.store for lane in self._lanes if lane.store.label not in self._spilled]
        first = self._lanes[0].store.label if self._lanes else ""
        views = () if first in self._spilled else self._views
        labels = [_location(store) for store in (*stores, *views)]
        return [
            label.removeprefix("sqlite:///").removeprefix("excel:///") for label in labels if label
        ]

    @property
    def sheet_faults(self) -> list[SheetFault]:
        """The sheets of workbooks that a fault of the program kept from being made; after close."""
        books = [lane.store for lane in self._lanes] + list(self._views)
        return [fault for book in books if isinstance(book, ExcelStore) for fault in book.faults]

    async def open(self) -> None:
        """Open all stores, and load what earlier runs had to spill.

        Raises StoreError if a store refuses, or if it does not answer and nothing can be spilled;
        then no store is left open.
        """
        try:
            await _all([view.open() for view in self._views])
            await _all([lane.open(self._open_seconds) for lane in self._lanes])
            # From here on a program that dies leaves workbooks that are marked as behind.
            for view in self._views:
                view.expect_changes()
            await _all([lane.load() for lane in self._lanes])
        except BaseException:
            await _problems_of([lane.store.close() for lane in self._lanes])
            raise
        self._is_closing = False
        self._flusher = asyncio.create_task(self._flush_batches())

    async def write(self, record: Record, *, is_last: bool = False) -> Written:
        """Return when the record is durable in every store, with its outcome in the first.

        ``is_last``: no other record is to be expected, so its batch does not wait for any.
        The outcome is empty if all stores are away and the record is spilled. Raises StoreError
        if a store refuses it.
        """
        if self._flusher is None or self._is_closing:
            raise StoreError("the stores are closed; open them before writing")
        if not self._has_written:
            self._has_written = True
            for view in self._views:
                view.warm_up()
        loop = asyncio.get_running_loop()
        entry = _Waiting(record, loop.create_future(), loop.time())
        self._waiting.append(entry)
        self._wake.set()
        if is_last or len(self._waiting) >= self._batch_size:
            self._full.set()
        return await entry.done

    async def _flush_batches(self) -> None:
        batch: list[_Waiting] = []
        try:
            while self._waiting or not self._is_closing:
                await self._batch_is_due()
                batch = self._take_batch()
                await self._flush(batch)
        finally:
            for entry in (*batch, *self._waiting):
                entry.done.cancel()

    async def _batch_is_due(self) -> None:
        if not self._waiting:
            self._wake.clear()
            await self._wake.wait()
        if self._waiting and not self._is_closing:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._waiting[0].since + self._batch_age):
                    await self._full.wait()

    def _take_batch(self) -> list[_Waiting]:
        batch = self._waiting[: self._batch_size]
        del self._waiting[: self._batch_size]
        if len(self._waiting) < self._batch_size:
            self._full.clear()
        return batch

    async def _flush(self, batch: list[_Waiting]) -> None:
        records = [entry.record for entry in batch]
        if not records:
            return
        try:
            results = await _all([lane.write(records) for lane in self._lanes])
        except Exception as error:  # the writers must hear of it, whatever it is
            for entry in batch:
                _fail(entry, error)
            return
        for entry, *own in zip(batch, *results, strict=True):
            _answer(entry, own)

    def _mark_views(self) -> None:
        if any(lane.counts.touched for lane in self._lanes):
            for view in self._views:
                view.mark_dirty()

    async def _ask(self, question: Callable[[Store], Awaitable[_T]]) -> list[_T]:
        answers = await _all([lane.ask(question) for lane in self._lanes])
        return [answer for given in answers for answer in given]

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the articles that every store that answers holds with the same content.

        Where the stores differ in the rest, what is returned makes the article be asked for again.
        """
        answers = await self._ask(lambda store: store.known(url_md5s))
        if not answers:
            return {}
        first, *others = answers
        return {
            md5: _common(article, [other[md5] for other in others])
            for md5, article in first.items()
            if all(md5 in o and o[md5].content_md5 == article.content_md5 for o in others)
        }

    async def held(self, url_md5s: Sequence[str]) -> set[str]:
        """Return which of the articles any store that answers holds, gone or not."""
        return {md5 for answer in await self._ask(lambda s: s.known(url_md5s)) for md5 in answer}

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the articles of a site that are incomplete, and not gone, in any store."""
        answers = await self._ask(lambda store: store.unfinished(site))
        return list(_first_words(answers, attrgetter("url_md5")).values())

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after ``since`` that any store holds."""
        answers = await self._ask(lambda store: store.listed_since(site, since))
        return list(_first_words(answers, attrgetter("url_md5")).values())

    async def numbers(self, series: str) -> set[int]:
        """Return the numbers of a series whose articles every store that answers holds.

        Raises StoreUnavailableError if none answers: everything would be asked for again.
        """
        answers = await self._ask(lambda store: _gathered(store.numbers(series)))
        self._check_answered(answers, "which numbers are held")
        return set.intersection(*map(set, answers))

    async def missing(self, series: str) -> dict[int, MissingNumber]:
        """Return, by number, what any store has of a series as missing so far."""
        answers = await self._ask(lambda store: _gathered(store.missing(series)))
        return _first_words(answers, attrgetter("number"))

    async def template_records(self, crawl: str, *, gone: bool = False) -> list[TemplateRecord]:
        """Return what any store has of what the templates of a crawl found.

        Raises StoreUnavailableError if none answers: nothing would be known to be gone.
        """
        answers = await self._ask(lambda store: _gathered(store.template_records(crawl, gone=gone)))
        self._check_answered(answers, "what the last windows found")
        return list(_first_words(answers, attrgetter("key")).values())

    async def seeds(self, crawl: str) -> list[Seed]:
        """Return what any store has of the seeds of a crawl; raises as :meth:`template_records`."""
        answers = await self._ask(lambda store: _gathered(store.seeds(crawl)))
        self._check_answered(answers, "which seeds were put off")
        return list(_first_words(answers, attrgetter("key")).values())

    def _check_answered(self, answers: Sequence[object], what: str) -> None:
        if not answers:
            raise StoreUnavailableError(
                f"{self._lanes[0].store.label} does not answer and alone knows {what}; "
                "run again when it does"
            )

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return what is kept under ``key`` if all stores answer and agree, else None."""
        answers = await self._ask(lambda store: store.get_state(key))
        is_agreed = len(answers) == len(self._lanes) and all(a == answers[0] for a in answers)
        return answers[0] if is_agreed else None

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Keep a JSON object in every store that answers; one that is away makes it untrusted."""
        await self._ask(lambda store: store.set_state(key, value))

    async def close(self) -> None:
        """Write what waits, try stores that were away once more, render workbooks, close all.

        All stores are closed even if one has a problem; then the first problem is raised.
        """
        flusher, self._is_closing = self._flusher, True
        self._wake.set()
        self._full.set()
        if flusher is None:
            return
        await asyncio.shield(flusher)
        self._flusher = None
        problems = await _problems_of([lane.come_back() for lane in self._lanes])
        counts = {lane.store.label: await lane.spilled() for lane in self._lanes}
        self._spilled = {label: count for label, count in counts.items() if count}
        # Workbooks first: they are rendered from stores that must still be open.
        self._mark_views()
        problems += await _problems_of([view.close() for view in self._views])
        problems += await _problems_of([lane.store.close() for lane in self._lanes])
        for problem in problems[1:]:
            logger.error("%s", problem)
        if problems:
            raise problems[0]


def _location(store: Store) -> str:
    return store.location if isinstance(store, ExcelStore) else store.label


async def _gathered(stream: AsyncIterator[_T]) -> list[_T]:
    return [entry async for entry in stream]


def _first_words(answers: Sequence[Sequence[_T]], key: Callable[[_T], _Key]) -> dict[_Key, _T]:
    """Return what any store answers, by key; of what several do, the first one's word stands."""
    return {key(entry): entry for answer in reversed(answers) for entry in answer}


def _check(setting: str, value: float, least: int) -> None:
    # Written so that it also refuses NaN.
    if not value >= least:
        raise StoreError(f"{setting} is {value}; it must be at least {least}")


async def _problems_of(work: Sequence[Awaitable[None]]) -> list[FocuscrawlError]:
    """Await all, and return the errors that a user can mend."""
    problems = []
    for result in map(named, await asyncio.gather(*work, return_exceptions=True)):
        if isinstance(result, FocuscrawlError):
            problems.append(result)
        elif result is not None:
            raise result
    return problems


async def _all(work: Sequence[Awaitable[_T]]) -> list[_T]:
    """Await all, then raise the first error if any: nothing is left running."""
    results = await asyncio.gather(*work, return_exceptions=True)
    done: list[_T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done


def _answer(entry: _Waiting, results: Sequence[Result]) -> None:
    error = next((result for result in results if isinstance(result, StoreError)), None)
    if error is not None:
        _fail(entry, error)
    elif not entry.done.done():
        outcomes = [result for result in results if result and not isinstance(result, StoreError)]
        entry.done.set_result(Written.of(outcomes[:1]))


def _fail(entry: _Waiting, error: Exception) -> None:
    # A writer that was cancelled waits no more.
    if not entry.done.done():
        entry.done.set_exception(error)


def _common(article: KnownArticle, others: Sequence[KnownArticle]) -> KnownArticle:
    same_stamp = all(other.stamp == article.stamp for other in others)
    same_validators = all(other.validators == article.validators for other in others)
    return replace(
        article,
        is_complete=article.is_complete and all(other.is_complete for other in others),
        is_gone=article.is_gone and all(other.is_gone for other in others),
        stamp=article.stamp if same_stamp else "",
        validators=article.validators if same_validators else {},
    )
