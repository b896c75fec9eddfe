"""Pool of worker processes for work that would block the event loop.

Reading prices and rendering workbooks are CPU-bound: a thread would compete with the crawl for the
GIL, while a process uses another core and can be killed. A process is started when it is first
needed, and ends with the program that started it, even if that is killed.
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
from focuscrawl.system.worker_process import TaskLimits, WorkerDiedError, WorkerProcess

_T = TypeVar("_T")
_pool: _Pool | None = None
_most_processes = 1
_page_limits = TaskLimits(seconds=20.0, memory=2 << 30)
# A process that has loaded all readers takes about 200 MB.
_TRIAL_LIMITS = TaskLimits(seconds=8.0, memory=512 << 20)


def use_all_cores() -> None:
    """Allow one worker per core instead of a single one; call this before the first task.

    A worker is started when all others are busy.
    """
    global _most_processes
    _most_processes = os.cpu_count() or 1


def limit_pages(seconds: float, megabytes: float) -> None:
    """Set the limits of :func:`read_in_worker` per page: CPU time in seconds, memory in MB."""
    global _page_limits
    _page_limits = TaskLimits(seconds, int(megabytes * (1 << 20)))


async def in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)``, computed in a worker without a time limit.

    Function, arguments and result must be picklable; exceptions are raised here. If the worker dies
    (out of memory, for example), the task is retried once in another one. Raises
    :class:`~focuscrawl.errors.WorkerError` if that dies, too, or none can be started.
    """
    try:
        return await _in_worker(function, arguments, None)
    except WorkerDiedError:
        raise WorkerError(
            "the worker process was killed twice; end other programs to free memory"
        ) from None


async def try_in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)`` like :func:`read_in_worker`, with tighter limits.

    For pages that may be too much for a parser.
    """
    limits = TaskLimits(
        seconds=min(_TRIAL_LIMITS.seconds, _page_limits.seconds),
        memory=min(_TRIAL_LIMITS.memory, _page_limits.memory),
    )
    return await _read_within(limits, function, arguments)


async def read_in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)`` like :func:`in_worker`, within the limits for a page.

    Raises :class:`~focuscrawl.errors.PageLimitError` for a page that exceeds them, or on which two
    workers died, and :class:`~focuscrawl.errors.WorkerError` if no worker can be started.
    """
    return await _read_within(_page_limits, function, arguments)


def warm_up(function: Callable[[], object]) -> None:
    """Call ``function`` in the only worker, to import modules before they are needed.

    Of several, another one might be idle when they are.
    """
    if _most_processes == 1:
        pool = _started()
        pool.threads.submit(pool.run, function, (), None)


def stop_worker() -> None:
    """Stop all workers once they are idle; the next task starts a new one."""
    global _pool
    if _pool is not None:
        pool, _pool = _pool, None
        pool.stop()


async def _read_within(
    limits: TaskLimits, function: Callable[..., _T], arguments: tuple[object, ...]
) -> _T:
    try:
        return await _in_worker(function, arguments, limits)
    except WorkerDiedError:
        raise PageLimitError("reading ends its process") from None


async def _in_worker(
    function: Callable[..., _T], arguments: tuple[object, ...], limits: TaskLimits | None
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
    """Worker processes, and one waiting thread per process."""

    def __init__(self, size: int) -> None:
        self.threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        # Last in, first out: the process used last has most modules loaded.
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()

    def run(
        self, function: Callable[..., _T], arguments: tuple[object, ...], limits: TaskLimits | None
    ) -> _T:
        """Return the result of a task; if its process dies, retry in a new one."""
        with suppress(WorkerDiedError):
            return self._run(function, arguments, limits)
        return self._run(function, arguments, limits)

    def _run(
        self, function: Callable[..., _T], arguments: tuple[object, ...], limits: TaskLimits | None
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
        # So that the next page has the full memory limit available.
        if process.holds() > _page_limits.memory // 2:
            process.kill()
        else:
            self._idle.put(process)

    def stop(self) -> None:
        """Wait for running tasks, and end all processes."""
        self.threads.shutdown()
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().kill()
