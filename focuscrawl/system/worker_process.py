"""One process beside the crawler that does one task at a time, and is watched while it does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from focuscrawl.errors import PageLimitError, WorkerError
from focuscrawl.system.garbage_collection import collect_rarely

_WATCH_SECONDS = 0.05
# A task that waits and computes nothing is ended after so many times its seconds.
_MOST_WALL_SECONDS = 10
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
# The main module is exchanged for a moment while a process is spawned.
_one_spawns = threading.Lock()


class Limits(NamedTuple):
    """What a task may take: seconds of computing, and bytes of memory of its process."""

    seconds: float
    memory: int


def memory_of(pid: int | str) -> int:
    """Return how many bytes of memory a process holds, 0 where the system does not tell."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_SIZE
    return 0


def peak_memory() -> int:
    """Return the most bytes of memory that this process has held, 0 where the system does not tell.

    ``getrusage`` would count what the program that started this one held, too.
    """
    with suppress(OSError, IndexError):
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10
    return 0


class WorkerDiedError(Exception):
    """A process that ended before it had done its task, for whatever reason."""


class WorkerProcess:
    """A process that was spawned and is ready; raises :class:`WorkerError` where none can be."""

    def __init__(self) -> None:
        try:
            with _one_spawns, _spawning():
                context = multiprocessing.get_context("spawn")
                self._connection, theirs = context.Pipe()
                self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
                self._process.start()
                theirs.close()
        except OSError as error:
            raise WorkerError(
                f"cannot start a process that reads pages ({error.strerror}): raise the limits of"
                " open files, processes and memory, or end other programs"
            ) from error
        try:
            self._connection.recv()
        except (EOFError, OSError):
            self.kill()
            raise WorkerError(
                "the process that reads pages ends as soon as it starts: is there memory left?"
            ) from None

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None
        return self._process.pid

    def run(
        self, function: Callable[..., Any], arguments: tuple[object, ...], limits: Limits | None
    ) -> Any:
        """Return ``function(*arguments)``, or raise what it has raised.

        Raises :class:`PageLimitError` for a task over its limits and :class:`WorkerDiedError` where
        the process ends; after both it must be killed.
        """
        try:
            self._connection.send((function, arguments))
            if limits:
                self._watch(limits)
            is_done, result = self._connection.recv()
        except (EOFError, ConnectionError):
            raise WorkerDiedError from None
        if is_done:
            return result
        raise result

    @property
    def is_alive(self) -> bool:
        """Whether it has not been killed."""
        return self._process.is_alive()

    def holds(self) -> int:
        """Return how many bytes of memory it holds, 0 where the system does not tell."""
        return memory_of(self.pid)

    def kill(self) -> None:
        """End it at once."""
        # Its modules need no orderly end.
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()

    def _watch(self, limits: Limits) -> None:
        """Return when the result is here; most tasks take less than one look."""
        begin, computed = time.monotonic(), 0.0
        while not self._connection.poll(_WATCH_SECONDS):
            if self.holds() > limits.memory:
                raise PageLimitError(f"reading needs over {limits.memory >> 20} MB")
            now = self._computed()
            computed = computed or now
            passed = time.monotonic() - begin
            # Wall-clock time says nothing of a task on a busy machine, or one that was suspended.
            taken = now - computed if now else passed
            if taken > limits.seconds or passed > _MOST_WALL_SECONDS * limits.seconds:
                raise PageLimitError(f"reading takes over {limits.seconds:g} s")

    def _computed(self) -> float:
        """Return the seconds of computing so far, 0 where the system does not tell."""
        with suppress(OSError, IndexError):
            # The name of the program, which may hold blanks, ends with a parenthesis.
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS
        return 0.0


@contextmanager
def _spawning() -> Iterator[None]:
    # A spawned process imports the main module of its parent: all of Scrapy, for nothing.
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    # Ctrl-C goes to all processes, and the crawler decides what is still to be done: a worker has it
    # blocked from its first moment. The tracker of resources, which every spawned process needs,
    # would unblock it when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main


def _serve(connection: Connection) -> None:
    # What is read here can wait for a while; the crawl, which must keep its connections busy, cannot.
    os.nice(10)
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    connection.send(None)
    while True:
        function, arguments = connection.recv()
        answer: tuple[bool, Any]
        try:
            answer = True, function(*arguments)
        except MemoryError:
            answer = False, PageLimitError("reading needs more memory than there is")
        # The caller gets it.
        except Exception as error:
            answer = False, error
        try:
            connection.send(answer)
        # What cannot be pickled says so in many ways.
        except Exception as error:
            connection.send((False, TypeError(f"{function.__name__}: {error}")))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
