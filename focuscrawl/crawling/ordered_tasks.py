"""Tasks that work side by side, and pass one point in the order in which they began."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Turns:
    """Keeps an order: pages are read side by side, and judged in the order in which they came."""

    def __init__(self) -> None:
        self._last = asyncio.Event()
        self._last.set()

    @asynccontextmanager
    async def queue(self) -> AsyncIterator[Callable[[], Awaitable[object]]]:
        """Join the queue; yield a function that waits until all who joined earlier have left.

        A task that leaves without waiting, after an error for example, does not let the next one
        pass those that are still before it.
        """
        before, self._last = self._last, asyncio.Event()
        mine = self._last
        try:
            yield before.wait
        finally:
            try:
                await before.wait()
            finally:
                mine.set()
