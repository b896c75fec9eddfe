"""Runner of the lab's crawls, each as ``scrapy crawl tunnel`` in its own process."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from focuscrawl.errors import FocuscrawlError
from focuscrawl.lab.crawl_conditions import Condition
from focuscrawl.lab.crawl_outcomes import CrawlOutcome, fetched_pages, outcome_of
from focuscrawl.lab.crawl_policies import Policy

_FEED = "pages.csv"
_LOG = "crawl.log"
_FRONTIER = "frontier.sqlite"
_ODD = re.compile(r"[^\w.,+=-]")
_FIELDS = "url,is_relevant,steps,score,relevance,via,fetched_at"


class Job(NamedTuple):
    """One crawl: its seeds, policy and condition."""

    seeds: str
    urls: list[str]
    policy: Policy
    condition: Condition = Condition()

    def __str__(self) -> str:
        condition = f" ({self.condition})" if str(self.condition) else ""
        return f"{self.policy.name}{condition} from {self.seeds}"


@dataclass(frozen=True, slots=True)
class Bench:
    """Parameters shared by all crawls of a lab.

    ``topic`` is the name of the topic, ``topic_file`` the spider's argument for it; ``settings`` are
    Scrapy settings by name; ``truth`` maps canonical URLs to relevance; ``budget`` is in pages, None
    for no limit.
    """

    topic: str
    topic_file: str
    truth_file: Path
    truth: Mapping[str, bool]
    budget: int | None
    folder: Path
    settings: Mapping[str, str]

    def folder_of(self, job: Job) -> Path:
        """Return the folder with the pages and the log of a crawl."""
        name = ",".join(filter(None, (job.policy.name.replace(":", ","), str(job.condition))))
        return self.folder / self.topic / job.seeds / _ODD.sub("_", name)

    def command(self, job: Job) -> list[str]:
        """Return the command line of a crawl."""
        folder = self.folder_of(job)
        arguments = {
            "topic": self.topic_file,
            "seeds": str(folder / "seeds.txt"),
            "keep": "all",
            # The faster extraction, since the texts are not used.
            "text": "plain",
            **job.policy.arguments,
        }
        if self.budget is not None:
            arguments["max_pages"] = str(self.budget)
        if job.policy.needs_truth:
            arguments["truth"] = str(self.truth_file)
        settings = {
            "FOCUSCRAWL_DATA": str(folder),
            "FOCUSCRAWL_FRONTIER": str(folder / _FRONTIER),
            "LOG_FILE": str(folder / _LOG),
            "FEED_EXPORT_FIELDS": _FIELDS,
            **self.settings,
            **job.condition.settings,
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "tunnel", "-O", str(folder / _FEED)]
        for option, values in (("-a", arguments), ("-s", settings)):
            command += [part for name in values for part in (option, f"{name}={values[name]}")]
        return command


def crawl_all(
    bench: Bench, jobs: Sequence[Job], at_once: int, step: Callable[[str], None] = lambda _: None
) -> list[CrawlOutcome]:
    """Run the crawls, ``at_once`` of them concurrently; return their results in the order of ``jobs``.

    ``step`` is called after each. The first failure stops the others and raises
    :class:`~focuscrawl.errors.FocuscrawlError` with a sentence that names the crawl.
    """
    processes = _Processes()
    with ThreadPoolExecutor(at_once) as pool:
        futures = {pool.submit(_crawl, bench, job, processes): job for job in jobs}
        try:
            for future in as_completed(futures):
                future.result()
                step(str(futures[future]))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.end()
            raise
    return [future.result() for future in futures]


def _crawl(bench: Bench, job: Job, processes: _Processes) -> CrawlOutcome:
    folder = bench.folder_of(job)
    try:
        # The crawl would otherwise resume an earlier one.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "seeds.txt").write_text("\n".join(job.urls) + "\n", encoding="utf-8")
    except OSError as error:
        raise FocuscrawlError(
            f"cannot write {folder}: {error.strerror}; give another folder: --out FOLDER"
        ) from None
    code, said = processes.run(bench.command(job))
    if code:
        raise FocuscrawlError(f"{job} failed: {_last_words(said, code)} (log: {folder / _LOG})")
    for path in folder.glob(f"{_FRONTIER}*"):
        path.unlink()
    urls, seconds = fetched_pages(folder / _FEED)
    if not urls:
        raise FocuscrawlError(
            f"{job} fetched no page; give seeds that are in the recording (log: {folder / _LOG})"
        )
    outcome = outcome_of(bench.topic, job.seeds, job.policy.name, urls, bench.truth)
    return outcome._replace(condition=job.condition, seconds=seconds)


def _last_words(said: str, code: int) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return next(iter(errors), lines[-1] if lines else f"exit code {code}")


class _Processes:
    """Processes of the running crawls."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = Lock()
        self._has_ended = False

    def run(self, command: Sequence[str]) -> tuple[int, str]:
        """Run a command; return its exit code and its standard error."""
        with self._lock:
            if self._has_ended:
                return 130, ""
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
            self._running.add(process)
        _, said = process.communicate()
        with self._lock:
            self._running.discard(process)
        return process.returncode, said

    def end(self) -> None:
        """Terminate all processes; further commands are not started."""
        with self._lock:
            self._has_ended = True
            for process in self._running:
                process.terminate()


def jobs_of(
    seed_sets: Mapping[str, list[str]],
    policies: Sequence[Policy],
    conditions: Sequence[Condition] = (Condition(),),
) -> Iterator[Job]:
    """Yield one crawl for each set of seeds, policy and condition."""
    for name, urls in seed_sets.items():
        for policy, condition in product(policies, conditions):
            yield Job(name, urls, policy, condition)
