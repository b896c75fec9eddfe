"""Pauses that servers demand of the template spider: Retry-After, Crawl-delay, errors that pass."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, Finished

CONTACT = "<p>公司名称：四川天路软件有限公司</p><p>电话：028-85120001</p>"
HOME = '<a href="/contact.html">联系我们</a>'


class Site:
    """A site of a home page and a contact page; ``first`` has the first responses to a path."""

    def __init__(self, robots: str = "", **first: list[Response]) -> None:
        self._robots = robots
        self._first = first
        self.times: list[float] = []
        self.rules_sent = 0.0

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/robots.txt":
            self.rules_sent = time.monotonic()
            return Response(200, {"Content-Type": "text/plain"}, self._robots.encode())
        self.times.append(time.monotonic())
        waiting = self._first.get(path.strip("/").partition(".")[0] or "home")
        if waiting:
            return waiting.pop(0)
        html = f"<meta charset=utf-8>{CONTACT if 'contact' in path else HOME}"
        return Response(200, {"Content-Type": "text/html"}, html.encode())

    @property
    def gaps(self) -> list[float]:
        """The seconds between one request for a page and the next."""
        return [after - before for before, after in zip(self.times, self.times[1:], strict=False)]


Run = Callable[..., Finished]


@pytest.fixture
def run(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Run:
    """Crawls sites by host; all must be useful."""
    crawl.spider = "template"

    def of(sites: Mapping[str, Site], *settings: str) -> Finished:
        demo(days=1, more_sites=sites)
        seeds = ",".join(f"http://{host}/" for host in sites)
        arguments = [word for setting in settings for word in ("-s", setting)]
        given = ("-a", "template=contacts", "-a", f"seeds={seeds}", "-s", "LOG_LEVEL=INFO")
        done = crawl(*given, *arguments)
        assert done.code == 0, done.out + done.err
        assert done.count("useful") == len(sites)
        return done

    return of


def test_pages_that_fail_are_requested_again_after_a_pause_or_as_late_as_the_site_asks_for(
    run: Run,
) -> None:
    busy = Response(429, {"Retry-After": "2"})
    site = Site(home=[Response(503)], contact=[Response(503), busy])
    done = run({"a.test": site}, "FOCUSCRAWL_RETRY_PAUSE=1")
    assert len(site.times) == 5
    assert min(site.gaps[0], site.gaps[2]) >= 1
    assert site.gaps[3] >= 2
    assert "'frontier/retried': 3" in done.err


class BusyWhile(Site):
    """A site that sends Retry-After until others have had all their requests."""

    def __init__(self, others: Collection[Site]) -> None:
        super().__init__()
        self._others = others

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/robots.txt" or all(len(site.times) == 2 for site in self._others):
            return super().respond(path, query, headers)
        return Response(429, {"Retry-After": "1"})


def test_a_busy_site_holds_up_no_other(run: Run) -> None:
    others = {f"{letter}.test": Site() for letter in "bcd"}
    busy = BusyWhile(others.values())
    # It is requested for as long as the others take.
    run({"a.test": busy} | others, "CONCURRENT_REQUESTS=2", "RETRY_TIMES=1000")
    assert len(busy.times) == 2


def test_the_pages_of_a_site_keep_its_crawl_delay_and_are_leases(run: Run, crawl: Crawler) -> None:
    slow, fast = Site("User-agent: *\nCrawl-delay: 2"), Site()
    done = run({"a.test": slow, "b.test": fast})
    assert len(slow.times) == len(fast.times) == 2
    # The first page was requested after this time, however late its request was seen here.
    assert slow.times[1] - slow.rules_sent >= 2
    assert fast.times[1] < slow.times[1]
    stats = dict(re.findall(r"'(frontier/\w+)': (\d+)", done.err))
    assert (stats["frontier/leased"], stats["frontier/done"]) == ("4", "4")
    assert not list((crawl.folder / "data").glob("frontier-*.sqlite"))
