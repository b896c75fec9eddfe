"""Whole crawls of hosts that cannot be crawled now: robots.txt without answer, endless pauses."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from focuscrawl.demo import Response
from focuscrawl.frontier import Outcome, State
from tests.crawl.sent_requests import DOWNLOADER, gaps, read_sent
from tests.frontier.test_scheduler import SCRAPY, A, B, Stepper, page, steps

__all__ = ["steps"]
DONE = Outcome(State.DONE)
BY_ROBOTS = Outcome(State.DROPPED, "robots.txt")
LOGGED = ("-L", "INFO", "-s", "STATS_DUMP=False")


def rules(*lines: str) -> Response:
    return Response(
        200, {"Content-Type": "text/plain"}, "\n".join(["User-agent: *", *lines]).encode()
    )


def robots_asked(steps: Stepper) -> Counter[str]:
    return Counter(one.url for one in steps.web.log if one.url.endswith("/robots.txt"))


def pages_asked(steps: Stepper) -> set[str]:
    return set(steps.requested())


@pytest.mark.parametrize("status", [503, 429])
def test_a_site_whose_robots_txt_fails_waits_for_the_next_run(steps: Stepper, status: int) -> None:
    steps.says(f"{A}/robots.txt", Response(status))
    steps.says(f"{A}/", page(f"{A}/x"))
    steps.says(f"{A}/x", page())
    steps.says(f"{B}/", page(f"{A}/y"))
    steps.says(f"{A}/y", page())
    log = steps.run(*LOGGED, seeds=f"{A}/ {B}/")
    assert (
        f"robots.txt of a.test cannot be fetched (HTTP {status}): none of its pages was requested"
        in log
    )
    assert "2 URLs wait in " in log
    assert "Traceback" not in log
    assert pages_asked(steps) == {f"{B}/"}
    assert robots_asked(steps)[f"{A}/robots.txt"] == 3
    assert steps.waiting() == 2
    steps.says(f"{A}/robots.txt", Response(404))
    assert steps.run(seeds=f"{A}/ {B}/") == ""
    assert pages_asked(steps) == {f"{A}/", f"{A}/x", f"{A}/y", f"{B}/"}
    assert steps.waiting() == 0


def test_a_site_that_leads_to_an_unavailable_one_is_crawled_all_the_same(steps: Stepper) -> None:
    steps.says(f"{A}/robots.txt", Response(503))
    steps.says(f"{B}/", page("/moved 9", "/x 1", "/y 2"))
    steps.says(f"{B}/moved", Response(302, {"Location": f"{A}/"}))
    steps.says(f"{B}/x", page())
    steps.says(f"{B}/y", page())
    steps.run("-s", "CONCURRENT_REQUESTS=1", seeds=f"{B}/")
    assert pages_asked(steps) == {f"{B}/", f"{B}/moved", f"{B}/x", f"{B}/y"}
    assert steps.waiting() == 1


def test_a_redirect_to_no_host_name_fails_its_page(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/moved"))
    steps.says(
        f"{A}/moved",
        Response(302, {"Location": "http://。。。\u202e神.test/".encode().decode("latin-1")}),
    )
    log = steps.run(*LOGGED)
    assert "damaged" not in log
    assert steps.state(f"{A}/moved") == Outcome(State.FAILED, "invalid address")


def test_a_site_that_never_answers_does_not_keep_the_job_from_ending(steps: Stepper) -> None:
    steps.says(f"{A}/robots.txt", Response(503))
    steps.says(f"{B}/", page(f"{A}/x 1", f"{A}/y 2"))
    no_slots = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    for waiting in (2, 2, 0):
        steps.run(*no_slots, seeds=f"{B}/")
        assert steps.waiting() == waiting
        # As after eight more runs.
        with closing(sqlite3.connect(steps.frontier, isolation_level=None)) as file:
            file.execute("UPDATE urls SET tries = 9 WHERE tries = 1")
    assert steps.state(f"{A}/y") == Outcome(State.FAILED, "robots.txt unreachable: HTTP 503")
    assert steps.state(f"{A}/x") == Outcome(State.DROPPED, "host unavailable")
    assert pages_asked(steps) == {f"{B}/"}


@pytest.mark.parametrize("fault", ["cut", "hang"])
def test_robots_txt_without_an_answer_forbids_all_for_now(steps: Stepper, fault: str) -> None:
    steps.says(f"{A}/robots.txt", Response(200, {}, b"User-agent: *\n" * 99, fault=fault))  # type: ignore[arg-type]
    steps.says(f"{A}/", page())
    log = steps.run(*LOGGED, "-s", "DOWNLOAD_TIMEOUT=0.5")
    assert "robots.txt of a.test cannot be fetched (" in log
    assert pages_asked(steps) == set()
    assert steps.waiting() == 1


def test_a_proxy_that_is_down_is_named(steps: Stepper) -> None:
    steps.environment["http_proxy"] = "http://127.0.0.1:9"
    log = steps.run(*LOGGED)
    assert "a.test cannot be fetched (connection refused by the proxy 127.0.0.1:9)" in log
    assert steps.waiting() == 1


@pytest.mark.parametrize("status", [301, 401, 404, 410])
def test_robots_txt_that_is_not_there_forbids_nothing(steps: Stepper, status: int) -> None:
    steps.says(f"{A}/robots.txt", Response(status, {}, b"User-agent: *\nDisallow: /\n"))
    steps.says(f"{A}/", page())
    assert steps.run() == ""
    assert pages_asked(steps) == {f"{A}/"}


@pytest.mark.parametrize(("hops", "found"), [(5, BY_ROBOTS), (6, DONE)])
def test_redirects_of_robots_txt_are_followed_five_times(
    steps: Stepper, hops: int, found: Outcome
) -> None:
    for hop in range(hops):
        name = f"/hop{hop}" if hop else "/robots.txt"
        site = B if hop % 2 else A
        target = f"{A if hop % 2 else B}/hop{hop + 1}"
        steps.says(f"{site}{name}", Response(302, {"Location": target}))
    steps.says(target, rules("Disallow: /"))
    steps.says(f"{A}/", page())
    steps.run()
    assert steps.state(f"{A}/") == found


@pytest.mark.parametrize("largest", ["0", "100000"])
def test_the_first_500_kib_of_robots_txt_count(steps: Stepper, largest: str) -> None:
    text = ["Disallow: /early", *(f"Disallow: /{n:040}" for n in range(12_000)), "Disallow: /late"]
    steps.says(f"{A}/robots.txt", rules(*text))
    steps.says(f"{A}/", page("/early", "/late"))
    steps.says(f"{A}/late", page())
    assert steps.run("-s", f"DOWNLOAD_MAXSIZE={largest}") == ""
    assert steps.state(f"{A}/early") == BY_ROBOTS
    assert steps.state(f"{A}/late") == DONE


@pytest.mark.parametrize(
    "body",
    [b"", bytes(range(256)) * 40, "User-agent: *\nDisallow: /".encode("utf-16"), b":" * 9999],
)
def test_robots_txt_of_anything_raises_nothing(steps: Stepper, body: bytes) -> None:
    steps.says(f"{A}/robots.txt", Response(200, {}, body))
    steps.says(f"{A}/", page())
    assert steps.run() == ""
    assert steps.state(f"{A}/") == DONE


@pytest.mark.parametrize("scheduler", [(), SCRAPY], ids=["frontier", "scrapy"])
def test_a_crawl_delay_is_limited_and_kept(steps: Stepper, scheduler: tuple[str, ...]) -> None:
    steps.says(f"{A}/robots.txt", rules("Crawl-delay: 1e300"))
    steps.says(f"{A}/", page("/x", "/y"))
    steps.says(f"{A}/x", page())
    steps.says(f"{A}/y", page())
    limit = ("-s", "FOCUSCRAWL_CRAWL_DELAY_MAX=0.4", "-s", "AUTOTHROTTLE_ENABLED=True")
    sent = steps.folder / "sent"
    # A busy machine may begin to serve a request late by any amount: the time of sending counts.
    logged = ("-s", f"DOWNLOADER={DOWNLOADER}", "-s", f"SENT_REQUESTS={sent}")
    log = steps.run(*LOGGED, *limit, "-s", "AUTOTHROTTLE_START_DELAY=0", *logged, *scheduler)
    assert "Crawl-delay of a.test is 1e+300 s; limited to 0.4 s" in log
    assert pages_asked(steps) == {f"{A}/", f"{A}/x", f"{A}/y"}
    pages = [one for one in read_sent(sent) if not one.url.endswith("/robots.txt")]
    assert min(gap for gap, _, _ in gaps(pages)) >= 0.4


def test_a_run_with_only_long_pauses_left_ends_and_says_until_when(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/busy 9", "/x 8", f"{B}/1"))
    steps.says(f"{A}/busy", Response(503, {"Retry-After": "1000000000"}))
    steps.says(f"{A}/x", page())
    steps.says(f"{B}/1", page())
    long = ("-s", "FOCUSCRAWL_RETRY_AFTER_MAX=1e9", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    log = steps.run(*LOGGED, *long)
    assert "2 URLs wait for pauses until 20" in log
    assert pages_asked(steps) == {f"{A}/", f"{A}/busy", f"{B}/1"}
    # The pause was that of the run before.
    steps.says(f"{A}/busy", page())
    assert steps.run() == ""
    assert steps.waiting() == 0
    assert pages_asked(steps) >= {f"{A}/x"}


def test_a_run_without_a_frontier_does_not_wait_for_hours(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/busy"))
    steps.says(f"{A}/busy", Response(503, {"Retry-After": "1000000000"}))
    log = steps.run(*SCRAPY, "-s", "FOCUSCRAWL_RETRY_AFTER_MAX=1e9")
    assert steps.items()[f"{A}/busy"][0] == "HostUnavailableError", log
