"""A process beside the crawler, or several, for work that would hold up the event loop.

Reading prices and rendering workbooks is pure computing: in a thread it would take the
interpreter's lock from the crawl, in a process it takes another core. A process is started when
it is first needed, and ends with the program that started it, however that ends.
"""

from __future__ import annotations

import asyncio
import atexit
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from types import ModuleType
from typing import TypeVar

from focuscrawl.garbage import collect_rarely

_T = TypeVar("_T")
_pool: ProcessPoolExecutor | None = None
_most_processes = 1


def use_all_cores() -> None:
    """Let there be as many workers as cores, where one would be the limit; before the first work.

    Each is started when all others are busy.
    """
    global _most_processes
    _most_processes = os.cpu_count() or 1


async def in_worker(function: Callable[..., _T], *arguments: object) -> _T:
    """Return ``function(*arguments)``, computed in the worker.

    Function, arguments and result must be picklable; errors come back as they are. If the worker
    has died (killed for want of memory, say) the work is done in a thread instead.
    """
    loop = asyncio.get_running_loop()
    try:
        with _spawning():
            work = loop.run_in_executor(_started(), function, *arguments)
        return await work
    except BrokenProcessPool:
        stop_worker()
        return await asyncio.to_thread(function, *arguments)


def warm_up(function: Callable[[], object]) -> None:
    """Let the worker call ``function`` when it has nothing else to do, to load what it will need."""
    with _spawning():
        _started().submit(function)


def stop_worker() -> None:
    """End the worker as soon as a process of it is free; the next work starts another."""
    global _pool
    if _pool is None:
        return
    pool, _pool = _pool, None
    # Its modules need no orderly end, which would take longer than the rest of the shutdown.
    with suppress(RuntimeError):
        pool.submit(os._exit, 0)
    # Its thread closes the pipe by which the interpreter, ending meanwhile, would wake it.
    pool.shutdown()


def _started() -> ProcessPoolExecutor:
    global _pool
    if _pool is None:
        _pool = ProcessPoolExecutor(
            _most_processes, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare
        )
        atexit.register(stop_worker)
    return _pool


@contextmanager
def _spawning() -> Iterator[None]:
    # A process is spawned as work is given, and imports the main module of its parent: all of
    # Scrapy, for nothing.
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    # Ctrl-C goes to all processes, and the crawler decides what is still to be done: a worker has it
    # blocked from its first moment, the crawler gets what came meanwhile. The tracker of resources,
    # which every spawned process needs, would unblock it when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main


def _prepare() -> None:
    # What is read here can wait for a while; the crawl, which must keep its connections busy, cannot.
    os.nice(10)
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
