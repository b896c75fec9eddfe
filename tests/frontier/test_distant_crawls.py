"""Whole crawls over a frontier whose every call takes long."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from focuscrawl.demo import Response
from tests.frontier.distant_frontier import SECONDS
from tests.frontier.test_scheduler import (
    ONE_BY_ONE,
    A,
    B,
    Stepper,
    best_first,
    page,
    random_web,
    steps,
)
from tests.scheduling import stepping_spider

__all__ = ["steps"]


@pytest.fixture
def distant(steps: Stepper) -> Stepper:
    # Importing it would replace the opening of crawls for all tests of this process.
    steps.spider = str(Path(stepping_spider.__file__).with_name("distant_spider.py"))
    steps.environment = {**steps.environment, SECONDS: "0.01"}
    return steps


def test_one_by_one_the_order_is_that_of_a_near_frontier(distant: Stepper) -> None:
    graph = random_web(distant, 1, size=60)
    first = next(iter(graph))
    assert distant.run(*ONE_BY_ONE, seeds=first) == ""
    assert distant.requested() == best_first(graph, first)


def test_a_pause_holds_for_leases_that_were_fetched_ahead(distant: Stepper) -> None:
    links = [f"{A}/{n} 5" for n in range(8)] + [f"{B}/{n} 1" for n in range(4)]
    distant.says(f"{A}/", page(f"{A}/busy 9", *links))
    distant.says(f"{A}/busy", Response(503, {"Retry-After": "600"}))
    for link in links:
        distant.says(link.split()[0], page())
    two = ("-s", "CONCURRENT_REQUESTS=2", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    # Two are for robots.txt.
    assert distant.kill_after(8, signal.SIGINT, *two)
    assert sorted(distant.requested()) == sorted(
        [f"{A}/", f"{A}/busy", *(f"{B}/{n}" for n in range(4))]
    )
    assert distant.waiting() == 9


def test_a_server_that_stays_away_ends_the_crawl_with_a_sentence(distant: Stepper) -> None:
    graph = random_web(distant, 6, size=60)
    distant.web.latency_ms = 20
    seeds = next(iter(graph))
    process = distant.start("-L", "INFO", "-s", "FOCUSCRAWL_FRONTIER_RETRY=0.5", seeds=seeds)
    _wait_for_requests(distant, 10)
    (distant.folder / "away").touch()
    log = process.communicate(timeout=120)[1]
    assert "Traceback" not in log
    assert "redis://distant does not answer" in log
    (distant.folder / "away").unlink()
    assert distant.run(seeds=seeds) == ""
    assert set(distant.items()) == set(graph)
    assert distant.waiting() == 0


def _wait_for_requests(distant: Stepper, count: int) -> None:
    goal = len(distant.web.log) + count
    end = time.monotonic() + 60
    while len(distant.web.log) < goal and time.monotonic() < end:
        time.sleep(0.01)
