"""Forks a process for each command of Scrapy that it gets, its modules imported already: a module to run.

The first argument is the file descriptor of a socket. A message has the arguments, the folder and
the environment of a command, and four open files: its input, output and errors, and a pipe that
gets its process ID and, in the end, its status.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import random
import runpy
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

import focuscrawl

LONGEST_MESSAGE = 1 << 20
# What a crawl imports only when it runs.
_LATE = (
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "scrapy.crawler",
    "uvloop",
)


def _import_all() -> None:
    for module in pkgutil.walk_packages(focuscrawl.__path__, "focuscrawl."):
        importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)
    # A command chooses its own.
    assert "twisted.internet.reactor" not in sys.modules
    gc.collect()
    gc.freeze()


def _reap(number: int, frame: FrameType | None) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _supervise(files: list[int], status: int) -> bool:
    """Fork again; return True in the process of the command, and never in its parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if not pid:
        os.close(status)
        return True
    for file in files:
        os.close(file)
    os.write(status, f"{pid}\n".encode())
    os.write(status, f"{os.waitpid(pid, 0)[1]}\n".encode())
    os._exit(0)


def _become(message: dict[str, Any], files: list[int]) -> None:
    """Turn into ``python -m scrapy`` with the arguments of a message."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(message["cwd"])
    os.environ.clear()
    os.environ.update(message["environment"])
    random.seed()
    sys.path[0] = message["cwd"]
    sys.argv[:] = ["scrapy", *message["arguments"]]
    runpy.run_module("scrapy", run_name="__main__", alter_sys=True)


def _serve(orders: socket.socket) -> None:
    while True:
        data, files, _, _ = socket.recv_fds(orders, LONGEST_MESSAGE, 4)
        if not data:
            return
        if not os.fork():
            orders.close()
            *standard, status = files
            if _supervise(standard, status):
                return _become(json.loads(data), standard)
        for file in files:
            os.close(file)


if __name__ == "__main__":
    _import_all()
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        _serve(orders)
