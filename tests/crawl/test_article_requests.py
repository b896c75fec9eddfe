"""Requests of ``scrapy crawl article``: all of them pass the frontier, none waits for another for ever."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import pairwise

import pytest

from focuscrawl.articles.soft_404_detection import impossible_numbers
from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.demo.demo_server import ADDRESS
from focuscrawl.demo.numbered_site import HOST, PATTERN, NumberedSite
from focuscrawl.frontier import SqliteFrontier
from focuscrawl.frontier.frontier_entries import MOST_LOST
from focuscrawl.spiders.article import merged
from tests.crawl.conftest import TODAY, Crawler
from tests.crawl.test_article import HTML, article

__all__ = ["article"]

FEW = ("-a", f"url={PATTERN}", "-a", "stop_after=4", "-a", "reach=1", "-L", "INFO")
ONE = ("-s", "CONCURRENT_REQUESTS=1")
WALL = 6


class WalledSite(NumberedSite):
    """Asks to log in from number 6 on; notes when requests came."""

    robots = ""
    retry_after = ""

    def __init__(self) -> None:
        super().__init__(7, 12, today=TODAY, big_mb=0, faults=False)
        self.times: list[float] = []

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/robots.txt":
            return Response(200, {"Content-Type": "text/plain"}, self.robots.encode())
        self.times.append(time.monotonic())
        number = int(re.sub(r"\D", "", path) or 0)
        if self.retry_after and number == 2:
            seconds, self.retry_after = self.retry_after, ""
            return Response(503, {"Retry-After": seconds}, b"")
        if number >= WALL:
            page = "<title>登录</title><p>请先登录，再看文章".encode()
            return Response(200, HTML, page)
        return super().respond(path, query, headers)


def counted(log: str, name: str) -> int:
    found = re.search(rf"'{name}': (\d+)", log)
    return int(found[1]) if found else 0


class LateWall(WalledSite):
    """Says that numbers do not exist until number 6 has been requested."""

    is_up = False

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        self.is_up |= path == f"/article/{WALL}.htm"
        if not self.is_up and path.startswith("/article/") and len(path) > 16:
            self.times.append(time.monotonic())
            return Response(404, {}, b"")
        return super().respond(path, query, headers)


@pytest.mark.parametrize("options", [ONE, ("-a", "concurrency=32")])
def test_every_request_is_leased_by_the_frontier_and_none_waits_for_ever(
    article: Crawler, demo: Callable[..., DemoWeb], options: tuple[str, ...]
) -> None:
    site = LateWall()
    web = demo(more_sites={HOST: site})
    # Scrapy sends nothing while a page is being read.
    done = article(*FEW, *options, "-s", "SCRAPER_SLOT_MAX_ACTIVE_SIZE=1")
    assert done.code == 3, done.err
    assert (
        f"from http://{HOST}/article/{WALL}.htm on; the articles stored since are deleted"
        in done.out
    )
    paths = [request.url for request in web.log if not request.url.endswith("robots.txt")]
    # The two at the beginning, and one when pages began to be alike.
    assert (
        len([url for url in paths if any(str(number) in url for number in impossible_numbers(0))])
        == 3
    )
    assert counted(done.err, "frontier/leased") == len(paths)
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == {*range(1, WALL)} & {*site.existing()}
    assert not list(article.folder.glob("data/frontier-*.sqlite"))


def test_crawl_delay_and_retry_after_hold_for_every_request(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = LateWall()
    site.robots = "User-agent: *\nCrawl-delay: 1\n"
    site.retry_after = "2"
    demo(more_sites={HOST: site})
    done = article(*FEW, "-a", "start=2", "-a", "concurrency=8")
    assert done.code == 3, done.err
    assert "the articles stored since are deleted" in done.out
    gaps = [after - before for before, after in pairwise(site.times)]
    assert min(gaps) > 0.9
    assert max(gaps) > 1.9
    assert (2,) in article.rows("select number from numbered_articles")


_KILLER = """
import os, signal

class Killer:
    def process_response(self, request, response):
        if request.url.endswith("/article/3.htm"):
            os.kill(os.getpid(), signal.SIGKILL)
        return response
"""


def test_a_number_that_kills_the_crawler_is_left_out_in_the_end(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(more_sites={HOST: NumberedSite(7, 8, today=TODAY, big_mb=0, faults=False)})
    (article.folder / "killer.py").write_text(_KILLER)
    killer = ("-s", 'DOWNLOADER_MIDDLEWARES={"killer.Killer": 900}')
    codes = []
    while len(codes) < 8 and (not codes or codes[-1] == -signal.SIGKILL):
        done = article(*FEW, *killer)
        codes.append(done.code)
    assert codes[:-1] == [-signal.SIGKILL] * 4
    assert codes[-1] == 3, done.err
    assert f"http://{HOST}/article/3.htm kills the crawler and was left out" in done.out
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == {number for number in range(1, 9) if number != 3}


_SLOW_STORE = """
import os, signal
from focuscrawl.stores.archive.store_archive import Archive

