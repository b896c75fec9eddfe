"""Whole crawls over a frontier whose every call takes long."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from focuscrawl.demo import Response
from focuscrawl.frontier import Outcome, State
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


@pytest.mark.parametrize("seed", [1, 2])
def test_one_by_one_the_order_is_that_of_a_near_frontier(distant: Stepper, seed: int) -> None:
    graph = random_web(distant, seed, size=60)
    first = next(iter(graph))
    assert distant.run(*ONE_BY_ONE, seeds=first) == ""
    assert distant.requested() == best_first(graph, first)


def test_with_many_requests_every_page_is_fetched_once(distant: Stepper) -> None:
    graph = random_web(distant, 3)
    assert distant.run(seeds=next(iter(graph))) == ""
    assert Counter(distant.requested()) == dict.fromkeys(graph, 1)
    assert distant.outcomes() == {Outcome(State.DONE): len(graph)}


def test_whatever_becomes_of_a_page_its_lease_ends(distant: Stepper) -> None:
    ends = ["gone", "bug", "bad-item", "moved", "flaky", "busy", "loop"]
    distant.says(f"{A}/", page(*(f"/{end}" for end in ends), "http://nowhere.test/"))
    distant.says(f"{A}/gone/sorry", page())
    distant.says(f"{A}/bug", page("/after-bug", **{"raise": True}))
    for name in ("bad-item", "after-bug", "target"):
        distant.says(f"{A}/{name}", page())
    distant.says(f"{A}/moved", Response(301, {"Location": f"{B}/target"}))
    distant.says(f"{A}/loop", Response(302, {"Location": "/loop"}))
    distant.says(f"{B}/target", page())
    distant.says(f"{A}/flaky", Response(503), Response(503), page())
    distant.says(f"{A}/busy", Response(503))
    distant.run()
    done = Outcome(State.DONE)
    assert {end: distant.state(f"{A}/{end}") for end in ["", "after-bug", *ends]} == {
        "": done,
        "after-bug": done,
        "gone": Outcome(State.FAILED, "404"),
        "bug": Outcome(State.FAILED, "RuntimeError"),
        "bad-item": Outcome(State.FAILED, "item: ValueError"),
        "moved": Outcome(State.DONE, "redirected"),
        "flaky": done,
        "busy": Outcome(State.FAILED, "503"),
        "loop": Outcome(State.DONE, "redirected"),
    }
    assert distant.state(f"{B}/target") == distant.state(f"{A}/gone/sorry") == done
    assert distant.waiting() == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_at_any_moment_and_begun_again_nothing_is_lost(
    distant: Stepper, how: signal.Signals
) -> None:
    graph = random_web(distant, 4, size=100)
    distant.web.latency_ms = 2
    seeds = next(iter(graph))
    dice = random.Random(how)
    ended = sum(distant.kill_after(dice.randrange(1, 24), how, seeds=seeds) for _ in range(4))
    assert ended > 2
    assert distant.run(seeds=seeds) == ""
    assert set(distant.items()) == set(graph)
    assert distant.outcomes() == {Outcome(State.DONE): len(graph)}
    if how is signal.SIGINT:
        assert {times for _, times in distant.items().values()} == {1}


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


def test_a_server_that_is_away_is_waited_for(distant: Stepper) -> None:
    graph = random_web(distant, 5, size=60)
    distant.web.latency_ms = 20
    process = distant.start(seeds=next(iter(graph)))
    away = distant.folder / "away"
    for _ in range(2):
        _wait_for_requests(distant, 10)
        away.touch()
        time.sleep(0.5)
        away.unlink()
    errors = process.communicate(timeout=120)[1]
    assert errors == ""
    assert Counter(distant.requested()) == dict.fromkeys(graph, 1)


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


def test_a_worker_with_nothing_to_do_waits_until_the_whole_crawl_is_over(
    distant: Stepper,
) -> None:
    distant.says(f"{A}/", page())
    others = distant.folder / "others"
    others.touch()
    process = distant.start()
    _wait_for_requests(distant, 2)
    time.sleep(2.5)
    assert process.poll() is None
    others.unlink()
    assert process.communicate(timeout=30)[1] == ""


def test_a_page_that_kills_the_crawler_fails_and_all_others_are_kept(distant: Stepper) -> None:
    honest = [f"{A}/{n}" for n in range(10)]
    distant.says(f"{A}/", page(f"{A}/kills 5", *(f"{url} 5" for url in honest)))
    distant.says(f"{A}/kills", page(kill=True))
    for url in honest:
        distant.says(url, page())
    codes = []
    while not codes or codes[-1] == -signal.SIGKILL:
        process = distant.start()
        process.communicate(timeout=120)
        codes.append(process.returncode)
        assert len(codes) < 9
    assert set(distant.items()) == {f"{A}/", *honest}
    assert distant.outcomes()[Outcome(State.FAILED, "kills the crawler")] == 1


def _wait_for_requests(distant: Stepper, count: int) -> None:
    goal = len(distant.web.log) + count
    end = time.monotonic() + 60
    while len(distant.web.log) < goal and time.monotonic() < end:
        time.sleep(0.01)
