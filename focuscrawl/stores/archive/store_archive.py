"""The stores of a crawl as one: records in batches, retries, spilling, workbooks at the end."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any, TypeVar, cast

from focuscrawl.errors import FocuscrawlError, StoreError, StoreUnavailableError
from focuscrawl.items import (
    Article,
    CrawlRun,
    MissingNumber,
    PageVerdict,
    Record,
    Seed,
    TemplateRecord,
    check_code,
)
from focuscrawl.reports.crawl_workbook import CrawlWorkbook
from focuscrawl.reports.workbook import SheetFault
from focuscrawl.stored_records import KnownArticle
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.archive.store_writer import (
    ArchivableStore,
    Result,
    SpillingStore,
    gather_all,
)
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.system.machine_faults import named

# Questions to several stores at once, and one answer out of theirs.

_T = TypeVar("_T")
_Key = TypeVar("_Key")


# Articles whose texts are read at a time.
_TEXTS = 200


class ArchiveReader:
    """Reads from several stores; those that are unavailable are left out."""

    def __init__(self, stores: Sequence[SpillingStore]) -> None:
        self._stores = stores

    async def _ask(self, question: Callable[[ArchivableStore], Awaitable[_T]]) -> list[_T]:
        answers = await gather_all([store.ask(question) for store in self._stores])
        return [answer for given in answers for answer in given]

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the articles that all stores hold with the same content, by MD5.

        Where the stores differ in anything else, the returned values cause another request.
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

    async def held(self, url_md5s: Sequence[str]) -> dict[str, bool]:
        """Return those of the given MD5s that any store holds, gone or not, and whether as more than a link."""
        held: dict[str, bool] = {}
        for answer in await self._ask(lambda store: store.known(url_md5s)):
            for md5, one in answer.items():
                held[md5] = held.get(md5, False) or one.is_read
        return held

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the articles of a site that are incomplete, and not gone, in any store."""
        answers = await self._ask(lambda store: store.unfinished(site))
        return list(_merged(answers, attrgetter("url_md5")).values())

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after ``since`` that any store holds."""
        answers = await self._ask(lambda store: store.listed_since(site, since))
        return list(_merged(answers, attrgetter("url_md5")).values())

    async def complete(self, site: str) -> AsyncIterator[Article]:
        """Stream the complete articles of a site that any store holds, with their texts."""
        known = [one.url_md5 for one in await self.listed_since(site, None) if one.is_complete]
        for start in range(0, len(known), _TEXTS):
            md5s = known[start : start + _TEXTS]
            for article in (await self.texts_of(md5s)).values():
                yield article

    async def texts_of(self, url_md5s: Sequence[str]) -> dict[str, Article]:
        """Return those of the given articles that any store holds with their texts, by MD5."""
        answers = await self._ask(methodcaller("articles_of", url_md5s))
        return {md5: one.article for answer in answers for md5, one in answer.items()}

    async def numbers(self, series: str) -> set[int]:
        """Return the numbers of a series whose articles all stores hold.

        Raises StoreUnavailableError if none answers: everything would be requested again.
        """
        answers = await self._ask(lambda store: _gathered(store.numbers(series)))
        self._check_answered(answers, "which numbers are stored")
        return set.intersection(*map(set, answers))

    async def missing(self, series: str) -> dict[int, MissingNumber]:
        """Return the missing numbers of a series that any store holds, by number."""
        answers = await self._ask(lambda store: _gathered(store.missing(series)))
        return _merged(answers, attrgetter("number"))

    async def template_records(self, crawl: str, *, gone: bool = False) -> list[TemplateRecord]:
        """Return the template records of a crawl that any store holds.

        Raises StoreUnavailableError if none answers: no record could be recognised as gone.
        """
        answers = await self._ask(lambda store: _gathered(store.template_records(crawl, gone=gone)))
        self._check_answered(answers, "what the last windows found")
        return list(_merged(answers, attrgetter("key")).values())

    async def seeds(self, crawl: str) -> list[Seed]:
        """Return the seeds of a crawl that any store holds; raises as :meth:`template_records`."""
        answers = await self._ask(lambda store: _gathered(store.seeds(crawl)))
        self._check_answered(answers, "which seeds were postponed")
        return list(_merged(answers, attrgetter("key")).values())

    def _check_answered(self, answers: Sequence[object], what: str) -> None:
        if not answers:
            raise StoreUnavailableError(
                f"{self._stores[0].label} does not answer, and only it knows {what}; "
                "run the crawl again when it does"
            )

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object under ``key`` if all stores answer and agree, else None."""
        answers = await self._ask(lambda store: store.get_state(key))
        is_agreed = len(answers) == len(self._stores) and all(a == answers[0] for a in answers)
        return answers[0] if is_agreed else None