class Killer:
    def __init__(self):
        write = Archive.write
        async def killed(archive, record, **options):
            if getattr(record, "number", 0) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return await write(archive, record, **options)
        Archive.write = killed
"""


def test_a_kill_while_an_article_waits_for_its_store_blames_nobody(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(more_sites={HOST: NumberedSite(7, 8, today=TODAY, big_mb=0, faults=False)})
    file = article.folder / "data" / f"frontier-article-{HOST}.sqlite"
    # One more loss would be the last.
    SqliteFrontier(file, losses={f"http://{HOST}/article/3.htm": MOST_LOST}).close()
    (article.folder / "killer.py").write_text(_SLOW_STORE)
    killed = article(*FEW, "-s", 'EXTENSIONS={"killer.Killer": 1}')
    assert killed.code == -signal.SIGKILL
    done = article(*FEW)
    assert done.code == 0, done.err
    assert (3,) in article.rows("select number from numbered_articles")


class RedirectingSite(NumberedSite):
    """Redirects numbers 3 and 4 to a page that an earlier run died of."""

    killer = f"http://{HOST}/kills.htm"

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/article/3.htm":
            return Response(302, {"Location": self.killer}, b"")
        if path == "/article/4.htm":
            page = f'<meta http-equiv="refresh" content="0; url={self.killer}">'
            return Response(200, HTML, page.encode())
        return super().respond(path, query, headers)


def test_a_number_that_redirects_to_a_page_that_kills_the_crawler_fails(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = RedirectingSite(7, 8, today=TODAY, big_mb=0, faults=False)
    web = demo(more_sites={HOST: site})
    file = article.folder / "data" / f"frontier-article-{HOST}.sqlite"
    SqliteFrontier(file, losses={RedirectingSite.killer: MOST_LOST + 1}).close()
    done = article(*FEW)
    assert done.code == 3, done.err
    assert "2 kills the crawler" in done.out
    assert RedirectingSite.killer not in [request.url for request in web.log]
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == {*range(1, 9)} - {3, 4}


def test_no_url_is_too_long_for_the_walk(article: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(more_sites={HOST: NumberedSite(7, 8, today=TODAY, big_mb=0, faults=False)})
    done = article(*FEW, "-s", "URLLENGTH_LIMIT=20")
    assert done.code == 0, done.err
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == set(range(1, 9))


LAST = 5
LONGEST_WAIT = 60


class FastSite(NumberedSite):
    """Sets ``has_ended`` when its last number is requested."""

    has_ended = threading.Event()

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == f"/article/{LAST}.htm":
            self.has_ended.set()
        return super().respond(path, query, headers)


class SlowSite(NumberedSite):
    """Holds back its first article until the other site has ended; blocks the thread of its server."""

    timed_out = False

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/article/1.htm":
            self.timed_out = not FastSite.has_ended.wait(LONGEST_WAIT)
        return super().respond(path, query, headers)


def test_a_slow_site_does_not_delay_the_patterns_behind_it(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    FastSite.has_ended.clear()
    options = {"today": TODAY, "big_mb": 0, "faults": False}
    slow = SlowSite(7, LAST, **options)
    demo(more_sites={HOST: FastSite(7, LAST, **options)})
    with DemoServer(DemoWeb(7, 1, TODAY, more_sites={ADDRESS: slow})) as server:
        article.environment["no_proxy"] = ADDRESS
        patterns = f"{PATTERN.replace(HOST, f'{ADDRESS}:{server.port}')},{PATTERN}"
        settings = ("-s", f"DOWNLOAD_TIMEOUT={2 * LONGEST_WAIT}")
        done = article(
            "-a", f"url={patterns}", "-a", f"stop={LAST}", "-a", "concurrency=16", *settings
        )
    assert done.count("new") == 2 * LAST, done.err
    assert not slow.timed_out


async def test_streams_are_merged_as_they_come_and_the_first_error_ends_all() -> None:
    async def stream(name: str, count: int, *, fails: bool = False) -> AsyncIterator[str]:
        for number in range(count):
            yield f"{name}{number}"
        if fails:
            raise OSError(name)

    found = [value async for value in merged([stream("a", 3), stream("b", 1), stream("c", 0)])]
    assert sorted(found) == ["a0", "a1", "a2", "b0"]
    assert [value for value in found if value.startswith("a")] == ["a0", "a1", "a2"]
    with pytest.raises(OSError, match="b"):
        _ = [value async for value in merged([stream("a", 9), stream("b", 1, fails=True)])]
