"""A process beside the crawler, or several, for work that would hold up the event loop.

Reading prices and rendering workbooks is pure computing: in a thread it would take the
interpreter's lock from the crawl, in a process it takes another core, and can be stopped. A process
is started when it is first needed, and ends with the program that started it, however that ends.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from focuscrawl.errors import PageLimitError, WorkerError
from focuscrawl.system.worker_process import Limits, WorkerDiedError, WorkerProcess

_T = TypeVar("_T")
_pool: _Pool | None = None
_most_processes = 1
_page_limits = Limits(seconds=20.0, memory=2 << 30)
# A process that has loaded all readers holds some 200 MB.
_TRIAL_LIMITS = Limits(seconds=8.0, memory=512 << 20)


def use_all_cores() -> None:
    """Let there be as many workers as cores, where one would be the limit; before the first work.

    Each is started when all others are busy.
    """
    global _most_processes
    _most_processes = os.cpu_count() or 1


def limit_pages(seconds: float, megabytes: float) -> None:
    """Set what :func:`read_in_worker` may take for a page: seconds of computing, memory in MB."""
    global _page_limits
    _page_limits = Limits(seconds, int(megabytes * (1 << 20)))


async def in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)``, computed in the worker, however long that takes.

    Function, arguments and result must be picklable; errors come back as they are. If the worker
    dies (killed for want of memory, say) another one tries once more. Raises
    :class:`~focuscrawl.errors.WorkerError` if that dies, too, or none can be started.
    """
    try:
        return await _in_worker(function, arguments, None)
    except WorkerDiedError:
        raise WorkerError(
            "the process beside the crawler was killed twice; is there memory left?"
        ) from None


async def try_in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)`` as :func:`read_in_worker` does, within closer limits.

    For a page that is suspected of being more than a parser can bear.
    """
    limits = Limits(
        seconds=min(_TRIAL_LIMITS.seconds, _page_limits.seconds),
        memory=min(_TRIAL_LIMITS.memory, _page_limits.memory),
    )
    return await _read_within(limits, function, arguments)


async def read_in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)`` as :func:`in_worker` does, within the limits for a page.

    Raises :class:`~focuscrawl.errors.PageLimitError` for a page that takes more, or of which two
    workers have died, and :class:`~focuscrawl.errors.WorkerError` if no worker can be started.
    """
    return await _read_within(_page_limits, function, arguments)


def warm_up(function: Callable[[], object]) -> None:
    """Let the worker call ``function`` when it has nothing else to do, to load what it will need."""
    pool = _started()
    pool.threads.submit(pool.run, function, (), None)


def stop_worker() -> None:
    """End the worker as soon as a process of it is free; the next work starts another."""
    global _pool
    if _pool is not None:
        pool, _pool = _pool, None
        pool.stop()


async def _read_within(
    limits: Limits, function: Callable[..., _T], arguments: tuple[object, ...]
) -> _T:
    try:
        return await _in_worker(function, arguments, limits)
    except WorkerDiedError:
        raise PageLimitError("reading ends its process") from None


async def _in_worker(
    function: Callable[..., _T], arguments: tuple[object, ...], limits: Limits | None
) -> _T:
    pool, loop = _started(), asyncio.get_running_loop()
    try:
        work = loop.run_in_executor(pool.threads, pool.run, function, arguments, limits)
    except RuntimeError as error:
        raise WorkerError(f"{error}: raise the limit of processes, or end other programs") from None
    return await work


def _started() -> _Pool:
    global _pool
    if _pool is None:
        _pool = _Pool(_most_processes)
        atexit.register(stop_worker)
    return _pool


class _Pool:
    """Processes, and as many threads that wait for them."""

    def __init__(self, size: int) -> None:
        self.threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        # The one that was busy last comes first: it has loaded most.
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()

    def run(
        self, function: Callable[..., _T], arguments: tuple[object, ...], limits: Limits | None
    ) -> _T:
        """Return the result of a task; a process that dies is replaced, and the task done again."""
        with suppress(WorkerDiedError):
            return self._run(function, arguments, limits)
        return self._run(function, arguments, limits)

    def _run(
        self, function: Callable[..., _T], arguments: tuple[object, ...], limits: Limits | None
    ) -> _T:
        process = self._take()
        try:
            result: _T = process.run(function, arguments, limits)
        except (PageLimitError, WorkerDiedError):
            process.kill()
            raise
        except BaseException:
            self._put_back(process)
            raise
        self._put_back(process)
        return result

    def _take(self) -> WorkerProcess:
        with suppress(queue.Empty):
            while process := self._idle.get_nowait():
                if process.is_alive:
                    return process
                process.kill()
        return WorkerProcess()

    def _put_back(self, process: WorkerProcess) -> None:
        # The next page is to have all the memory that a page may have.
        if process.holds() > _page_limits.memory // 2:
            process.kill()
        else:
            self._idle.put(process)

    def stop(self) -> None:
        """Wait for what is being done, and end all processes."""
        self.threads.shutdown()
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().kill()