async def _gathered(stream: AsyncIterator[_T]) -> list[_T]:
    return [entry async for entry in stream]


def _merged(answers: Sequence[Sequence[_T]], key: Callable[[_T], _Key]) -> dict[_Key, _T]:
    """Return the entries of all answers, by key; where keys are equal, that of the first store."""
    return {key(entry): entry for answer in reversed(answers) for entry in answer}


def _common(article: KnownArticle, others: Sequence[KnownArticle]) -> KnownArticle:
    same_stamp = all(other.stamp == article.stamp for other in others)
    same_validators = all(other.validators == article.validators for other in others)
    return replace(
        article,
        is_complete=article.is_complete and all(other.is_complete for other in others),
        is_gone=article.is_gone and all(other.is_gone for other in others),
        has_prices_read=all(other.has_prices_read for other in (article, *others)),
        stamp=article.stamp if same_stamp else "",
        validators=article.validators if same_validators else {},
    )


# Verdicts on prices that a workbook shows: editors decide between two runs of a crawl.


async def finish_workbook(book: CrawlWorkbook, store: SpillingStore) -> None:
    """Render a workbook if this run has changed its database, or if verdicts have changed since.

    None is made of a database without records. The database keeps the digest of the verdicts that the
    workbook shows. Raises as :meth:`~focuscrawl.reports.crawl_workbook.CrawlWorkbook.finish` does.
    """
    if not store.counts.touched and not book.path.exists() and any(await store.ask(_is_empty)):
        book.skip()
        return
    key = f"verdicts {check_code(str(book.path))}"
    # Before the rendering, which may miss what is decided meanwhile.
    (now,) = await store.ask(_digest) or [""]
    (shown,) = await store.ask(lambda one: one.get_state(key)) or [None]
    is_outdated = now != (shown or {}).get("digest", "")
    await book.finish(is_changed=store.counts.touched > 0 or is_outdated)
    if is_outdated and book.is_current:
        await store.ask(lambda one: one.set_state(key, {"digest": now}))


async def _is_empty(store: ArchivableStore) -> bool:
    found = [store.summaries(), store.pages(), store.numbered(bodies=False), store.items()]
    for records in (*found, store.template_records(), store.template_records(gone=True)):
        async with aclosing(cast("AsyncGenerator[object]", records)) as stream:
            async for _ in stream:
                return False
    return True


async def _digest(store: ArchivableStore) -> str:
    """Return an MD5 of all verdicts, ``""`` where there are none."""
    verdicts = [f"{one.key} {one.verdict}" async for one in store.decisions()]
    whole = "\n".join(sorted(verdicts)).encode()
    return hashlib.md5(whole, usedforsecurity=False).hexdigest() if verdicts else ""


logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    record: Record
    done: asyncio.Future[Written]
    since: float


