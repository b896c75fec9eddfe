"""Processes that read mutated pages within limits, and say what became of each."""

from __future__ import annotations

import faulthandler
import logging
import multiprocessing
import os
import re
import resource
import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, NoReturn

from tests.fuzz.mutations import Page, mutated, mutated_excerpt
from tests.fuzz.readers import Reader

_SHARE_OF_OWN_PAGES = 0.8
# A reader that is in C for so long past its deadline does not come back to Python.
_GRACE_SECONDS = 5
_FORK = multiprocessing.get_context("fork")
_FRAME = re.compile(r'File "([^"]+)", line (\d+),? in (\S+)')
_OWN = re.compile(r".*/(?=focuscrawl/)|.*site-packages/")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a page may take: ``seconds`` of the processor (others use the machine, too), ``memory`` in bytes of address space."""

    seconds: float = 20
    memory: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Job:
    """All mutations: that of an index is the same in every run with the same pages and seed.

    ``excerpts`` is the share of mutations that begin with a part of a page.
    """

    pages: dict[str, list[Page]]
    readers: Sequence[Reader]
    seed: int
    limits: Limits
    excerpts: float = 0.0

    def reader(self, index: int) -> Reader:
        """Return the reader whose turn it is."""
        return self.readers[index % len(self.readers)]

    def page(self, index: int) -> Page:
        """Return the mutation of that index."""
        random = self.random(index)
        reader = self.reader(index)
        kinds = [kind for kind, pages in self.pages.items() if pages]
        own = reader.pages if random.random() < _SHARE_OF_OWN_PAGES else random.choice(kinds)
        pages = self.pages[own]
        mutate = mutated_excerpt if random.random() < self.excerpts else mutated
        return mutate(random.choice(pages), pages, reader.words, random)

    def random(self, index: int) -> Random:
        """Return the source of chance of an index."""
        return Random(f"{self.seed} {index}")


class Outcome(NamedTuple):
    """What became of a mutation. ``seconds`` are the processor's; ``fault`` is ``""`` where it was read."""

    number: int
    size: int
    seconds: float
    fault: str = ""
    place: str = ""
    details: str = ""


class OverDeadlineError(BaseException):
    """A page took too long; not an Exception, so that no reader takes it for its own."""


@dataclass
class _Worker:
    process: BaseProcess
    results: Connection
    log: Path
    now: Any
    since: Any
    stride: int
    taken: float = 0.0
    is_done: bool = False


@dataclass
class Fuzzing:
    """Runs a job in so many processes; ``logs`` is a folder for what crashes leave behind."""

    job: Job
    processes: int
    logs: Path
    _workers: list[_Worker] = field(default_factory=list)

    def run(self, mutations: int, seconds: float) -> Iterator[Outcome]:
        """Yield the outcome of each mutation, in no order, until all are read or the time is over."""
        ends = time.monotonic() + seconds
        self._workers = [self._start(first, mutations) for first in range(self.processes)]
        try:
            while any(not worker.is_done for worker in self._workers) and time.monotonic() < ends:
                open_ = {worker.results: at for at, worker in enumerate(self._workers) if not worker.is_done}  # fmt: skip
                for ready in wait(list(open_), timeout=1):
                    at = open_[ready]  # type: ignore[index]
                    try:
                        outcome = self._workers[at].results.recv()
                    except EOFError:
                        yield from self._ended(at, mutations)
                        continue
                    if outcome is None:
                        self._workers[at].is_done = True
                    else:
                        yield outcome
                self._kill_stuck()
        finally:
            for worker in self._workers:
                worker.process.kill()
                worker.process.join()

    def _start(self, first: int, mutations: int) -> _Worker:
        receiver, sender = _FORK.Pipe(duplex=False)
        now, since = _FORK.Value("q", -1), _FORK.Value("d", 0.0)
        stride = self.processes
        log = self.logs / f"worker-{first % stride}.log"
        process = _FORK.Process(
            target=_work,
            args=(self.job, range(first, mutations, stride), sender, now, since, log),
            daemon=True,
        )
        process.start()
        sender.close()
        return _Worker(process, receiver, log, now, since, stride)

    def _ended(self, at: int, mutations: int) -> Iterator[Outcome]:
        """A process died: say at which page, and go on with the next."""
        worker = self._workers[at]
        worker.process.join()
        index, code = worker.now.value, worker.process.exitcode
        trace = worker.log.read_text("utf-8", "replace") if worker.log.exists() else ""
        taken = worker.taken
        is_late = code == -signal.SIGABRT and taken > self.job.limits.seconds
        fault = "over the deadline (and not to be interrupted)" if is_late else f"crash, exit code {code}"  # fmt: skip
        size = len(self.job.page(index).body) if index >= 0 else 0
        place = _place(_FRAME.findall(trace), newest_first=True)
        yield Outcome(index, size, taken, fault, place, trace)
        self._workers[at] = self._start(max(index, 0) + worker.stride, mutations)

    def _kill_stuck(self) -> None:
        most = self.job.limits.seconds + _GRACE_SECONDS
        for worker in self._workers:
            since = worker.since.value
            if worker.is_done or not since or not worker.process.pid:
                continue
            worker.taken = _cpu_seconds(worker.process.pid) - since
            # Another page may have begun meanwhile.
            if worker.taken > most and worker.since.value == since:
                # Has faulthandler say where.
                os.kill(worker.process.pid, signal.SIGABRT)


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(job: Job, indexes: range, sender: Connection, now: Any, since: Any, log: Path) -> None:
    # On top of what the process that was forked has taken already: the tests before may have read much.
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    memory = taken + job.limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _too_late)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with log.open("w") as file:
        faulthandler.enable(file)
        for index in indexes:
            page = job.page(index)
            now.value, since.value = index, time.process_time()
            outcome = read(job, index, page)
            since.value = 0.0
            sender.send(outcome)
        sender.send(None)


