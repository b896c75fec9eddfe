"""Transfer between two databases: copy the rows that differ, then compare all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from focuscrawl.errors import FocuscrawlError, StoreError, StoreUnavailableError
from focuscrawl.stores.database_copies import COPIED, CopyStore, Line, line_of, open_existing
from focuscrawl.stores.records.batch_changes import Prepared, RecordKind
from focuscrawl.stores.store_protocol import RefusedRecordsError
from focuscrawl.system.retry_with_backoff import retry_async
from focuscrawl.transfer.transfer_ledger import Ledger

_T = TypeVar("_T")
_NAMED = 5
"""Keys of wrong rows that are named."""


@dataclass(slots=True)
class Difference:
    """Result of a comparison: counts of equal rows, rows only in the target, and wrong rows.

    ``named`` has the keys of the first wrong ones.
    """

    alike: int = 0
    others: int = 0
    wrong: int = 0
    named: list[str] = field(default_factory=list)

    def add_wrong(self, key: str) -> None:
        """Count a row of the source that is missing in the target or differs there."""
        self.wrong += 1
        if len(self.named) < _NAMED:
            self.named.append(key)


async def compare(source: AsyncIterator[Line], target: AsyncIterator[Line]) -> Difference:
    """Compare two streams of key and MD5, both ordered by key."""
    found = Difference()
    theirs = await anext(target, None)
    async for key, digest in source:
        while theirs is not None and theirs[0] < key:
            found.others += 1
            theirs = await anext(target, None)
        if theirs == (key, digest):
            found.alike += 1
        else:
            found.add_wrong(key)
        if theirs is not None and theirs[0] == key:
            theirs = await anext(target, None)
    while theirs is not None:
        found.others += 1
        theirs = await anext(target, None)
    return found


# A stream that fails this often at the same place would fail forever.
_TRIES = 5


class Patience:
    """Retries work for some seconds, on a new connection, while a store is unavailable."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def open(self, store: CopyStore) -> None:
        """Open a store."""
        await self._retried(store.open)

    async def open_existing(self, store: CopyStore) -> None:
        """Open a store whose database must be there."""
        await self._retried(partial(open_existing, store))

    async def do(self, store: CopyStore, work: Callable[[], Awaitable[_T]]) -> _T:
        """Return the result of ``work``, which uses ``store`` and must be harmless when repeated."""
        try:
            return await work()
        except StoreUnavailableError:
            return await self._retried(partial(_reconnected, store, work))

    async def stream(
        self,
        store: CopyStore,
        begin: Callable[[str | None], AsyncGenerator[list[_T], None]],
        key: Callable[[_T], str],
        after: str | None = None,
    ) -> AsyncGenerator[list[_T], None]:
        """Stream what ``begin`` yields after a key; a stream that fails is resumed after its last key."""
        failures = 0
        while True:
            try:
                async with aclosing(begin(after)) as batches:
                    async for batch in batches:
                        yield batch
                        after, failures = key(batch[-1]), 0
                return
            except StoreUnavailableError:
                failures += 1
                if failures == _TRIES:
                    raise
                await self.open(store)

    async def _retried(self, work: Callable[[], Awaitable[_T]]) -> _T:
        return await retry_async(work, StoreUnavailableError, self._seconds)


async def _reconnected(store: CopyStore, work: Callable[[], Awaitable[_T]]) -> _T:
    await store.open()
    return await work()


Show = Callable[[str, int, int], None]
"""Callback for the progress: the current step, the rows done, and all rows of the step."""


class TransferError(FocuscrawlError):
    """The two databases do not hold the same after a transfer."""


@dataclass(slots=True)
class TransferOutcome:
    """Result of a transfer for the records of one kind.

    ``rows`` counts those of the source, ``written`` those that the target lacked or that differed
    there, ``others`` those that only the target has. ``wrong`` counts the rows that differ after
    the transfer, and ``named`` has the first of their keys; ``refused`` has the reasons why the
    target refused some.
    """

    kind: RecordKind
    rows: int = 0
    written: int = 0
    others: int = 0
    wrong: int = 0
    named: list[str] = field(default_factory=list)
    refused: list[StoreError] = field(default_factory=list)


