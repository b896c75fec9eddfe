"""Forks a process for each command of Scrapy that it gets, its modules imported already: a module to run.

The first argument is the file descriptor of a socket. A message has the arguments, the folder and
the environment of a command, and four open files: its input, output and errors, and a pipe that
gets its process ID and, in the end, its status. The worker processes of the commands are forks of
a second server, which has only imported what workers use. Both have loaded the lists and models of
the readers, of which a process that reads one page would spend most of its time.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import multiprocessing
import os
import random
import runpy
import select
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import FrameType, SimpleNamespace
from typing import Any

from focuscrawl.prices import read_quotes
from focuscrawl.prices.confidence.price_model import load_model
from focuscrawl.stores.store_urls import load_libraries
from focuscrawl.system import worker_process
from focuscrawl.templates.extraction import read_page
from focuscrawl.templates.template_model import load_template
from focuscrawl.text.main_text import main_text
from focuscrawl.text.tokeniser import make_tokeniser
from tests.servers.all_modules import import_below
from tests.servers.faked_clock import CLOCK

_LONGEST_MESSAGE = 1 << 20
# What a crawl imports only when it runs.
_LATE = (
    *(
        f"scrapy.core.downloader.handlers.{name}"
        for name in ("datauri", "file", "ftp", "http11", "s3")
    ),
    *(
        f"scrapy.downloadermiddlewares.{name}"
        for name in "defaultheaders downloadtimeout httpauth httpcache httpcompression httpproxy offsite"
        " stats useragent".split()
    ),
    *(
        f"scrapy.extensions.{name}"
        for name in "closespider corestats logcount logstats memdebug spiderstate throttle".split()
    ),
    *(f"scrapy.spidermiddlewares.{name}" for name in ("depth", "metacopy", "start", "urllength")),
    "scrapy.core.engine",
    "scrapy.crawler",
    "scrapy.logformatter",
    "scrapy.statscollectors",
    "uvloop",
)
_PRICE = "寿光金玉米，玉米收购价0.85元/斤。"
_CONTACTS = "电话：0571-88001234 地址：杭州市西湖区文三路100号 杭州文三机械有限公司"
_OF_WORKERS = ("focuscrawl.articles", "focuscrawl.pages", "focuscrawl.prices", "focuscrawl.sites")


class ForkedWorker:
    """A worker process, with the methods of ``multiprocessing.Process`` that are used."""

    server: socket.socket

    def __init__(self, *, args: tuple[Connection], **_: object) -> None:
        self._connection = args[0]

    def start(self) -> None:
        """Have it forked, and take its process ID."""
        read_end, write_end = os.pipe()
        socket.send_fds(self.server, [b"{}"], [self._connection.fileno(), write_end])
        os.close(write_end)
        self._status = os.fdopen(read_end)
        self.pid = int(self._status.readline())

    def is_alive(self) -> bool:
        """Tell whether its status has not come."""
        return not select.select([self._status], [], [], 0)[0]

    def kill(self) -> None:
        """End it at once."""
        if self.is_alive():
            os.kill(self.pid, signal.SIGKILL)

    def join(self) -> None:
        """Wait for its end."""
        select.select([self._status], [], [])

    def close(self) -> None:
        """Forget it."""
        self._status.close()


def _load_data() -> None:
    """Read something with each of the readers that load lists and models when they first read."""
    page = f"<html><body><h1>山东玉米价格</h1><p>{_PRICE * 20}</p><p>{_CONTACTS}</p>"
    make_tokeniser().tokens(main_text(page, ""))
    read_quotes(_PRICE, title="山东玉米价格", model=load_model())
    read_page(page, "", load_template("contacts").fields)


def _freeze() -> None:
    gc.collect()
    gc.freeze()


def _reap(number: int, frame: FrameType | None) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _supervise(files: list[int], status: int) -> None:
    """Fork again; return in the process of the command, and never in its parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if not pid:
        os.close(status)
        return
    for file in files:
        os.close(file)
    # Who has been killed reads no status.
    with suppress(BrokenPipeError):
        os.write(status, f"{pid}\n".encode())
        os.write(status, f"{os.waitpid(pid, 0)[1]}\n".encode())
    os._exit(0)


def _be_command(message: dict[str, Any], files: list[int]) -> None:
    """Turn into ``python -m scrapy`` with the arguments of a message."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    _reopen_outputs()
    os.chdir(message["cwd"])
    os.environ.clear()
    os.environ.update(message["environment"])
    if CLOCK in os.environ:
        importlib.import_module("tests.servers.faked_clock.sitecustomize")
    random.seed()
    sys.path[0] = message["cwd"]
    sys.argv[:] = ["scrapy", *message["arguments"]]
    try:
        runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, int | None):
            _leave(end.code or 0)
        raise


def _reopen_outputs() -> None:
    """Open a terminal, pipe or device as the interpreter does: the outputs so far may have been files."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if not stat.S_ISREG(os.fstat(number).st_mode):
            before = getattr(sys, name)
            by_line = 1 if number == 2 or os.isatty(number) else -1
            output = open(  # noqa: SIM115
                number, "w", by_line, encoding=before.encoding, errors=before.errors, closefd=False
            )
            setattr(sys, name, output)
            setattr(sys, f"__{name}__", output)


def _leave(code: int) -> None:
    """End as the interpreter does, but leave the modules to the system, which is much faster.

    Returns where an output cannot be written; the interpreter tells of that.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 0xFF)


def _be_worker(message: dict[str, Any], files: list[int]) -> None:
    """Turn into what ``multiprocessing`` would have spawned for ``WorkerProcess``."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    random.seed()
    threading.Thread(target=_end_with, args=files, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        worker_process._serve(Connection(files[0]))


def _end_with(connection: int) -> None:
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    poll.poll()
    os._exit(1)


def _serve(orders: socket.socket, become: Callable[[dict[str, Any], list[int]], None]) -> None:
    """Fork for each order until nobody can send one; returns at the end of a fork, too."""
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        data, files, _, _ = socket.recv_fds(orders, _LONGEST_MESSAGE, 4)
        if not data:
            return None
        if not os.fork():
            orders.close()
            *used, status = files
            _supervise(used, status)
            return become(json.loads(data), used)
        for file in files:
            os.close(file)


def _start_workers() -> None:
    load_libraries()
    import_below(*_OF_WORKERS)
    _load_data()
    _freeze()
    ForkedWorker.server, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if not os.fork():
        ForkedWorker.server.close()
        _serve(theirs, _be_worker)
        sys.exit()
    theirs.close()
    context = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=ForkedWorker)
    worker_process.multiprocessing = SimpleNamespace(get_context=lambda _: context)  # type: ignore[assignment]
    resource_tracker.ensure_running()


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        _start_workers()
        import_below("focuscrawl", "scrapy.commands")
        for name in _LATE:
            importlib.import_module(name)
        # A command chooses its own.
        assert "twisted.internet.reactor" not in sys.modules
        _freeze()
        _serve(orders, _be_command)
