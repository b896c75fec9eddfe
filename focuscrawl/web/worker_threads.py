"""A few threads for one kind of work, for which no other kind has to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_T = TypeVar("_T")


class WorkerThreads:
    """A number of threads, which are started when there is work."""

    def __init__(self, number: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)

    async def run(self, work: Callable[..., _T], *values: Any) -> _T:
        """Call a function in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *values)
