"""Retries of work on a database that may be unavailable for a while."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TypeVar

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.database_copies import CopyStore, open_existing
from focuscrawl.system.retry_with_backoff import retry_async

_T = TypeVar("_T")
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
