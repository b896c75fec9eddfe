"""Whole crawls with the frontier as scheduler, each a process of its own."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.utils.request import fingerprint

from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.demo.site_protocol import not_found
from focuscrawl.frontier import (
    Candidate,
    Outcome,
    SqliteFrontier,
    State,
    key_of,
    read_frontier,
)
from focuscrawl.frontier.crawl_job import forgive_job
from focuscrawl.frontier.frontier_entries import MOST_LOST, RUNS_LEFT_OUT
from focuscrawl.scheduling.request_errback import outcome_of
from tests.scheduling import stepping_spider as stepper
from tests.servers import warm_scrapy

Links = list[dict[str, Any]]
SCRAPY = ("-s", "SCHEDULER=scrapy.core.scheduler.Scheduler")
ONE_BY_ONE = ("-s", "CONCURRENT_REQUESTS=1")
A, B = "http://a.test", "http://b.test"


def page(*links: str, **more: Any) -> Response:
    """Return a page that leads to URLs, each with a score after a space if it has one."""
    found = [dict(zip(("url", "score"), link.split(), strict=False)) for link in links]
    scored = [link | {"score": float(link["score"])} if "score" in link else link for link in found]
    return json_page(scored, **more)


def json_page(links: Links, **more: Any) -> Response:
    body = json.dumps({"links": links, **more}).encode()
    return Response(200, {"Content-Type": "application/json"}, body)


@dataclass
class Script:
    """A site that answers each path with what is written for it: the last answer stays."""

    answers: dict[str, list[Response]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path != "/robots.txt":
            self.times.append(time.monotonic())
        left = self.answers.get(path)
        if not left:
            return not_found()
        return left.pop(0) if len(left) > 1 else left[0]

    def turn_to(self, today: date) -> None:
        """Every day is the same."""

    def truth(self) -> dict[str, Any]:
        return {}


@dataclass
class Stepper:
    """Runs the spider in a folder, on a web of scripts."""

    folder: Path
    web: DemoWeb
    environment: dict[str, str]
    spider: str = stepper.__file__

    def says(self, url: str, *answers: Response) -> None:
        """Let the web answer a URL so, one answer after the other."""
        parts = urlsplit(url)
        site = self.web.sites.setdefault(parts.netloc, Script())
        assert isinstance(site, Script)
        site.answers[parts.path] = list(answers)

    def start(self, *arguments: str, seeds: str = f"{A}/") -> warm_scrapy.Process:
        environment = os.environ | self.environment
        environment.pop("SCRAPY_SETTINGS_MODULE", None)
        command = [
            "runspider", self.spider, "-L", "ERROR", "-a", f"seeds={seeds}", *arguments
        ]  # fmt: skip
        return warm_scrapy.start(command, cwd=self.folder, env=environment)

    def run(self, *arguments: str, seeds: str = f"{A}/") -> str:
        """Run to the end and return what was logged: errors."""
        process = self.start(*arguments, seeds=seeds)
        return process.communicate(timeout=120)[1]

    def kill_after(self, requests: int, how: int, *arguments: str, seeds: str = f"{A}/") -> bool:
        """Begin a run and end it after so many more requests; tell whether it was still going on."""
        process = self.start(*arguments, seeds=seeds)
        goal = len(self.web.log) + requests
        while len(self.web.log) < goal and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(how)
        process.communicate(timeout=120)
        return len(self.web.log) >= goal

    def requested(self) -> list[str]:
        """Return the URLs requested, in order, robots.txt aside."""
        return [one.url for one in self.web.log if not one.url.endswith("/robots.txt")]

    def gaps(self, site: str) -> list[float]:
        """Return the seconds between the requests to a site, robots.txt aside."""
        script = self.web.sites[urlsplit(site).netloc]
        assert isinstance(script, Script)
        return [after - before for before, after in pairwise(script.times)]

    def items(self) -> dict[str, tuple[str, int]]:
        """Return facts and number of items by URL."""
        with closing(sqlite3.connect(self.folder / "items.sqlite")) as connection:
            rows = connection.execute("SELECT url, facts, times FROM items").fetchall()
        return {url: (facts, times) for url, facts, times in rows}

    def outcomes(self) -> dict[Outcome, int]:
        """Return how many URLs have ended how."""
        with read_frontier(self.frontier) as frontier:
            return frontier.counts().outcomes

    def state(self, url: str) -> Outcome | None:
        """Return what became of a URL, None if it never was in the frontier."""
        with read_frontier(self.frontier) as frontier:
            known = frontier.explain(key_of(fingerprint(Request(url))))
            return known.outcome if known else None

    def waiting(self) -> int:
        """Return how many URLs wait; none is leased when nobody runs."""
        with read_frontier(self.frontier) as frontier:
            total = frontier.counts().total()
        assert total.leased == 0
        return total.waiting

    @property
    def frontier(self) -> Path:
        return self.folder / "data" / "frontier-stepper.sqlite"


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[Stepper]:
    web = DemoWeb(seed=1, days=1, today=date(2026, 3, 5))
    with DemoServer(web) as server:
        yield Stepper(tmp_path, web, server.proxy_environment)


def random_web(steps: Stepper, seed: int, size: int, hosts: int = 7) -> dict[str, Links]:
    """Write pages that lead to each other, and return their scored links."""
    dice = random.Random(seed)
    urls = [f"http://h{n % hosts}.test/{n}" for n in range(size)]
    graph: dict[str, Links] = {}
    for n, url in enumerate(urls):
        targets = [urls[(n * 2 + 1) % size], urls[(n * 2 + 2) % size], *dice.choices(urls, k=3)]
        graph[url] = [{"url": to, "score": dice.choice([1, dice.gauss(0, 2)])} for to in targets]
        steps.says(url, json_page(graph[url]))
    return graph


def best_first(graph: dict[str, Links], seed: str) -> list[str]:
    """Walk without any frontier: all that waits in a list, the best of it next."""
    number = count()
    waiting = {seed: (0.0, next(number))}
    done: list[str] = []
    while waiting:
        url = min(waiting, key=lambda one: (-waiting[one][0], waiting[one][1]))
        del waiting[url]
        done.append(url)
        for link in graph[url]:
            to, score = link["url"], link["score"]
            if to not in done:
                known = waiting.setdefault(to, (score, next(number)))
                waiting[to] = (max(known[0], score), known[1])
    return done


def test_one_by_one_the_order_is_that_of_a_simulation(steps: Stepper) -> None:
    graph = random_web(steps, 1, size=60)
    first = next(iter(graph))
    assert steps.run(*ONE_BY_ONE, seeds=first) == ""
    expected = best_first(graph, first)
    assert steps.requested() == expected
    assert len(expected) == len(graph)


def test_pages_that_wait_for_their_items_hold_up_no_request(steps: Stepper) -> None:
    slow = [f"/slow-item{number}" for number in range(12)]
    steps.says(f"{A}/", page("/last-item", *(f"{link} 9" for link in slow)))
    for link in (*slow, "/last-item"):
        steps.says(f"{A}{link}", page())
    two = ("-s", "CONCURRENT_REQUESTS=2", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    assert steps.run(*two) == ""
    assert steps.requested() == [f"{A}{link}" for link in ("/", *slow, "/last-item")]


def test_links_of_a_page_are_followed_before_its_item_is_stored(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/slow-item 5", "/x 1"))
    steps.says(f"{A}/slow-item", page("/behind 9"))
    steps.says(f"{A}/behind", page("/last-item 9"))
    steps.says(f"{A}/last-item", page())
    steps.says(f"{A}/x", page())
    assert steps.run(*ONE_BY_ONE) == ""
    requested = [url.removeprefix(f"{A}/") for url in steps.requested()]
    assert requested[:2] + requested[-2:] == ["", "slow-item", "last-item", "x"]
    assert set(steps.items()) == {f"{A}/{path}" for path in requested}


def test_links_of_a_page_whose_item_was_not_stored_are_known_to_the_next_run(
    steps: Stepper,
) -> None:
    steps.says(f"{A}/", page("/slow-item 5"))
    steps.says(f"{A}/slow-item", page("/behind 9"))
    steps.says(f"{A}/behind", page())
    # One is for robots.txt.
    assert steps.kill_after(4, signal.SIGKILL)
    assert f"{A}/slow-item" not in steps.items()
    assert steps.state(f"{A}/slow-item") == Outcome(State.LEASED)
    assert steps.state(f"{A}/behind") is not None


@pytest.mark.parametrize(
    ("eagerness", "order"),
    [("0", ["good", "better", "poor"]), (None, ["good", "poor", "better"])],
)
def test_a_poor_link_waits_for_the_pages_on_their_way_or_fills_a_slot(
    steps: Stepper, eagerness: str | None, order: list[str]
) -> None:
    steps.says(f"{A}/", page("/good 5", "/poor 1"))
    steps.says(f"{A}/good", page("/better 9"))
    steps.says(f"{A}/better", page())
    steps.says(f"{A}/poor", page())
    setting = () if eagerness is None else ("-s", f"FOCUSCRAWL_EAGERNESS={eagerness}")
    assert steps.run(*setting) == ""
    assert steps.requested() == [f"{A}/", *(f"{A}/{path}" for path in order)]


def test_few_pages_are_fetched_again_after_a_kill(steps: Stepper) -> None:
    slow = [f"/slow-item{number}" for number in range(100)]
    steps.says(f"{A}/", page(*slow))
    for link in slow:
        steps.says(f"{A}{link}", page())
    arguments = ("-s", "CONCURRENT_REQUESTS=4", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=4")
    process = steps.start(*arguments)
    while len(steps.requested()) < 21:
        time.sleep(0.01)
    time.sleep(1)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=120)
    assert len(steps.requested()) == 1 + 4 + 16


def test_without_scores_it_is_first_in_first_out_and_finds_what_scrapy_finds(
    steps: Stepper,
) -> None:
    graph = random_web(steps, 3, size=60)
    for url, links in graph.items():
        steps.says(url, json_page([{"url": link["url"]} for link in links]))
    first = next(iter(graph))
    assert steps.run(*ONE_BY_ONE, seeds=first) == ""
    plain = {url: [link | {"score": 0} for link in links] for url, links in graph.items()}
    assert steps.requested() == best_first(plain, first)
    ours = set(steps.requested())
    steps.web.log.clear()
    assert steps.run(*SCRAPY, seeds=first) == ""
    assert ours == set(steps.requested())


def test_whatever_becomes_of_a_page_its_lease_ends(steps: Stepper) -> None:
    ends = ["gone", "bug", "bad-item", "unwanted-item", "moved", "flaky", "busy", "secret", "loop"]
    steps.says(f"{A}/", page(*(f"/{end}" for end in ends), "http://nowhere.test/"))
    steps.says(f"{A}/robots.txt", Response(200, {}, b"User-agent: *\nDisallow: /secret\n"))
    steps.says(f"{A}/gone/sorry", page())
    steps.says(f"{A}/bug", page("/after-bug", **{"raise": True}))
    for name in ("bad-item", "unwanted-item", "after-bug", "target"):
        steps.says(f"{A}/{name}", page())
    steps.says(f"{A}/moved", Response(301, {"Location": f"{B}/target"}))
    steps.says(f"{A}/loop", Response(302, {"Location": "/loop"}))
    steps.says(f"{B}/target", page())
    steps.says(f"{A}/flaky", Response(503), Response(503), page())
    steps.says(f"{A}/busy", Response(503))
    errors = steps.run()
    assert "RuntimeError: a bug" in errors
    assert "ValueError: a bad item" in errors
    done = Outcome(State.DONE)
    assert {end: steps.state(f"{A}/{end}") for end in ["", "after-bug", *ends]} == {
        "": done,
        "after-bug": done,
        "gone": Outcome(State.FAILED, "404"),
        "bug": Outcome(State.FAILED, "RuntimeError"),
        "bad-item": Outcome(State.FAILED, "item: ValueError"),
        "unwanted-item": done,
        "moved": Outcome(State.DONE, "redirected"),
        "flaky": done,
        "busy": Outcome(State.FAILED, "503"),
        "secret": Outcome(State.DROPPED, "robots.txt"),
        "loop": Outcome(State.FAILED, "too many redirects"),
    }
    assert steps.state(f"{A}/gone/sorry") == steps.state(f"{B}/target") == done
    assert steps.waiting() == 0
    requested = Counter(steps.requested())
    assert (requested[f"{A}/flaky"], requested[f"{A}/busy"], requested[f"{A}/loop"]) == (3, 3, 1)
    assert steps.items() == {
        f"{A}/": ("None", 1),
        f"{A}/gone": ("HttpError", 1),
        f"{A}/gone/sorry": ("None", 1),
        f"{A}/bug": (f"{A}/", 1),
        f"{A}/after-bug": (f"{A}/bug", 1),
        f"{B}/target": (f"{A}/", 1),
        f"{A}/flaky": (f"{A}/", 1),
        f"{A}/busy": ("HttpError", 1),
        f"{A}/secret": ("IgnoreRequest", 1),
        "http://nowhere.test/": ("HttpError", 1),
    }


def test_a_redirect_is_the_next_to_be_followed_and_only_to_what_is_not_known(
    steps: Stepper,
) -> None:
    steps.says(f"{A}/", page("/moved 5", "/x 5", "/y 1", "/moved-too 0"))
    steps.says(f"{A}/moved", Response(301, {"Location": "/y"}))
    steps.says(f"{A}/moved-too", Response(301, {"Location": "/x"}))
    steps.says(f"{A}/x", page())
    steps.says(f"{A}/y", page())
    assert steps.run(*ONE_BY_ONE) == ""
    assert steps.requested() == [f"{A}/{path}" for path in ("", "moved", "y", "x", "moved-too")]


def test_dont_filter_asks_again_as_often_as_it_is_said(steps: Stepper) -> None:
    again: Links = [{"url": "/twice", "dont_filter": True}] * 2
    steps.says(f"{A}/", json_page(again))
    steps.says(f"{A}/twice", page())
    assert steps.run(seeds=f"{A}/ {A}/") == ""
    # Each of the two starts leads there twice.
    assert Counter(steps.requested()) == {f"{A}/": 2, f"{A}/twice": 4}


def test_starts_that_are_not_to_be_filtered_are_known_to_the_next_run(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/x"))
    steps.says(f"{A}/x", page("/y"))
    steps.says(f"{A}/y", page())
    assert steps.run("-s", "CLOSESPIDER_PAGECOUNT=2", *ONE_BY_ONE, seeds=f"{A}/ {A}/x") == ""
    assert steps.waiting() == 1
    assert steps.run(seeds=f"{A}/ {A}/x") == ""
    assert steps.requested() == [f"{A}/", f"{A}/x", f"{A}/y"]


def test_a_job_that_has_ended_starts_over(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/x"))
    steps.says(f"{A}/x", page())
    assert steps.run() == steps.run() == ""
    assert Counter(steps.requested()) == {f"{A}/": 2, f"{A}/x": 2}


def test_a_page_whose_callback_ends_the_crawl_is_requested_again(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/x", "/y"))
    steps.says(f"{A}/x", page())
    steps.says(f"{A}/y", page())
    assert steps.run("-a", "budget=1", *ONE_BY_ONE) == ""
    assert set(steps.items()) == {f"{A}/"}
    assert steps.waiting() == 2
    assert steps.run() == ""
    assert {url: times for url, (_, times) in steps.items().items()} == dict.fromkeys(
        (f"{A}/", f"{A}/x", f"{A}/y"), 1
    )


def test_what_is_not_json_ends_the_crawl_with_a_sentence(steps: Stepper) -> None:
    steps.says(f"{A}/", page(odd=True))
    log = steps.run("-L", "INFO", "-s", "STATS_DUMP=False")
    (line,) = [line for line in log.splitlines() if "cannot be stored as JSON" in line]
    assert f"the request for {A}/never (callback parse) cannot be stored as JSON" in line
    assert "cb_kwargs['via'] is a JsonResponse" in line
    assert "Traceback" not in log
    # Corrected, the spider can fetch that page again.
    assert steps.waiting() == 1


def test_while_a_host_pauses_the_others_go_on(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/busy 9", "/x 8", f"{B}/1 1", f"{B}/2 1"))
    steps.says(f"{A}/busy", Response(503, {"Retry-After": "600"}))
    steps.says(f"{B}/1", page())
    steps.says(f"{B}/2", page())
    # Two are for robots.txt.
    assert steps.kill_after(6, signal.SIGINT, *ONE_BY_ONE)
    assert steps.requested() == [f"{A}/", f"{A}/busy", f"{B}/1", f"{B}/2"]
    # The next run asks again: the pause may have been that of a server that is well by now.
    steps.web.log.clear()
    steps.says(f"{A}/busy", page())
    assert steps.run() == ""
    assert set(steps.requested()) == {f"{A}/busy", f"{A}/x"}


def test_the_end_of_a_pause_wakes_the_crawl(steps: Stepper) -> None:
    steps.says(f"{A}/", Response(503, {"Retry-After": "1"}), page())
    assert steps.run() == ""
    assert steps.state(f"{A}/") == Outcome(State.DONE)
    assert steps.gaps(A)[0] >= 1


def test_one_request_at_once_waits_for_links_that_come_after_items(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/good 5", "/poor 1"))
    steps.says(f"{A}/good", page("/better 9"))
    for path in ("/better", "/poor"):
        steps.says(f"{A}{path}", page())
    assert steps.run(*ONE_BY_ONE, "-s", "CONCURRENT_ITEMS=1") == ""
    assert steps.requested() == [f"{A}/", f"{A}/good", f"{A}/better", f"{A}/poor"]


def test_a_link_of_a_page_counts_once(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/x 1", "/y 1.5", "/x 1", "/x 1"))
    steps.says(f"{A}/x", page())
    steps.says(f"{A}/y", page())
    assert steps.run(*ONE_BY_ONE, "-s", "FOCUSCRAWL_FRONTIER_RULE=noisy-or") == ""
    assert steps.requested() == [f"{A}/", f"{A}/y", f"{A}/x"]


def test_what_a_store_has_refused_is_fetched_again(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/unstorable"))
    steps.says(f"{A}/unstorable", page("/after"))
    steps.says(f"{A}/after", page())
    steps.run()
    assert steps.state(f"{A}/unstorable") == Outcome(State.WAITING)
    # The links of a refused page are known: they may go out beside it.
    steps.run()
    assert steps.requested().count(f"{A}/unstorable") == 2
    assert steps.requested().count(f"{A}/") == 1


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("FOCUSCRAWL_FRONTIER_RULE=best", "'best' is unknown; give max, noisy-or, mean"),
        ("FOCUSCRAWL_RETRY_PAUSE=soon", "must be a number of at least 0, not 'soon'"),
        ("FOCUSCRAWL_FRONTIER=other.txt", "other.txt is damaged or not a frontier file"),
        ("SPIDER_MIDDLEWARES={}", "add focuscrawl.addon.FocuscrawlAddon to ADDONS"),
    ],
)
def test_a_setting_that_cannot_be_is_named(steps: Stepper, setting: str, sentence: str) -> None:
    (steps.folder / "other.txt").write_text("no database" * 500)
    arguments = ["-s", setting]
    if "MIDDLEWARES" in setting:
        name = "focuscrawl.middlewares.frontier_pages.FrontierPages"
        arguments = ["-s", f'SPIDER_MIDDLEWARES={{"{name}": null}}']
    assert sentence in steps.run("-L", "INFO", *arguments)
    assert steps.requested() == []


def crash_till_done(steps: Stepper, *arguments: str) -> tuple[int, str]:
    """Run until a run ends by itself; return how many were killed, and what the last one said."""
    for killed in range(9):
        process = steps.start("-L", "INFO", *arguments)
        said = process.communicate(timeout=120)[1]
        if process.returncode != -signal.SIGKILL:
            return killed, said
    raise AssertionError(steps.outcomes())


def test_a_page_that_kills_the_crawler_fails_and_all_others_are_kept(steps: Stepper) -> None:
    honest = [f"{A}/{n}" for n in range(40)]
    steps.says(f"{A}/", page(f"{A}/kills 5", *(f"{url} 5" for url in honest)))
    steps.says(f"{A}/kills", page(kill=True))
    for url in honest:
        steps.says(url, page())
    killed, said = crash_till_done(steps, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")
    assert killed == 4
    assert f"{A}/kills kills the crawler and was left out" in said
    assert set(steps.items()) == {f"{A}/", *honest}
    assert steps.outcomes() == {
        Outcome(State.DONE): 41, Outcome(State.FAILED, "kills the crawler"): 1,
    }  # fmt: skip


def test_discarding_the_frontier_keeps_the_urls_that_kill_the_crawler(steps: Stepper) -> None:
    honest = [f"{A}/{n}" for n in range(20)]
    steps.says(f"{A}/", page(*(f"{url} 5" for url in honest[:7]), f"{A}/kills 5", *honest[7:]))
    steps.says(f"{A}/kills", page(kill=True))
    for url in honest:
        steps.says(url, page())
    killed, said = crash_till_done(steps, "-a", "discards_frontier=1")
    assert killed == 4
    assert f"{A}/kills kills the crawler and was left out" in said
    assert set(steps.items()) == {f"{A}/", *honest}
    # So does the next run, which is another job.
    steps.web.log.clear()
    assert crash_till_done(steps, "-a", "discards_frontier=1")[0] == 0
    assert set(steps.requested()) == {f"{A}/", *honest}


def test_a_page_that_was_left_out_for_long_is_tried_once_more(steps: Stepper) -> None:
    steps.says(f"{A}/", page(f"{A}/kills 5"))
    steps.says(f"{A}/kills", page(kill=True), page(kill=True), page())
    discards = ("-a", "discards_frontier=1")
    losses = {f"{A}/kills": MOST_LOST + RUNS_LEFT_OUT}
    steps.frontier.parent.mkdir(exist_ok=True)
    SqliteFrontier(steps.frontier, losses=losses).close()
    # A job that has ended.
    with closing(SqliteFrontier(steps.frontier)) as frontier:
        frontier.push([Candidate.of(A, "a.test")])
        frontier.ack(*frontier.lease(1, 0))
    # It still kills, and is left out at once.
    killed, said = crash_till_done(steps, *discards)
    assert killed == 1
    assert f"{A}/kills kills the crawler and was left out" in said
    assert forgive_job(steps.frontier) == 1
    killed, _ = crash_till_done(steps, *discards)
    assert killed == 1
    assert forgive_job(steps.frontier) == 1
    killed, said = crash_till_done(steps, *discards)
    assert (killed, "kills the crawler" in said) == (0, False)
    assert set(steps.items()) == {f"{A}/", f"{A}/kills"}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_at_any_moment_and_begun_again_nothing_is_lost(
    steps: Stepper, how: signal.Signals
) -> None:
    graph = random_web(steps, 4, size=100)
    steps.web.latency_ms = 2
    seeds = next(iter(graph))
    dice = random.Random(how)
    times = 6 if how is signal.SIGKILL else 3
    ended = sum(steps.kill_after(dice.randrange(1, 24), how, seeds=seeds) for _ in range(times))
    assert ended > times // 2
    assert steps.run(seeds=seeds) == ""
    assert set(steps.items()) == set(graph)
    assert steps.outcomes() == {Outcome(State.DONE): len(graph)}
    requested = Counter(steps.requested())
    # Only what was on its way is requested again: 16 pages at most.
    repeats = requested.total() - len(graph)
    assert repeats <= 16 * ended if how is signal.SIGKILL else repeats == 0
    if how is signal.SIGINT:
        assert {times for _, times in steps.items().values()} == {1}


def test_a_page_that_is_too_large_is_called_so_packed_or_not() -> None:
    packed = (
        "Ignored response <200 http://a.test/> because its body (9 B compressed, 99 B decompressed so"
        " far) exceeded DOWNLOAD_MAXSIZE (50 B) during decompression."
    )
    for error in (IgnoreRequest(packed), DownloadCancelledError("more than 50 bytes")):
        assert outcome_of(error) == Outcome(State.FAILED, "too large")


def test_a_page_for_which_memory_does_not_suffice_fails_in_the_end(steps: Stepper) -> None:
    discards = ("-a", "discards_frontier=1")
    honest = [f"{A}/{n}" for n in range(20)]
    steps.says(f"{A}/", page(f"{A}/large 5", *(f"{url} 5" for url in honest)))
    steps.says(f"{A}/large", page(memory=True))
    for url in honest:
        steps.says(url, page())
    for _ in range(4):
        steps.run(*discards)
        assert set(steps.items()) != {f"{A}/", *honest}
    steps.run(*discards)
    assert steps.requested().count(f"{A}/large") == 4
    assert set(steps.items()) == {f"{A}/", *honest}
