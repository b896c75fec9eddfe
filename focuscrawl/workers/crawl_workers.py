"""Several workers of one crawl on this machine: their processes, and the report of all of them."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scrapy.settings import BaseSettings

from focuscrawl.crawl_run import default_stores, has_workers
from focuscrawl.errors import INTERRUPTED, ArgumentError, FocuscrawlError
from focuscrawl.extensions.progress_display import progress_text
from focuscrawl.known_settings import ENVIRONMENT_PRIORITY
from focuscrawl.reports.workbook import sentence_on
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations, without_workbooks
from focuscrawl.summary.run_report import RunReport, join_reports, worst_code
from focuscrawl.system.durable_files import made_folder
from focuscrawl.system.package_extras import require_redis
from focuscrawl.system.processes import start_child
from focuscrawl.workers.own_valkey import OwnValkey

_PAUSE = 0.3
_COUNT = "FOCUSCRAWL_WORKERS"
# Theirs would be sent by every worker.
_TARGETS = ("FOCUSCRAWL_MAIL", "FOCUSCRAWL_WEBHOOK")


class WorkersEnd(NamedTuple):
    """Exit codes of the workers (a signal is negative), and the reports of those that printed one."""

    codes: Sequence[int]
    reports: Sequence[Mapping[str, Any]]


class Worker:
    """One worker, its report, its log and its progress, in files of the folder."""

    def __init__(self, folder: Path, number: int) -> None:
        self._report = folder / f"worker-{number}.json"
        self._log = folder / f"worker-{number}.log"
        self.progress_file = folder / f"worker-{number}.progress"
        self.progress_file.unlink(missing_ok=True)
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int]
    ) -> None:
        """Start the process."""
        # One that is left of an earlier start may still write to its own.
        for file in (self._report, self._log):
            file.unlink(missing_ok=True)
        own = [*command, "-s", f"FOCUSCRAWL_PROGRESS_FILE={self.progress_file}"]
        with self._report.open("wb") as out, self._log.open("wb") as errors:
            self._process = start_child(
                own, out, errors, environment=environment, pass_fds=pass_fds
            )

    @property
    def code(self) -> int | None:
        """The exit code, None while it runs; one that was never started counts as stopped."""
        return self._process.poll() if self._process else INTERRUPTED

    def signal(self, number: int) -> None:
        """Send a signal, if the process still runs."""
        if self._process and self.code is None:
            self._process.send_signal(number)

    def progress(self) -> dict[str, int]:
        """Return its counts so far."""
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads(self.progress_file.read_text())
            return found
        return {}

    def report(self) -> dict[str, Any] | None:
        """Return what it reported, None if it was killed."""
        with suppress(OSError, ValueError, IndexError):
            found: dict[str, Any] = json.loads(self._report.read_text().splitlines()[-1])
            return found
        return None


def worker_count(settings: BaseSettings) -> int:
    """Return setting ``FOCUSCRAWL_WORKERS``; raises ArgumentError for what is no number of at least 1."""
    given = settings.get(_COUNT, 1)
    # The add-on, which reads the environment, has not been loaded yet.
    if (settings.getpriority(_COUNT) or 0) < ENVIRONMENT_PRIORITY:
        given = os.environ.get(_COUNT) or given
    try:
        count = int(given)
    except (TypeError, ValueError):
        count = 0
    if count < 1:
        raise ArgumentError(f"FOCUSCRAWL_WORKERS must be a number of at least 1, not {given!r}")
    return count


def stores_of(settings: BaseSettings) -> str:
    """Return the store URLs of the crawl."""
    return str(settings["FOCUSCRAWL_STORES"] or default_stores(Path(settings["FOCUSCRAWL_DATA"])))


def run_workers(spider: str, opts: argparse.Namespace, settings: BaseSettings) -> WorkersEnd:
    """Run the workers of a crawl until all have ended, with a server of their own if none is named."""
    if settings.getdict("FEEDS"):
        raise ArgumentError(
            "the workers of a crawl (FOCUSCRAWL_WORKERS) cannot share a feed (-o, -O or FEEDS); use "
            "`scrapy export` afterwards"
        )
    if not has_workers(settings) and settings["FOCUSCRAWL_FRONTIER"]:
        raise ArgumentError(
            "FOCUSCRAWL_WORKERS needs a server as FOCUSCRAWL_FRONTIER, not a file; unset it, or give a URL"
        )
    require_redis()
    data = Path(settings["FOCUSCRAWL_DATA"])
    made_folder(data, ArgumentError, "set FOCUSCRAWL_DATA to another")
    own = None if has_workers(settings) else OwnValkey(data / "frontier-server")
    with own or nullcontext(str(settings["FOCUSCRAWL_FRONTIER"])) as server:
        folder = made_folder(data / "workers", ArgumentError, "set FOCUSCRAWL_DATA to another")
        workers = [Worker(folder, number + 1) for number in range(worker_count(settings))]
        environment = _environment(settings, server)
        with _forwarded_signals(workers) as sent:
            for number, worker in enumerate(workers, 1):
                if sent:
                    break
                command = _command(spider, opts, settings, number)
                worker.start(command, environment, [own.lifeline] if own else [])
                if sent:
                    # It may have come while this one was being started.
                    worker.signal(sent[-1])
            _wait(workers)
    reports = [report for worker in workers if (report := worker.report())]
    return WorkersEnd([_final_code(worker, sent) for worker in workers], reports)


def _final_code(worker: Worker, sent: Sequence[int]) -> int:
    """Return the exit code; one that was stopped before it could crawl has not been killed."""
    code = worker.code or 0
    return INTERRUPTED if -code in sent else code


def _command(
    spider: str, opts: argparse.Namespace, settings: BaseSettings, number: int
) -> list[str]:
    words = [sys.executable, "-m", "scrapy", "crawl", spider, "--json"]
    for name, value in dict(opts.spargs).items():
        words += ["-a", f"{name}={value}"]
    # Those that each worker gets from the environment, where no other user can read them.
    ours = ("FOCUSCRAWL_WORKERS=", "FOCUSCRAWL_STORES=", "FOCUSCRAWL_FRONTIER=", "LOG_FILE=")
    own = ["FOCUSCRAWL_WORKERS=1", *(f"{name}=" for name in _TARGETS)]
    if log := settings["LOG_FILE"]:
        path = Path(log)
        own.append(f"LOG_FILE={path.with_name(f'{path.stem}-{number}{path.suffix}')}")
    for setting in [*(one for one in opts.set if not one.startswith(ours)), *own]:
        words += ["-s", setting]
    if opts.nolog:
        words.append("--nolog")
    return [*words, *(["-L", opts.loglevel] if opts.loglevel else [])]


def _environment(settings: BaseSettings, server: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name not in _TARGETS}
    return kept | {
        "FOCUSCRAWL_FRONTIER": server,
        "FOCUSCRAWL_STORES": without_workbooks(stores_of(settings)),
    }


@contextmanager
def _forwarded_signals(workers: Sequence[Worker]) -> Iterator[Sequence[int]]:
    """Pass SIGINT and SIGTERM on: the first ends the workers in order, the second at once.

    Yields the signals that have come so far.
    """
    sent: list[int] = []

    def forward(number: int, _frame: object) -> None:
        sent.append(number)
        for worker in workers:
            worker.signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield sent
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(workers: Sequence[Worker]) -> None:
    """Wait for all workers, with one progress line on a terminal."""
    if not sys.stderr.isatty():
        while any(worker.code is None for worker in workers):
            time.sleep(_PAUSE)
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        while any(worker.code is None for worker in workers):
            status.update(progress_line(workers))
            time.sleep(_PAUSE)


def progress_line(workers: Sequence[Worker]) -> str:
    """Return the counts of all workers, and the number of those at work."""
    sums = Counter(pages=0, relevant=0, waiting=0, items=0)
    for worker in workers:
        sums.update(worker.progress())
    living = sum(worker.code is None for worker in workers)
    return f"{living} of {len(workers)} workers · {progress_text(sums)}"


_REMEDY = "the others took over their sites; start the crawl again if no other is left"
_NOTHING_READ = "no worker has read a page so far"


def workers_report(
    base: RunReport, end: WorkersEnd, stores: str, settings: BaseSettings
) -> tuple[RunReport, int]:
    """Write the workbooks; return the report of all workers, and the exit code."""
    killed = sum(code < 0 for code in end.codes)
    # Those that were stopped before they could crawl have no report.
    reason = "shutdown" if INTERRUPTED in end.codes and not end.reports else ""
    report = join_reports(replace(base, reason=reason), _without_false_alarms(end))
    not_done = list(report.not_done)
    if killed:
        not_done.append(f"{killed} of {len(end.codes)} workers were killed; {_REMEDY}")
    error, archive = report.error, _archive(stores, settings)
    try:
        # Workers that were refused at once have no counts, and leave no files.
        if killed or any(one["counts"] for one in end.reports):
            asyncio.run(_write_workbooks(archive))
    except FocuscrawlError as problem:
        error = error or str(problem)
    if faults := archive.sheet_faults:
        not_done.append(sentence_on(faults))
    places = [("results" if n == 0 else "", place) for n, place in enumerate(archive.locations)]
    report = replace(report, not_done=not_done, error=error, places=places)
    return report, _exit_code(report, end)


def _exit_code(report: RunReport, end: WorkersEnd) -> int:
    # A worker may have been incomplete only because it ended before the others.
    codes = [code for code in end.codes if code != 3]
    return worst_code([*codes, 3 if report.not_done else 0, 2 if report.error else 0])


def _without_false_alarms(end: WorkersEnd) -> list[dict[str, object]]:
    """Return the reports; a worker that had nothing to do says so only if that holds for all."""
    pages = sum(report["counts"].get("pages", {}).get("responses", 0) for report in end.reports)
    if not pages:
        return [dict(report) for report in end.reports]
    return [
        {
            **report,
            "not_done": [one for one in report["not_done"] if not one.startswith(_NOTHING_READ)],
        }
        for report in end.reports
    ]


def _archive(stores: str, settings: BaseSettings) -> Archive:
    places = make_destinations(stores)
    folder = Path(settings["FOCUSCRAWL_DATA"]) / "spill"
    return Archive(places.databases, folder, workbooks=places.workbooks)


async def _write_workbooks(archive: Archive) -> None:
    """Open and close the stores, as a crawl does; spilled records are loaded before."""
    await archive.open()
    await archive.close()
