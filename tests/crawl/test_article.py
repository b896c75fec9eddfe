"""``scrapy crawl article`` as a user runs it, over the numbered site of the demo web."""

from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.articles.soft_404_detection import impossible_numbers
from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.numbered_site import CHARSETS, HOST, PATTERN, NumberedSite
from tests.crawl.conftest import TODAY, Crawler, Finished

NUMBERS = 250
FAST = ("-a", "concurrency=16", "-s", "DOWNLOAD_TIMEOUT=2")
PROFILE = ("-a", "profile=demo", *FAST)
ALL = (
    "select url, site, series, number, title, description, tags, author, published, body_text,"
    " body_html, extra, content_md5, url_md5 from numbered_articles order by url"
)
HTML = {"Content-Type": "text/html; charset=utf-8"}
SQLITE = "FOCUSCRAWL_STORES=sqlite:///{}.sqlite"


@pytest.fixture
def article(crawl: Crawler, no_workbook: None) -> Crawler:
    """A crawler of numbered articles, which are in no workbook."""
    crawl.spider = "article"
    return crawl


def requested_numbers(web: DemoWeb) -> list[int]:
    found = [re.search(r"/article/(\d+)\.htm$", request.url) for request in web.log]
    web.log.clear()
    unreal = set(impossible_numbers(0))
    return [number for match in found if match and (number := int(match[1])) not in unreal]


def tail_of(highest: int) -> list[int]:
    """Return the numbers requested after the highest number."""
    last = highest + 100
    return [*range(highest + 1, last + 1), *(last + 2**power for power in range(13))]


def expected(site: NumberedSite) -> list[tuple[Any, ...]]:
    found = map(site.article, site.existing())
    rows = [(t.url, HOST, PATTERN, t.number, t.title, t.description, json.dumps(t.tags, ensure_ascii=False),
             t.author, t.published.isoformat(), t.text) for t in found]  # fmt: skip
    return sorted(rows)


def run(crawl: Crawler, *arguments: str) -> Finished:
    done = crawl(*arguments)
    assert done.code == 0, done.err
    assert "Traceback" not in done.err, done.err
    return done


