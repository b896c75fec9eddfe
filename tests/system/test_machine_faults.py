"""What is the machine's fault, and what a page's or the program's."""

from __future__ import annotations

import errno
import os
import resource
import socket
import sqlite3
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from scrapy.exceptions import DownloadFailedError
from twisted.internet.error import ConnectBindError, ConnectError, ConnectionRefusedError
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from focuscrawl.errors import FrontierError, MachineError
from focuscrawl.system.machine_faults import machine_fault, named, shortage


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def full(path: Path) -> sqlite3.Error:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA max_page_count = 2")
    connection.execute("create table t (a)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("insert into t values (zeroblob(100000))")
    connection.close()
    return caught.value


FAULTS = [
    OSError(errno.EMFILE, "Too many open files"),
    OSError(errno.ENOSPC, "No space left on device", "/data/a"),
    OSError(errno.EDQUOT, "Disk quota exceeded"),
    MemoryError(),
    BrokenProcessPool("a process died"),
    RuntimeError("can't start new thread"),
    ConnectBindError(errno.EMFILE, "Too many open files"),
    caused(DownloadFailedError("x"), ConnectError(errno.ENOBUFS, "no buffers")),
    ResponseFailed([Failure(OSError(errno.EIO, "Input/output error"))]),
    ExceptionGroup("two", [ValueError("x"), OSError(errno.ENFILE, "Too many open files")]),
    MachineError("known"),
]
OTHERS = [
    ValueError("x"),
    RuntimeError("x"),
    ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
    TimeoutError(errno.ETIMEDOUT, "timed out"),
    FileNotFoundError(errno.ENOENT, "no such file"),
    # The numbers of name resolution are others: on some systems 12 is not ENOMEM here.
    socket.gaierror(errno.ENOMEM, "no address"),
    sqlite3.IntegrityError("x"),
    FrontierError("x"),
    None,
]


@pytest.mark.parametrize("error", FAULTS, ids=repr)
def test_faults_of_the_machine(error: Exception) -> None:
    fault = machine_fault(error)
    assert fault is not None
    assert "\n" not in str(fault)
    assert named(error) is fault or str(named(error)) == str(fault)


@pytest.mark.parametrize("error", OTHERS, ids=repr)
def test_other_errors(error: Exception | None) -> None:
    assert machine_fault(error) is None
    assert named(error) is error


def test_a_full_database_and_one_that_cannot_be_opened(tmp_path: Path) -> None:
    assert "disk is full" in str(machine_fault(full(tmp_path / "a.sqlite")))
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(tmp_path / "none" / "a.sqlite")
    assert "cannot be opened" in str(machine_fault(caught.value))


def test_an_error_that_is_its_own_cause_ends() -> None:
    error = ValueError("x")
    error.__cause__ = caused(ValueError("y"), error)
    assert machine_fault(error) is None


@contextmanager
def no_files_left() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = os.open(os.devnull, os.O_RDONLY)
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
    taken = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(used))
        yield
    finally:
        for file in (*taken, used):
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_shortage_of_files() -> None:
    assert shortage() is None
    with no_files_left():
        assert "limit of open files" in str(shortage())