class Archive(ArchiveReader):
    """Writes every record to all stores, and waits until it is durable in each.

    Records are written in batches of ``batch_size``, or of those that arrive within ``batch_age``
    seconds if these are fewer; one batch at a time, to all stores concurrently. An unavailable
    store is retried with exponential back-off for ``retry_seconds`` (``open_seconds`` at the
    start); then its records are spilled to a file of ``spill_folder``, and it is retried every
    ``rest_seconds`` and by the next run, with the spilled records first. ``workbooks`` are rendered
    from the stores when the archive is closed. To be used from one event loop.

    The archive alone opens and closes the stores' connections: they are open from :meth:`open` until
    the last step of :meth:`close`, whoever writes meanwhile.
    """

    def __init__(
        self,
        stores: Sequence[ArchivableStore],
        spill_folder: Path,
        *,
        workbooks: Sequence[CrawlWorkbook] = (),
        batch_size: int = 100,
        batch_age: float = 0.5,
        retry_seconds: float = 60.0,
        open_seconds: float = 5.0,
        rest_seconds: float = 15.0,
    ) -> None:
        _check("FOCUSCRAWL_BATCH_SIZE", batch_size, 1)
        _check("FOCUSCRAWL_BATCH_AGE", batch_age, 0)
        _check("FOCUSCRAWL_STORE_RETRY", retry_seconds, 0)
        spilling = [
            SpillingStore(
                store,
                Spill(spill_folder, store.label),
                Spill(spill_folder, store.label, ".refused.jsonl"),
                retry_seconds=retry_seconds,
                rest_seconds=rest_seconds,
            )
            for store in stores
        ]
        super().__init__(spilling)
        self._spill_folder = spill_folder
        self._workbooks = workbooks
        self._open_seconds = open_seconds
        self._batch_size = batch_size
        self._batch_age = batch_age
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._full = asyncio.Event()
        self._is_open = self._is_closing = False
        # Held by whoever uses the connections on their own account, or closes them.
        self._connections = asyncio.Lock()
        self._has_written = False
        self._flusher: asyncio.Task[None] | None = None
        self._spilled: dict[str, int] = {}

    @property
    def labels(self) -> list[str]:
        """The workbooks and the stores, by their URLs without passwords."""
        places = [book.label for book in self._workbooks]
        return places + [store.label for store in self._stores]

    @property
    def counts(self) -> dict[str, Written]:
        """Counts of the records written to each store, by label, without those still spilled."""
        return {store.label: store.counts for store in self._stores}

    @property
    def spilled(self) -> dict[str, int]:
        """Number of records in the spill file, by label of the stores with any; after close."""
        return dict(self._spilled)

    @property
    def spill_files(self) -> dict[str, Path]:
        """The files of :attr:`spilled`, by label."""
        files = {store.label: store.spill_file for store in self._stores}
        return {label: files[label] for label in self._spilled}

    @property
    def other_spills(self) -> list[Path]:
        """Spill files of stores that are not in this archive."""
        own = {store.spill_file for store in self._stores}
        found = self._spill_folder.glob(f"{'?' * 16}.jsonl")
        return sorted(path for path in found if path not in own and path.stat().st_size)

    @property
    def refused_files(self) -> list[Path]:
        """Files of spilled records that a store refused in this run."""
        return [store.refused_file for store in self._stores if store.refused_file]

    @property
    def damaged(self) -> dict[Path, int]:
        """Number of damaged lines of spill files moved aside in this run, by file."""
        found = [store.damaged for store in self._stores]
        return {path: count for count, path in found if count}

    @property
    def locations(self) -> list[str]:
        """Paths of the files and URLs (without password) of the servers with all records; after close.

        Without workbooks that could not be written, without stores for which records are spilled,
        and without the workbooks of these. A workbook without a named database stands for its own.
        """
        if self._flusher is None:
            return []
        current = [book for book in self._workbooks if book.is_current]
        books = [book for book in current if book.source.label not in self._spilled]
        hidden = {book.source.label for book in books if book.is_alone}
        stores = [store.label for store in self._stores if store.label not in self._spilled]
        shown = [label.removeprefix("sqlite:///") for label in stores if label not in hidden]
        return shown + [str(book.path) for book in books]

    @property
    def sheet_faults(self) -> list[SheetFault]:
        """Workbook sheets that could not be made because of a fault of the program; after close."""
        return [fault for book in self._workbooks for fault in book.faults]

    async def open(self) -> None:
        """Open all stores, and write the records that earlier runs spilled.

        Raises ReportError if a workbook could not be written, StoreError if a store refuses to work,
        or is unavailable and nothing can be spilled; then no store is left open.
        """
        try:
            await gather_all([book.check_place() for book in self._workbooks])
            await gather_all([store.open(self._open_seconds) for store in self._stores])
            # From here on a run that is killed leaves workbooks marked as outdated.
            for book in self._workbooks:
                book.mark_outdated()
            await gather_all([store.load() for store in self._stores])
        except BaseException:
            await _problems_of([store.close() for store in self._stores])
            for book in self._workbooks:
                book.release()
            raise
        self._is_open, self._is_closing = True, False
        self._flusher = asyncio.create_task(self._flush_batches())

    async def write(self, record: Record, *, is_last: bool = False) -> Written:
        """Return when the record is durable in every store, with its outcome in the first.

        With ``is_last``, no other record is expected, so its batch is written at once.
        The outcome is empty if all stores are unavailable and the record is spilled. Raises
        StoreError if a store refuses the record.
        """
        if not self._is_open or self._is_closing:
            raise StoreError("the stores are closed; open them before writing")
        if not self._has_written:
            self._has_written = True
            for book in self._workbooks:
                book.source.prepare()
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
            results = await gather_all([store.write(records) for store in self._stores])
        except Exception as error:  # whatever it is, those who wait get it
            for entry in batch:
                _fail(entry, error)
            return
        for entry, *own in zip(batch, *results, strict=True):
            _answer(entry, own)

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Store a JSON object in every available store; :meth:`get_state` then needs all to agree."""
        await gather_all(
            [store.ask(lambda one: one.set_state(key, value)) for store in self._stores]
        )

    async def page_verdicts(self, topic: str) -> list[PageVerdict]:
        """Return the verdicts of people on the pages of a topic that any store holds; none before :meth:`open`."""
        if not self._is_open:
            return []
        answers = await self._ask(lambda store: _gathered(store.page_verdicts(topic)))
        return list(_merged(answers, attrgetter("key")).values())

    async def write_run(self, run: CrawlRun) -> None:
        """Write a run of a crawl to every available store; a refusal is only logged.

        After :meth:`close` the stores are opened once more for the end of a run, which tells how the
        closing went; what a run says on its way is too late then, as it is before :meth:`open`.
        """
        async with self._connections:
            if self._flusher is None or not (self._is_open or run.ended_at):
                return
            for store in self._stores:
                write = store.ask if self._is_open else store.reopened
                try:
                    await write(lambda one: one.write_run(run))
                except StoreError as error:
                    logger.info("the run is not recorded: %s", error)

    async def close(self) -> None:
        """Write what is left, retry unavailable stores once, render workbooks, close all.

        All stores are closed even if one has a problem; then the first problem is raised.
        """
        if self._flusher is None or not self._is_open:
            return
        self._is_closing = True
        self._wake.set()
        self._full.set()
        problems: list[FocuscrawlError] = []
        try:
            await asyncio.shield(self._flusher)
            problems += await self._finish_workbooks()
        finally:
            for book in self._workbooks:
                book.release()
            async with self._connections:
                self._is_open = False
                problems += await _problems_of([store.close() for store in self._stores])
        for problem in problems[1:]:
            logger.error("%s", problem)
        if problems:
            raise problems[0]

    async def _finish_workbooks(self) -> list[FocuscrawlError]:
        """Render the workbooks of the stores that hold all records; the marks of others stay."""
        problems = await _problems_of([store.reconnect() for store in self._stores])
        spilled = {store.label: await store.spilled() for store in self._stores}
        self._spilled = {label: count for label, count in spilled.items() if count}
        by_label = {store.label: store for store in self._stores}
        return problems + await _problems_of([
            finish_workbook(book, by_label[book.source.label])
            for book in self._workbooks
            if book.source.label not in self._spilled
        ])  # fmt: skip


def _check(setting: str, value: float, least: int) -> None:
    # Written so that it also refuses NaN.
    if not value >= least:
        raise StoreError(f"{setting} is {value}; it must be at least {least}")


async def _problems_of(work: Sequence[Awaitable[None]]) -> list[FocuscrawlError]:
    """Await all, and return the errors that a user can correct."""
    problems = []
    for result in map(named, await asyncio.gather(*work, return_exceptions=True)):
        if isinstance(result, FocuscrawlError):
            problems.append(result)
        elif result is not None:
            raise result
    return problems


def _answer(entry: _Waiting, results: Sequence[Result]) -> None:
    error = next((result for result in results if isinstance(result, StoreError)), None)
    if error is not None:
        # Of its own class: the stores work, and other records can be written.
        _fail(entry, RefusedRecordsError({0: error}, Written()))
    elif not entry.done.done():
        outcomes = [result for result in results if result and not isinstance(result, StoreError)]
        entry.done.set_result(Written.of(outcomes[:1]))


def _fail(entry: _Waiting, error: Exception) -> None:
    # A caller that was cancelled no longer waits.
    if not entry.done.done():
        entry.done.set_exception(error)