def test_every_article_once_then_the_new_end_and_what_is_due(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = NumberedSite(7, NUMBERS, today=TODAY, big_mb=1)
    web = demo(more_sites={HOST: site})
    first = run(article, *PROFILE)
    existing = site.existing()
    assert {site.article(number).charset for number in existing} == set(CHARSETS)
    assert [row[:10] for row in article.rows(ALL)] == expected(site)
    assert first.count("new") == len(existing)
    gaps = sorted(set(range(1, existing[-1])) - set(existing))
    assert len(gaps) > NUMBERS / 10
    kept = article.rows("select number, tries, found_at from missing_numbers order by number")
    assert kept == [(number, 1, None) for number in gaps]
    reasons = {reason for (reason,) in article.rows("select distinct reason from missing_numbers")}
    assert reasons <= {"HTTP 404", "HTTP 410", "soft 404", "sent home"}
    assert len(reasons) > 1
    assert set(requested_numbers(web)) == {*range(1, existing[-1] + 1), *tail_of(existing[-1])}
    assert f"last      {existing[-1]} of {PATTERN}" in first.out
    before = article.rows(ALL)

    run(article, *PROFILE)
    assert sorted(requested_numbers(web)) == tail_of(existing[-1])
    assert article.rows(ALL) == before

    web.advance(days=3)
    with closing(sqlite3.connect(article.database)) as connection, connection:
        due = "update missing_numbers set due_at = '2020-01-01 00:00:00' where number in (?, ?)"
        connection.execute(due, gaps[:2])
    site.publish(gaps[1])
    third = run(article, *PROFILE)
    grown = site.existing()
    new_end = range(existing[-1] + 1, grown[-1] + 1)
    assert set(requested_numbers(web)) == {*gaps[:2], *new_end, *tail_of(grown[-1])}
    assert [row[:10] for row in article.rows(ALL)] == expected(site)
    assert "retried   2 numbers that were missing before" in third.out
    kept = article.rows(
        "select number, tries, found_at is null from missing_numbers order by number"
    )
    assert kept[:3] == [(gaps[0], 2, 1), (gaps[1], 2, 0), (gaps[2], 1, 1)]


def test_without_a_profile_texts_are_found_and_numbers_requested_in_order(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site = NumberedSite(7, 60, today=TODAY, big_mb=0, faults=False)
    web = demo(more_sites={HOST: site}, broken_pages={"/article/9.htm"})
    arguments = (
        "-a",
        f"url={PATTERN}",
        "-a",
        "stop=60",
        "-a",
        "concurrency=4",
        "-s",
        "RETRY_TIMES=1",
    )
    done = article(*arguments)
    assert done.code == 3, done.err
    requested = requested_numbers(web)
    assert sorted(requested) == sorted([*range(1, 61), 9])
    # Eight are on their way at once; the one that failed comes later.
    assert all(abs(number - place) <= 8 for place, number in enumerate(requested, 1) if number != 9)
    assert "failed    1 HTTP 500; the next run retries them" in done.out
    texts = dict(article.rows("select number, body_text from numbered_articles"))
    assert set(texts) == set(site.existing()) - {9}
    for number, text in texts.items():
        lines = site.article(number).text.split("\n")
        assert all(line in text for line in lines), number
    titles = dict(article.rows("select number, title from numbered_articles"))
    assert all(site.article(number).title in title for number, title in titles.items())
    web.broken_pages = frozenset()
    run(article, *arguments)
    assert set(requested_numbers(web)) == {9, *(set(range(1, 61)) - set(site.existing()))} - {
        number for (number,) in article.rows("select number from missing_numbers")
    }
    assert article.rows("select count(*) from numbered_articles") == [(len(site.existing()),)]


class WalledSite(NumberedSite):
    """Has one blank page; requires a login from everybody after the request for number 12."""

    has_wall = True
    is_walled = False
    blank = 4

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        self.is_walled |= self.has_wall and path == "/article/12.htm"
        if path.startswith("/login"):
            page = "<title>登录</title><p>请先登录，再看文章".encode()
            # Reading the first one takes longest, so pages that come after it are read before it.
            filler = b"<!-- -->" * (60_000 if "/12.htm" in query else 0)
            return Response(200, HTML, page + filler)
        if self.is_walled and path.startswith("/article"):
            return Response(302, {"Location": f"/login?from={path}"})
        if path == f"/article/{self.blank}.htm":
            return Response(200, HTML, b"<html><body> </body></html>")
        return super().respond(path, query, headers)


FEW = ("-a", f"url={PATTERN}", "-a", "stop_after=9", "-a", "reach=2", "-a", "concurrency=1")


def walled_site(demo: Callable[..., DemoWeb]) -> tuple[WalledSite, DemoWeb]:
    site = WalledSite(7, 20, today=TODAY, big_mb=0, faults=False)
    return site, demo(more_sites={HOST: site})


def test_walls_and_blank_pages_are_neither_articles_nor_missing(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site, web = walled_site(demo)
    first = article(*FEW, "-s", "RETRY_TIMES=1")
    assert first.code == 3, first.err
    kept = [number for (number,) in article.rows("select number from numbered_articles")]
    # Nothing tells the first page of a wall from an article until the second comes.
    assert sorted(kept) == sorted({*range(1, 12)} - {4})
    assert (
        f"from http://{HOST}/article/12.htm on; the articles stored since are deleted" in first.out
    )
    assert "same page for any number, 1 empty page; the next run retries them" in first.out
    assert (
        f"last      12 of {PATTERN}; the end is not known, since later numbers failed" in first.out
    )
    site.is_walled = False
    again = article(*FEW, "-s", "RETRY_TIMES=0")
    assert again.code == 2
    # By now its look is known.
    assert "articles  0 new" in again.out
    site.has_wall, site.is_walled, site.blank = False, False, 0
    run(article, *FEW)
    assert [row[:4] for row in article.rows(ALL)] == [row[:4] for row in expected(site)]
    assert article.rows("select * from missing_numbers") == []

    with closing(sqlite3.connect(article.database)) as connection, connection:
        connection.execute("delete from numbered_articles where number = 9")
    site.is_walled = True
    web.log.clear()
    walled = article(*FEW, "-L", "INFO")
    assert walled.code == 2
    assert f"error: {HOST} returns the same page" in walled.err
    pages = [request for request in web.log if not request.url.endswith("/robots.txt")]
    # All of them pass the frontier.
    assert f"'frontier/leased': {len(pages)}" in walled.err
    assert set(requested_numbers(web)) == {1, 15, 20}
    assert article.rows("select * from missing_numbers") == []


def test_a_wall_that_was_judged_as_an_article_is_asked_for_again(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    site, web = walled_site(demo)
    topic = (*FEW, "-a", "topic=心电图,关节炎,动态规划", "-s", "RETRY_TIMES=0")
    assert article(*topic).code == 3
    site.has_wall, site.is_walled = False, False
    web.log.clear()
    article(*topic)
    assert {*range(12, 21)} <= {*requested_numbers(web)}


class TeasingSite(NumberedSite):
    """Shows for numbers without an article something to read instead, never the same."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        number = int(re.sub(r"\D", "", path) or 0)
        if number <= self.count:
            return super().respond(path, query, headers)
        teaser = self.article(number % 97 + 1).title
        return Response(200, HTML, f"<title>没有</title><p>文章不存在。猜你喜欢：{teaser}".encode())


def test_where_nothing_tells_missing_numbers_there_is_a_stop_or_no_crawl(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(more_sites={HOST: TeasingSite(7, 5, today=TODAY, big_mb=0, faults=False)})
    done = article("-a", f"url={PATTERN}", *FAST)
    assert done.code == 2
    assert f"error: {HOST} returns different pages for nonexistent numbers" in done.err
    assert requested_numbers(web) == []
    bounded = run(article, "-a", f"url={PATTERN}", "-a", "stop=5", *FAST)
    assert bounded.count("new") == 5
    assert (
        "note      numbered.demo.test returns different pages for nonexistent numbers"
        in bounded.out
    )


def test_a_rule_that_finds_no_body_anywhere_is_an_error(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(more_sites={HOST: NumberedSite(7, 5, today=TODAY, big_mb=0, faults=False)})
    profile = article.folder / "wrong.yaml"
    profile.write_text(f"name: wrong\npatterns: ['{PATTERN}']\narticle: {{body: //article}}")
    done = article("-a", f"profile={profile}", "-a", "stop=5", *FAST)
    assert done.code == 2
    assert "16 concurrent requests without pauses" in done.out
    assert "error: site profile wrong: article.body selects nothing on http://" in done.err


def test_a_crawl_that_is_killed_again_and_again_finds_the_same(
    article: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    dice = random.Random(5)
    web = demo(more_sites={HOST: NumberedSite(7, 120, today=TODAY, big_mb=0)})
    killed = article.folder / "killed"

    def held() -> int:
        try:
            return len(rows(killed, "select url from numbered_articles"))
        except sqlite3.Error:
            return 0

    kills = 0
    for share in (0.1, 0.6):
        process = article.start(*PROFILE, "-s", SQLITE.format(killed))
        while process.poll() is None and held() < share * 80:
            time.sleep(0.02)
        time.sleep(dice.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert kills
    run(article, *PROFILE, "-s", SQLITE.format(killed))
    calm = article.folder / "calm"
    run(article, *PROFILE, "-s", SQLITE.format(calm))
    assert rows(killed, ALL) == rows(calm, ALL)
    missing = "select url_md5, url, number, reason from missing_numbers order by url"
    assert rows(killed, missing) == rows(calm, missing)
    assert len(rows(calm, ALL)) == len(web.sites[HOST].existing())


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"{store}.sqlite")) as connection:
        return connection.execute(query).fetchall()