class Transfer:
    """Copies all records from one database to another, with all columns.

    Rows are copied in the order of their keys, in batches, while the next batch is read; rows that
    are equal in the target are skipped. A transfer that was killed is resumed. Databases that are
    unavailable are retried.
    """

    def __init__(
        self, source: CopyStore, target: CopyStore, ledger: Ledger, patience: Patience, show: Show
    ) -> None:
        if source.label == target.label:
            raise StoreError(f"{source.label} is source and target; name another target")
        self._source, self._target = source, target
        self._ledger, self._patience, self._show = ledger, patience, show

    async def run(self) -> list[TransferOutcome]:
        """Copy, then compare. Raises TransferError, with the first rows, if the target differs."""
        await self._patience.open_existing(self._source)
        await self._patience.open(self._target)
        outcomes, is_resumed = await self._attempt()
        if is_resumed and any(outcome.wrong for outcome in outcomes):
            # Another program has changed either database since the transfer that this one resumes.
            outcomes, _ = await self._attempt()
        self._demand_equality(outcomes)
        return outcomes

    async def _attempt(self) -> tuple[list[TransferOutcome], bool]:
        self._ledger.open()
        is_done = False
        try:
            is_resumed = self._ledger.is_begun
            outcomes = [await self._copied(kind) for kind in COPIED]
            for outcome in outcomes:
                await self._compare(outcome, is_resumed)
            # Equal or not: after a comparison there is nothing left to resume.
            is_done = True
            return outcomes, is_resumed
        finally:
            self._ledger.close(is_done=is_done)

    async def _copied(self, kind: RecordKind) -> TransferOutcome:
        outcome = TransferOutcome(kind)
        total = await self._count(self._source, kind)
        is_empty = not await self._count(self._target, kind)
        if is_empty and total:
            await self._patience.do(self._target, partial(self._target.begin_many, kind))
        async with aclosing(self._read_ahead(kind)) as batches:
            async for batch, lines in batches:
                await self._put(outcome, batch, lines, is_empty)
                self._ledger.add(kind.table, lines)
                outcome.rows += len(batch)
                self._show(f"copying {kind.table}", outcome.rows, total)
        await self._patience.do(self._target, partial(self._target.end_many, kind))
        return outcome

    async def _read_ahead(
        self, kind: RecordKind
    ) -> AsyncGenerator[tuple[list[Prepared], list[Line]], None]:
        """Read the next batch while the previous one is written."""
        after = self._ledger.last(kind.table)
        begin = partial(self._source.copies, kind)
        stream = self._patience.stream(self._source, begin, lambda entry: entry.key, after)
        async with aclosing(stream) as batches:
            reading = asyncio.ensure_future(_next(batches))
            try:
                while (found := await reading) is not None:
                    reading = asyncio.ensure_future(_next(batches))
                    yield found
            finally:
                reading.cancel()
                await asyncio.wait([reading])

    async def _put(
        self,
        outcome: TransferOutcome,
        batch: Sequence[Prepared],
        lines: Sequence[Line],
        is_empty: bool,
    ) -> None:
        kind, target = outcome.kind, self._target
        held: dict[str, str] = {}
        if not is_empty:
            keys = [entry.key for entry in batch]
            held = dict(await self._patience.do(target, partial(target.digests_of, kind, keys)))
        given = dict(lines)
        differing = [entry for entry in batch if held.get(entry.key) != given[entry.key]]
        if not differing:
            return
        replaced = {entry.key for entry in differing} & held.keys()
        try:
            await self._patience.do(target, partial(target.copy, kind, differing, replaced))
        except RefusedRecordsError as error:
            outcome.refused += list(error.refused.values())
            outcome.written -= len(error.refused)
        outcome.written += len(differing)

    async def _compare(self, outcome: TransferOutcome, is_resumed: bool) -> None:
        kind = outcome.kind
        there = await self._count(self._target, kind)
        if not (is_resumed or outcome.written or outcome.refused):
            # All rows of both databases have just been read, and were equal.
            outcome.others = there - outcome.rows
        else:
            ours = self._digests(self._source, kind) if is_resumed else self._noted(kind)
            theirs = self._digests(self._target, kind, f"checking {kind.table}", there)
            async with aclosing(ours), aclosing(theirs):
                found = await compare(ours, theirs)
            outcome.rows, outcome.others = found.alike + found.wrong, found.others
            outcome.wrong, outcome.named = found.wrong, found.named
        here = await self._count(self._source, kind)
        if here != outcome.rows:
            raise TransferError(
                f"{self._source.label} had {outcome.rows} rows of {kind.table} and has {here} now; "
                "stop the programs that write to it, and transfer again"
            )

    async def _digests(
        self, store: CopyStore, kind: RecordKind, words: str = "", total: int = 0
    ) -> AsyncGenerator[Line, None]:
        count = 0
        begin = partial(store.digests, kind)
        async with aclosing(self._patience.stream(store, begin, lambda line: line[0])) as batches:
            async for batch in batches:
                for line in batch:
                    yield line
                count += len(batch)
                if words:
                    self._show(words, count, total)

    async def _noted(self, kind: RecordKind) -> AsyncGenerator[Line, None]:
        for line in self._ledger.lines(kind.table):
            yield line

    async def _count(self, store: CopyStore, kind: RecordKind) -> int:
        return await self._patience.do(store, partial(store.count, kind))

    def _demand_equality(self, outcomes: Sequence[TransferOutcome]) -> None:
        refused = [error for outcome in outcomes for error in outcome.refused]
        if refused:
            raise TransferError(
                f"{len(refused)} records are not in {self._target.label}: {refused[0]}"
            )
        wrong = sum(outcome.wrong for outcome in outcomes)
        if wrong:
            named = [f"{o.kind.table} {key}" for o in outcomes for key in o.named]
            raise TransferError(
                f"{wrong} rows of {self._target.label} differ from those of {self._source.label}, first "
                f"{', '.join(named[:5])}; stop the programs that write to either, and transfer again"
            )


async def _next(
    batches: AsyncIterator[list[Prepared]],
) -> tuple[list[Prepared], list[Line]] | None:
    batch = await anext(batches, None)
    if batch is None:
        return None
    return batch, await asyncio.to_thread(lambda: list(map(line_of, batch)))
