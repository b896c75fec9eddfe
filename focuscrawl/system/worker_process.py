"""Worker process that runs one task at a time, within limits of time and memory."""

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
from focuscrawl.system.processes import collect_rarely

_WATCH_SECONDS = 0.05
# A task that waits without computing is killed after this multiple of its seconds.
_MOST_WALL_SECONDS = 10
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
# The main module is replaced while a process is spawned.
_one_spawns = threading.Lock()


class TaskLimits(NamedTuple):
    """Limits of a task: seconds of CPU time, and bytes of memory of its process."""

    seconds: float
    memory: int


def memory_of(pid: int | str) -> int:
    """Return the resident memory of a process in bytes, 0 if the system does not report it."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_SIZE
    return 0


def peak_memory() -> int:
    """Return the peak memory of this process in bytes, 0 if the system does not report it.

    ``getrusage`` would include the memory of the program that started this one.
    """
    with suppress(OSError, IndexError):
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10
    return 0


class WorkerDiedError(Exception):
    """A worker process that ended before its task was done."""


class WorkerProcess:
    """A spawned process that is ready for tasks; raises :class:`WorkerError` if none can be started."""

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
                f"cannot start a worker process ({error.strerror}): raise the limits of"
                " open files, processes and memory, or end other programs"
            ) from error
        try:
            self._connection.recv()
        except (EOFError, OSError):
            self.kill()
            raise WorkerError(
                "a worker process ends as soon as it starts; end other programs to free memory"
            ) from None

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    def run(
        self, function: Callable[..., Any], arguments: tuple[object, ...], limits: TaskLimits | None
    ) -> Any:
        """Return ``function(*arguments)``, or raise the exception that it raised.

        Raises :class:`PageLimitError` for a task over its limits and :class:`WorkerDiedError` if the
        process ends; after either, it must be killed.
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
        """True if the process was not killed."""
        return self._process.is_alive()

    def holds(self) -> int:
        """Return the memory of the process in bytes, 0 if the system does not report it."""
        return memory_of(self.pid)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()

    def _watch(self, limits: TaskLimits) -> None:
        """Wait for the result; most tasks take less than one polling interval."""
        begin, computed = time.monotonic(), 0.0
        while not self._connection.poll(_WATCH_SECONDS):
            if self.holds() > limits.memory:
                raise PageLimitError(f"reading needs over {limits.memory >> 20} MB")
            now = self._computed()
            computed = computed or now
            passed = time.monotonic() - begin
            # CPU time, since wall-clock time is misleading on a busy or suspended machine.
            taken = now - computed if now else passed
            if taken > limits.seconds or passed > _MOST_WALL_SECONDS * limits.seconds:
                raise PageLimitError(f"reading takes over {limits.seconds:g} s")

    def _computed(self) -> float:
        """Return the CPU time so far in seconds, 0 if the system does not report it."""
        with suppress(OSError, IndexError):
            # The name of the program, which may contain blanks, ends with a parenthesis.
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS
        return 0.0


@contextmanager
def _spawning() -> Iterator[None]:
    # A spawned process imports the main module of its parent, which needlessly loads all of Scrapy.
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    # Ctrl-C reaches all processes, but the crawler decides what to finish, so workers are started
    # with SIGINT blocked. The resource tracker, which every spawned process needs, would unblock it
    # when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main


def _serve(connection: Connection) -> None:
    # Lower priority than the crawl, which must keep its connections busy.
    os.nice(10)
    # One core a worker: the threads of NumPy's OpenBLAS, one for each core, cost more to start than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # The parent may end at any moment, also between two tasks.
    with suppress(EOFError, ConnectionError):
        connection.send(None)
        while True:
            _answer(connection, *connection.recv())


def _answer(
    connection: Connection, function: Callable[..., Any], arguments: tuple[object, ...]
) -> None:
    answer: tuple[bool, Any]
    try:
        answer = True, function(*arguments)
    except MemoryError:
        answer = False, PageLimitError("reading needs more memory than there is")
    # Any exception is passed to the caller.
    except Exception as error:
        answer = False, error
    try:
        connection.send(answer)
    # Unpicklable results raise many kinds of exceptions.
    except Exception as error:
        connection.send((False, TypeError(f"{function.__name__}: {error}")))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
