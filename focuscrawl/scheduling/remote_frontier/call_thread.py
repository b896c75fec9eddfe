"""Thread that makes calls one after the other for an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")
_Call = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class CallThread:
    """Daemon thread: a call that takes forever does not keep the process from ending."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        Thread(target=self._run, name=name, daemon=True).start()

    async def run(self, call: Callable[[], _T]) -> _T:
        """Return the result of a call, made in the thread after all earlier ones."""
        future: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._calls.put((call, future))
        return await future

    def stop(self) -> None:
        """End the thread after the calls so far."""
        self._calls.put(None)

    def _run(self) -> None:
        while (item := self._calls.get()) is not None:
            call, future = item
            try:
                result = call()
            except BaseException as error:
                self._tell(future, future.set_exception, error)
            else:
                self._tell(future, future.set_result, result)

    def _tell(self, future: asyncio.Future[Any], tell: Callable[[Any], None], result: Any) -> None:
        def tell_if_wanted() -> None:
            if not future.done():
                tell(result)

        loop = future.get_loop()
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell_if_wanted)
