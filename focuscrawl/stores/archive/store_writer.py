"""One store of an archive: waits for it while it is away, and spills what it cannot take."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TypeVar

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import Record
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.store_protocol import Outcome, RefusedRecordsError, Store, Written
from focuscrawl.system.retry_with_backoff import retry_async

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
Result = Outcome | StoreError | None
"""What became of a record in one store; None is spilled."""

_REPLAY_BATCH = 100
_REPLAY_SECONDS = 5.0


class Lane:
    """Takes batches for one store, one at a time; reading may go on beside.

    The order of writes is kept: while anything is spilled, newer records are spilled too, and what
    is spilled is written to the store before anything newer.
    """

    def __init__(
        self,
        store: Store,
        spill: Spill,
        refused: Spill,
        *,
        retry_seconds: float,
        rest_seconds: float,
    ) -> None:
        self.store = store
        self.counts = Written()
        self._spill = spill
        self._refused = refused
        self._retry_seconds = retry_seconds
        self._rest_seconds = rest_seconds
        self._reason: StoreUnavailableError | None = None
        self._next_try = 0.0
        self._turn = asyncio.Lock()
        self.refused_file: Path | None = None
        """Where this run has set aside spilled records that the store refuses, if any."""

    @property
    def is_away(self) -> bool:
        """Whether records go to the spill file, because the store does not answer."""
        return self._reason is not None

    async def open(self, seconds: float) -> None:
        """Open the store; if it does not answer for some seconds, be ready to spill."""
        try:
            await _while_away(self.store.open, seconds)
        except StoreUnavailableError as error:
            await self._keep([], error)
            self._leave(error)

    async def load(self) -> None:
        """Write what earlier runs had to spill."""
        async with self._turn:
            if not self.is_away:
                try:
                    await self._replay()
                except StoreUnavailableError as error:
                    self._leave(error)

    async def write(self, records: Sequence[Record]) -> list[Result]:
        """Make the records durable: in the store, or in the spill file if it does not answer."""
        reason = None
        if await self._is_there():
            try:
                return await self._write_now(records, self._retry_seconds)
            except StoreUnavailableError as error:
                reason = error
        async with self._turn:
            reason = reason or self._reason or StoreUnavailableError("it was away just now")
            await self._keep(records, reason)
            self._leave(reason)
        return [None] * len(records)

    async def ask(self, question: Callable[[Store], Awaitable[_T]]) -> list[_T]:
        """Return the answer of the store as a list of one, or none if it does not answer."""
        if not await self._is_there():
            return []
        try:
            return [await _while_away(partial(question, self.store), self._retry_seconds)]
        except StoreUnavailableError as error:
            async with self._turn:
                self._leave(error)
            return []

    async def come_back(self) -> None:
        """Try at once whether a store that was away takes what is spilled."""
        self._next_try = 0.0
        await self._is_there()

    @property
    def spill_file(self) -> Path:
        """Where records wait that the store could not take."""
        return self._spill.path

    async def spilled(self) -> int:
        """Return how many records wait in the spill file."""
        return await asyncio.to_thread(self._spill.count)

    @property
    def damaged(self) -> tuple[int, Path]:
        """How many damaged lines of the spill file were set aside in this run, and where."""
        return self._spill.damaged, self._spill.damaged_path

    async def _is_there(self) -> bool:
        if not self.is_away:
            return True
        async with self._turn:
            if self.is_away and monotonic() >= self._next_try:
                await self._try_again()
            return not self.is_away

    async def _try_again(self) -> None:
        try:
            await self.store.open()
            await self._replay()
        except StoreUnavailableError:
            self._next_try = monotonic() + self._rest_seconds
        else:
            logger.info("%s is back", self.store.label)
            self._reason = None

    def _leave(self, error: StoreUnavailableError) -> None:
        if not self.is_away:
            logger.warning("%s; what it misses is kept in %s", error, self._spill.path)
            self._next_try = monotonic() + self._rest_seconds
        self._reason = error

    async def _keep(self, records: Sequence[Record], reason: StoreError) -> None:
        try:
            await asyncio.to_thread(self._spill.append, records)
        except StoreError as error:
            raise StoreError(f"{reason}; and {error}") from error

    async def _write_now(self, records: Sequence[Record], seconds: float) -> list[Result]:
        try:
            written = await _while_away(partial(self.store.write, records), seconds)
        except RefusedRecordsError as error:
            self.counts += error.written
            outcomes = error.written.outcomes
            return [error.refused.get(n, outcome) for n, outcome in enumerate(outcomes)]
        self.counts += written
        return list(written.outcomes)

    async def _replay(self) -> None:
        """Write what is spilled to the store, and forget it only when all of it is there."""
        if not self._spill.path.exists():
            return
        async with self._spill.held():
            records, count = self._spill.load(), 0
            while chunk := await asyncio.to_thread(list, islice(records, _REPLAY_BATCH)):
                results = await self._write_now(chunk, _REPLAY_SECONDS)
                await self._set_aside(chunk, results)
                count += len(chunk)
            await asyncio.to_thread(self._spill.clear)
        if self._spill.damaged:
            logger.error("%d damaged lines of spilled records are kept in %s", *self.damaged)
        if count:
            logger.info("%s: loaded %d records that were spilled", self.store.label, count)

    async def _set_aside(self, records: Sequence[Record], results: Sequence[Result]) -> None:
        """Keep spilled records that the store refuses; whoever wrote them was told that all is well."""
        pairs = list(zip(records, results, strict=True))
        refused = [record for record, result in pairs if isinstance(result, StoreError)]
        if refused:
            await asyncio.to_thread(self._refused.append, refused)
            self.refused_file = self._refused.path
            reason = next(result for result in results if isinstance(result, StoreError))
            logger.error(
                "%s (spilled records refused: %d, kept in %s)",
                reason,
                len(refused),
                self._refused.path,
            )


async def _while_away(work: Callable[[], Awaitable[_T]], seconds: float) -> _T:
    def report(error: BaseException) -> None:
        logger.warning("%s; trying again for %.0f s", error, seconds)

    return await retry_async(work, StoreUnavailableError, seconds, report)
