"""Faults of the machine: errors caused by a lack of files, memory or disk, not by a page."""

from __future__ import annotations

import errno
import os
import socket
import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from typing import Any

from focuscrawl.errors import MachineError

# Plain sentences on values that pydantic refuses, with what to write instead.

_REASONS = {
    "int_": "write a whole number",
    "float_": "write a number",
    "bool_": "write true or false",
    "literal_error": "write {expected}",
    "greater_than_equal": "write at least {ge:g}",
    "less_than_equal": "write at most {le:g}",
}


def plain_reason(error: Mapping[str, Any]) -> str:
    """Return what is wrong by the details of one error of pydantic's ValidationError."""
    reasons = (text for start, text in _REASONS.items() if error["type"].startswith(start))
    reason = next(reasons, "").format(**error.get("ctx", {}))
    return reason or str(error["msg"]).removeprefix("Value error, ")


_DISK_FULL = "the disk is full: free some space"
_DISK_FAILS = "a disk fails: check it and the system log"
_NO_MEMORY = "out of memory: end other programs or lower CONCURRENT_REQUESTS"
_NO_FILES = (
    "the limit of open files is reached: raise it (ulimit -n 1024) or lower CONCURRENT_REQUESTS"
)
_SENTENCES = {
    errno.EMFILE: _NO_FILES,
    errno.ENFILE: "the system has too many open files: end other programs",
    errno.ENOMEM: _NO_MEMORY,
    errno.ENOBUFS: "the system has no buffers left: lower CONCURRENT_REQUESTS",
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: "the disk quota is exceeded: free some space",
    errno.EFBIG: "a file has reached the size limit: raise it (ulimit -f)",
    errno.EIO: _DISK_FAILS,
    errno.EROFS: "the file system is read-only: mount it for writing",
}
# https://www.sqlite.org/rescode.html (primary codes)
_SQLITE_SENTENCES = {
    7: _NO_MEMORY,
    10: _DISK_FAILS,
    13: _DISK_FULL,
    14: "a database cannot be opened: check the permissions of its folder and the limit of open files",
}
_NO_THREAD = "can't start new thread"


def machine_fault(error: BaseException | None) -> MachineError | None:
    """Return an error with a remedy if an error or one of its causes is the machine's fault, else None."""
    for one in _causes(error):
        if isinstance(one, MachineError):
            return one
        if sentence := _sentence(one):
            words = " ".join(str(one).split()) or type(one).__name__
            return MachineError(f"{sentence} ({words})")
    return None


def named(error: BaseException | None) -> BaseException | None:
    """Return the :class:`MachineError` of an error, or the error itself if the machine is not at fault."""
    return machine_fault(error) or error


def shortage() -> MachineError | None:
    """Return the machine's fault if no file can be opened now, else None.

    Needed because the system's name resolution fails without saying why.
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
        return "a worker process died: find out what kills processes, most often a lack of memory"
    if isinstance(error, sqlite3.Error):
        return _SQLITE_SENTENCES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return "no thread can be started: raise the limit of processes (ulimit -u)"
    return _SENTENCES.get(_number(error))


def _number(error: BaseException) -> int:
    """Return the errno of an error, 0 if it has none."""
    # Name resolution has other numbers. Twisted keeps the errno in `osError`.
    is_other = isinstance(error, socket.gaierror)
    number = None if is_other else getattr(error, "osError", getattr(error, "errno", None))
    return number if isinstance(number, int) else 0


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all of its causes, each once.

    Twisted keeps causes in ``reasons`` and ``subFailure``, wrapped in failures, which have them as
    ``value``.
    """
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        one = waiting.pop()
        # Needed for failures, too: Twisted's Failure is an exception class.
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, *(getattr(one, name, None) for name in ("value", "subFailure"))]
        waiting += [cause for name in ("reasons", "exceptions") for cause in _listed(one, name)]


def _listed(error: object, name: str) -> list[object]:
    found = getattr(error, name, None)
    return list(found) if isinstance(found, list | tuple) else []
