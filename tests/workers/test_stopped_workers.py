"""Whole crawls of which one worker is stopped (SIGSTOP) for longer than its leases, and comes back."""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from redis import Redis

from tests.frontier.test_scheduler import Stepper, random_web, steps
from tests.servers.warm_scrapy import Process

__all__ = ["steps"]

ONE_LEASE = ("-s", "CONCURRENT_REQUESTS=1")


def wait_for_requests(steps: Stepper, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(steps.web.log) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(steps.web.log) >= count


def wait_until_stopped(pid: int) -> None:
    """Wait until all threads of a process are stopped: one may still end a system call."""
    threads = Path(f"/proc/{pid}/task")
    while any(_state(thread) not in "TZ" for thread in threads.iterdir()):
        time.sleep(0.001)


def _state(thread: Path) -> str:
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:  # it has just ended
        return "Z"


def stop(worker: Process, steps: Stepper) -> None:
    """Stop a worker at a moment at which it does not lock the items, which others could not write then.

    A worker that reads them in the middle of its INSERT keeps others from a commit, for five seconds an item.
    """
    with closing(sqlite3.connect(steps.folder / "items.sqlite", timeout=0)) as connection:
        while True:
            worker.send_signal(signal.SIGSTOP)
            wait_until_stopped(worker.pid)
            try:
                connection.execute("BEGIN EXCLUSIVE")
                return
            except sqlite3.OperationalError:
                worker.send_signal(signal.SIGCONT)
                time.sleep(0.01)


@pytest.mark.parametrize("has_next_run", [False, True])
def test_a_worker_that_comes_back_after_the_end_of_the_crawl_ends(
    steps: Stepper, valkey_url: str, has_next_run: bool
) -> None:
    graph = random_web(steps, 3, size=40)
    seeds = next(iter(graph))
    arguments = (*ONE_LEASE, "-s", f"FOCUSCRAWL_FRONTIER={valkey_url}")
    steps.web.latency_ms = 50
    stopped = steps.start("-L", "INFO", *arguments, seeds=seeds)
    wait_for_requests(steps, 12)
    stop(stopped, steps)
    with Redis.from_url(valkey_url) as client:
        # As after ten minutes.
        client.delete("focuscrawl:{stepper}:workers", *client.keys("*:owner"))
    steps.web.latency_ms = 0
    assert steps.run(*arguments, seeds=seeds) == ""
    assert set(steps.items()) == set(graph)
    if has_next_run:
        assert steps.run(*arguments, seeds=seeds) == ""
    before = steps.items()
    stopped.send_signal(signal.SIGCONT)
    log = stopped.communicate(timeout=60)[1]
    assert "Traceback" not in log
    assert ("begun again while this worker was stopped" in log) == has_next_run
    again = {url for url, (_, times) in steps.items().items() if times > before[url][1]}
    assert len(again) <= 1
