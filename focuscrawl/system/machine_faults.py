"""Faults of the machine: what fails for want of files, memory or disk is no fault of a page."""

from __future__ import annotations

import errno
import os
import socket
import sqlite3
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

from focuscrawl.errors import MachineError

_DISK_FULL = "the disk is full: free some space"
_DISK_FAILS = "a disk fails: look at it and at the system's log"
_NO_MEMORY = "memory is used up: end other programs or lower CONCURRENT_REQUESTS"
_NO_FILES = (
    "the limit of open files is reached: raise it (ulimit -n 1024) or lower CONCURRENT_REQUESTS"
)
_SENTENCES = {
    errno.EMFILE: _NO_FILES,
    errno.ENFILE: "the whole system has too many files open: end other programs",
    errno.ENOMEM: _NO_MEMORY,
    errno.ENOBUFS: "the system has no buffers left: lower CONCURRENT_REQUESTS",
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: "the disk quota is used up: free some space",
    errno.EFBIG: "a file may not grow any more: raise the limit of file sizes (ulimit -f)",
    errno.EIO: _DISK_FAILS,
    errno.EROFS: "the file system is read-only: mount it for writing",
}
# https://www.sqlite.org/rescode.html (primary codes)
_SQLITE_SENTENCES = {
    7: _NO_MEMORY,
    10: _DISK_FAILS,
    13: _DISK_FULL,
    14: "a database cannot be opened: look at its folder's rights and the limit of open files",
}
_NO_THREAD = "can't start new thread"


def machine_fault(error: BaseException | None) -> MachineError | None:
    """Return a sentence with a remedy where an error, or what caused it, is the machine's fault."""
    for one in _causes(error):
        if isinstance(one, MachineError):
            return one
        if sentence := _sentence(one):
            words = " ".join(str(one).split()) or type(one).__name__
            return MachineError(f"{sentence} ({words})")
    return None


def named(error: BaseException | None) -> BaseException | None:
    """Return the :class:`MachineError` of an error, the error itself where the machine is well."""
    return machine_fault(error) or error


def shortage() -> MachineError | None:
    """Return what is wrong if not even a file can be opened now.

    The system's name resolution does not say why it has found nothing.
    """
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return machine_fault(error)
    return None


def _sentence(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    if isinstance(error, BrokenExecutor):
        return "a worker process died: look for what kills processes, want of memory most often"
    if isinstance(error, sqlite3.Error):
        return _SQLITE_SENTENCES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return "no more threads can be started: raise the limit of processes (ulimit -u)"
    return _SENTENCES.get(_number(error))


def _number(error: BaseException) -> int:
    """Return the number of an operating system's error, 0 where there is none."""
    # Name resolution has numbers of its own. Twisted keeps the system's in `osError`.
    is_other = isinstance(error, socket.gaierror)
    number = None if is_other else getattr(error, "osError", getattr(error, "errno", None))
    return number if isinstance(number, int) else 0


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that it names as a cause, each once.

    Twisted names causes in ``reasons`` and ``subFailure``, and wraps them in failures, which hold
    them in ``value``.
    """
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        one = waiting.pop()
        # Twisted's failures are exceptions, too.
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, *(getattr(one, name, None) for name in ("value", "subFailure"))]
        waiting += [cause for name in ("reasons", "exceptions") for cause in _listed(one, name)]


def _listed(error: object, name: str) -> list[object]:
    found = getattr(error, name, None)
    return list(found) if isinstance(found, list | tuple) else []
