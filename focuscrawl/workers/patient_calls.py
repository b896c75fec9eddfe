"""Calls of a server, made in a thread and repeated while it does not respond."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.system.retry_with_backoff import retry

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


logger = logging.getLogger(__name__)

# In seconds: the longest pause between two attempts, and how long a server is waited for while the
# crawl is being closed.
_LONGEST_PAUSE = 5.0
_LAST_WAIT = 10.0


class PatientCalls:
    """Waits for a server for some seconds, less if the crawl is being closed."""

    def __init__(self, seconds: float, is_closing: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._is_closing = is_closing
        self._give_up_at: float | None = None

    def attempt(self, call: Callable[[], _T]) -> _T:
        """Return the result of a call, which is repeated while the server does not respond."""
        return retry(call, self._may_wait, self._seconds, _LONGEST_PAUSE, self._report)

    def _may_wait(self, error: BaseException) -> bool:
        if not isinstance(error, FrontierUnavailableError):
            return False
        if self._give_up_at is None and self._is_closing():
            self._give_up_at = monotonic() + _LAST_WAIT
        return self._give_up_at is None or monotonic() < self._give_up_at

    def _report(self, error: BaseException) -> None:
        logger.warning("%s; waiting for it for %.0f s", error, self._seconds)


class PatientStream(Iterator[_T]):
    """Entries that a server streams, from the first one again after an error.

    A generator that has raised an error is over: a repeated call would take it for the end.
    """

    def __init__(self, begin: Callable[[], Iterator[_T]]) -> None:
        self._begin = begin
        self._entries = begin()

    def __next__(self) -> _T:
        """Return the next entry."""
        try:
            return next(self._entries)
        except FrontierUnavailableError:
            self._entries = self._begin()
            raise