def read(job: Job, index: int, page: Page) -> Outcome:
    """Read a page by the reader of that index, within the time that it has."""
    size, begun = len(page.body), time.process_time()
    fault = place = details = ""
    try:
        signal.setitimer(signal.ITIMER_PROF, job.limits.seconds)
        with _logged() as errors:
            job.reader(index).read(page, job.random(-1 - index))
        signal.setitimer(signal.ITIMER_PROF, 0)
        if errors:
            raise errors[0]
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        frames = [(f.filename, f.lineno, f.name) for f in traceback.extract_tb(error.__traceback__)]
        fault = (
            "over the deadline" if isinstance(error, OverDeadlineError) else type(error).__name__
        )
        place = _place(frames)
        # The chain may hold the whole page.
        details = "".join(traceback.format_exception(error))[-20_000:]
    return Outcome(index, size, time.process_time() - begun, fault, place, details)


@contextmanager
def _logged() -> Iterator[list[BaseException]]:
    """Collect the exceptions that a reader only logs: it goes on, but it has met with a fault."""
    errors: list[BaseException] = []
    handler = logging.Handler()
    handler.emit = lambda record: (  # type: ignore[method-assign]
        errors.append(record.exc_info[1]) if record.exc_info and record.exc_info[1] else None
    )
    own = logging.getLogger("focuscrawl")
    own.addHandler(handler)
    own.propagate = False
    try:
        yield errors
    finally:
        own.removeHandler(handler)


def _place(frames: Sequence[tuple[Any, ...]], *, newest_first: bool = False) -> str:
    """Return the innermost place in our own code, and the innermost of all where that is another."""
    frames = [frame for frame in frames if "/tests/" not in str(frame[0])]
    if newest_first:
        frames = frames[::-1]
    names = [f"{_OWN.sub('', str(name))}:{line} {function}" for name, line, function in frames]
    own = [name for name in names if name.startswith("focuscrawl/")]
    if not names:
        return ""
    return names[-1] if not own or own[-1] == names[-1] else f"{own[-1]} in {names[-1]}"


def shrunk(job: Job, outcome: Outcome, seconds: float) -> bytes:
    """Return a smaller page that ends in the same exception, found within the seconds given."""
    page = job.page(outcome.number)
    ends, body = time.monotonic() + seconds, page.body
    before = signal.signal(signal.SIGPROF, _too_late)
    step = max(1, len(body) // 2)
    while step and time.monotonic() < ends:
        at = 0
        while at < len(body) and time.monotonic() < ends:
            less = body[:at] + body[at + step :]
            again = read(job, outcome.number, Page(page.url, page.charset, less))
            if (again.fault, again.place) == (outcome.fault, outcome.place):
                body = less
            else:
                at += step
        step //= 2
    with suppress(ValueError):
        signal.signal(signal.SIGPROF, before)
    return body


def _too_late(_number: int, _frame: object) -> NoReturn:
    raise OverDeadlineError
