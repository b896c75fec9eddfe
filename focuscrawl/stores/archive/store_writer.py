"""One store of an archive: retried while it is unavailable, with a spill file for its records."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Protocol, TypeVar

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import Record
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.store_protocol import (
    Outcome,
    RefusedRecordsError,
    StoreReader,
    StoreWriter,
    Written,
)
from focuscrawl.system.retry_with_backoff import retry_async

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
Result = Outcome | StoreError | None
"""The effect of writing a record to one store; None if it was spilled."""

_REPLAY_BATCH = 100
_REPLAY_SECONDS = 5.0


class ArchivableStore(StoreWriter, StoreReader, Protocol):
    """The part of a store that an archive needs: a crawl writes to it, and asks what it holds."""


class SpillingStore:
    """A store whose records go to a spill file while it is unavailable.

    Writes one batch at a time; reads may run at the same time. Writes stay in order: while
    anything is spilled, newer records are spilled too, and spilled records are written to the
    store before newer ones.
    """

    def __init__(
        self,
        store: ArchivableStore,
        spill: Spill,
        refused: Spill,
        *,
        retry_seconds: float,
        rest_seconds: float,
    ) -> None:
        self._store = store
        self.counts = Written()
        self._spill = spill
        self._refused = refused
        self._retry_seconds = retry_seconds
        self._pause_seconds = rest_seconds
        self._reason: StoreUnavailableError | None = None
        self._next_try = 0.0
        self._write_lock = asyncio.Lock()
        self.refused_file: Path | None = None
        """File of the spilled records that the store refused in this run, if any."""

    @property
    def label(self) -> str:
        """The store's URL without password."""
        return self._store.label

    @property
    def is_away(self) -> bool:
        """Whether records go to the spill file, because the store does not answer."""
        return self._reason is not None

    async def open(self, seconds: float) -> None:
        """Open the store; if it does not answer for some seconds, make sure that records can be spilled."""
        try:
            await _retried(self._store.open, seconds)
        except StoreUnavailableError as error:
            await self._spill_records([], error)
            self._set_unavailable(error)

    async def load(self) -> None:
        """Write the records that earlier runs spilled."""
        async with self._write_lock:
            if not self.is_away:
                try:
                    await self._replay()
                except StoreUnavailableError as error:
                    self._set_unavailable(error)

    async def write(self, records: Sequence[Record]) -> list[Result]:
        """Make the records durable: in the store, or in the spill file if it does not answer."""
        reason = None
        if await self._is_available():
            try:
                return await self._write_now(records, self._retry_seconds)
            except StoreUnavailableError as error:
                reason = error
        async with self._write_lock:
            reason = reason or self._reason or StoreUnavailableError("it was unavailable")
            await self._spill_records(records, reason)
            self._set_unavailable(reason)
        return [None] * len(records)

    async def ask(self, question: Callable[[ArchivableStore], Awaitable[_T]]) -> list[_T]:
        """Return the answer of the store as a list of one, or none if it does not answer."""
        if not await self._is_available():
            return []
        try:
            return [await _retried(partial(question, self._store), self._retry_seconds)]
        except StoreUnavailableError as error:
            async with self._write_lock:
                self._set_unavailable(error)
            return []

    async def reopened(self, work: Callable[[ArchivableStore], Awaitable[_T]]) -> _T:
        """Return the result of work on the store, which is open for it only."""
        try:
            await self._store.open()
            return await work(self._store)
        finally:
            await self._store.close()

    async def close(self) -> None:
        """Close the store."""
        await self._store.close()

    async def reconnect(self) -> None:
        """Retry a store that was unavailable at once, and write the spilled records to it.

        Those of other programs as well, which may have been killed.
        """
        self._next_try = 0.0
        if await self._is_available():
            await self.load()

    @property
    def spill_file(self) -> Path:
        """File of the records that could not be written to the store."""
        return self._spill.path

    async def spilled(self) -> int:
        """Return the number of records in the spill file."""
        return await asyncio.to_thread(self._spill.count)

    @property
    def damaged(self) -> tuple[int, Path]:
        """Number of damaged lines of the spill file moved aside in this run, and the file with them."""
        return self._spill.damaged, self._spill.damaged_path

    async def _is_available(self) -> bool:
        if not self.is_away:
            return True
        async with self._write_lock:
            if self.is_away and monotonic() >= self._next_try:
                await self._retry()
            return not self.is_away

    async def _retry(self) -> None:
        try:
            await self._store.open()
            await self._replay()
        except StoreUnavailableError:
            self._next_try = monotonic() + self._pause_seconds
        else:
            logger.info("%s is available again", self._store.label)
            self._reason = None

    def _set_unavailable(self, error: StoreUnavailableError) -> None:
        if not self.is_away:
            logger.warning("%s; its records go to %s meanwhile", error, self._spill.path)
            self._next_try = monotonic() + self._pause_seconds
        self._reason = error

    async def _spill_records(self, records: Sequence[Record], reason: StoreError) -> None:
        try:
            await asyncio.to_thread(self._spill.append, records)
        except StoreError as error:
            raise StoreError(f"{reason}; and {error}") from error

    async def _write_now(self, records: Sequence[Record], seconds: float) -> list[Result]:
        try:
            written = await _retried(partial(self._store.write, records), seconds)
        except RefusedRecordsError as error:
            self.counts += error.written
            outcomes = error.written.outcomes
            return [error.refused.get(n, outcome) for n, outcome in enumerate(outcomes)]
        self.counts += written
        return list(written.outcomes)

    async def _replay(self) -> None:
        """Write the spilled records to the store, and delete the file only when all are written."""
        if not self._spill.path.exists():
            return
        async with self._spill.loading():
            count = await self._write_spilled(self._spill.load())
            # Other programs may have spilled more meanwhile.
            while not await asyncio.to_thread(self._spill.clear):
                count += await self._write_spilled(self._spill.load_more())
        if self._spill.damaged:
            logger.error("%d damaged lines of spilled records were moved to %s", *self.damaged)
        if count:
            logger.info("%s: loaded %d spilled records", self._store.label, count)

    async def _write_spilled(self, records: Iterator[Record]) -> int:
        count = 0
        while chunk := await asyncio.to_thread(list, islice(records, _REPLAY_BATCH)):
            results = await self._write_now(chunk, _REPLAY_SECONDS)
            await self._set_aside(chunk, results)
            count += len(chunk)
        return count

    async def _set_aside(self, records: Sequence[Record], results: Sequence[Result]) -> None:
        """Save spilled records that the store refuses: their writer was told that they are durable."""
        pairs = list(zip(records, results, strict=True))
        refused = [record for record, result in pairs if isinstance(result, StoreError)]
        if refused:
            await asyncio.to_thread(self._refused.append, refused)
            self.refused_file = self._refused.path
            reason = next(result for result in results if isinstance(result, StoreError))
            logger.error(
                "%s (spilled records refused: %d, saved to %s)",
                reason,
                len(refused),
                self._refused.path,
            )


async def _retried(work: Callable[[], Awaitable[_T]], seconds: float) -> _T:
    """Retry with exponential back-off on StoreUnavailableError, for some seconds."""

    def report(error: BaseException) -> None:
        logger.warning("%s; retrying for %.0f s", error, seconds)

    return await retry_async(work, StoreUnavailableError, seconds, report)


async def gather_all(work: Sequence[Awaitable[_T]]) -> list[_T]:
    """Await all, then raise the first error if any: nothing is left running."""
    results = await asyncio.gather(*work, return_exceptions=True)
    done: list[_T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done
