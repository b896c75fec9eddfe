"""Cache of values that take long to get and may be a minute old."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

_T = TypeVar("_T")


@dataclass(slots=True)
class _Entry:
    task: asyncio.Task[Any]
    since: float


class TimedCache:
    """Values by key, each kept for a number of seconds; of more than ``most``, the oldest leave.

    Who asks for a value that is being computed waits for the same one. Errors are not kept.
    """

    def __init__(
        self, seconds: float, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._entries: dict[Hashable, _Entry] = {}

    async def get(self, key: Hashable, compute: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Return the value of a key, which ``compute`` gives if there is none or it is too old."""
        entry = self._current(key)
        if entry is None:
            self._entries.pop(key, None)
            entry = _Entry(asyncio.create_task(compute()), self._clock())
            self._entries[key] = entry
            while len(self._entries) > self._most:
                self._entries.pop(next(iter(self._entries)))
        # Shielded, because a visitor who leaves must not end what others wait for.
        return await asyncio.shield(cast(Awaitable[_T], entry.task))

    def known(self, key: Hashable) -> Any:
        """Return the value of a key if it is there already, otherwise None."""
        entry = self._current(key)
        return entry.task.result() if entry and entry.task.done() else None

    def _current(self, key: Hashable) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is None or self._clock() - entry.since > self._seconds:
            return None
        task = entry.task
        has_failed = task.done() and (task.cancelled() or task.exception() is not None)
        return None if has_failed else entry
