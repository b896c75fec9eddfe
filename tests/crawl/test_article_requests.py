"""Requests of ``scrapy crawl article``: all of them pass the frontier, none waits for another for ever."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Mapping

import pytest

from focuscrawl.articles.soft_404_detection import impossible_numbers
from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.numbered_site import HOST, PATTERN, NumberedSite
from focuscrawl.frontier import SqliteFrontier
from focuscrawl.frontier.frontier_entries import MOST_LOST
from tests.crawl.conftest import TODAY, Crawler
from tests.crawl.test_article import HTML, article, requested_numbers

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

    @property
    def shortest_gap(self) -> float:
        return min(b - a for a, b in zip(self.times, self.times[1:], strict=False))


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


@pytest.mark.parametrize("options", [(), ONE, ("-a", "concurrency=32"), ("-a", "concurrency=1")])
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


def test_held_articles_are_checked_through_the_frontier(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = NumberedSite(7, 5, today=TODAY, big_mb=0, faults=False)
    web = demo(more_sites={HOST: site})
    assert article(*FEW).code == 0
    held = [number for (number,) in article.rows("select number from numbered_articles")]
    web.sites[HOST] = wall = WalledSite()
    wall.respond = lambda path, query, headers: Response(  # type: ignore[method-assign]
        200, HTML, "<title>登录</title><p>请先登录，再看文章".encode()
    )
    web.log.clear()
    done = article(*FEW, *ONE)
    assert done.code == 2
    assert "returns the same page" in done.err
    assert set(requested_numbers(web)) <= set(held)
    assert counted(done.err, "frontier/leased") == 2 + len(
        {held[0], held[len(held) // 2], held[-1]}
    )


@pytest.mark.parametrize("concurrency", [ONE, ("-a", "concurrency=8")])
def test_a_crawl_delay_holds_for_every_request(
    article: Crawler, demo: Callable[..., DemoWeb], concurrency: tuple[str, ...]
) -> None:
    site = LateWall()
    site.robots = "User-agent: *\nCrawl-delay: 1\n"
    demo(more_sites={HOST: site})
    done = article(*FEW, "-a", "start=4", *concurrency)
    assert done.code == 3, done.err
    assert "the articles stored since are deleted" in done.out
    assert site.shortest_gap > 0.9


def test_a_busy_host_is_left_alone_as_long_as_it_says(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = LateWall()
    site.retry_after = "2"
    demo(more_sites={HOST: site})
    done = article(*FEW, *ONE)
    assert done.code == 3, done.err
    assert max(b - a for a, b in zip(site.times, site.times[1:], strict=False)) > 1.9
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
    article.environment["PYTHONPATH"] = str(article.folder)
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
    paths = (str(article.folder), os.environ.get("PYTHONPATH", ""))
    article.environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    killed = article(*FEW, "-s", 'EXTENSIONS={"killer.Killer": 1}')
    assert killed.code == -signal.SIGKILL
    done = article(*FEW)
    assert done.code == 0, done.err
    assert (3,) in article.rows("select number from numbered_articles")


class RedirectingSite(NumberedSite):
    """Redirects number 3 to a page that an earlier run died of."""

    killer = f"http://{HOST}/kills.htm"

    def __init__(self, *, by_page: bool) -> None:
        super().__init__(7, 8, today=TODAY, big_mb=0, faults=False)
        self._by_page = by_page

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path != "/article/3.htm":
            return super().respond(path, query, headers)
        if self._by_page:
            page = f'<meta http-equiv="refresh" content="0; url={self.killer}">'
            return Response(200, HTML, page.encode())
        return Response(302, {"Location": self.killer}, b"")


@pytest.mark.parametrize("by_page", [False, True])
def test_a_number_that_redirects_to_a_page_that_kills_the_crawler_fails(
    article: Crawler, demo: Callable[..., DemoWeb], by_page: bool
) -> None:
    web = demo(more_sites={HOST: RedirectingSite(by_page=by_page)})
    file = article.folder / "data" / f"frontier-article-{HOST}.sqlite"
    SqliteFrontier(file, losses={RedirectingSite.killer: MOST_LOST + 1}).close()
    done = article(*FEW)
    assert done.code == 3, done.err
    assert "1 kills the crawler" in done.out
    assert RedirectingSite.killer not in [request.url for request in web.log]
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == {number for number in range(1, 9) if number != 3}


def test_no_url_is_too_long_for_the_walk(article: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(more_sites={HOST: NumberedSite(7, 8, today=TODAY, big_mb=0, faults=False)})
    done = article(*FEW, "-s", "URLLENGTH_LIMIT=20")
    assert done.code == 0, done.err
    kept = {number for (number,) in article.rows("select number from numbered_articles")}
    assert kept == set(range(1, 9))
