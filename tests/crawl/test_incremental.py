"""Runs that follow one another, on the demo web."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.items import Article
from focuscrawl.stores.store_urls import make_stores
from tests.crawl.conftest import TODAY, Crawler

pytestmark = pytest.mark.usefixtures("no_workbook")

# The demo web still serves articles that are older than its lists.
UNLISTED = "http://bulletins.demo.test/news/202501011.html"
LISTS = "http://bulletins.demo.test/list/"
ARGUMENTS = ("-a", "site=demo", "-a", "title=山东玉米")


def requested(web: DemoWeb) -> list[str]:
    urls = [request.url for request in web.log if not request.url.endswith("robots.txt")]
    web.log.clear()
    return urls


def is_quiet(urls: list[str]) -> bool:
    """Return whether the requests are the first list page and a look at another one."""
    return len(urls) <= 2 and urls[0] == LISTS and all(url.startswith(LISTS) for url in urls)


def wanted(web: DemoWeb) -> dict[str, Any]:
    return {url: truth for url, truth in web.truth().items() if "山东玉米" in truth.title}


def quotes_read(crawl: Crawler) -> dict[str, Counter[tuple[str, float, float]]]:
    found: dict[str, Counter[tuple[str, float, float]]] = {}
    for url, mention, low, high in crawl.rows(
        "select url, mention, price_yuan_per_ton_low, price_yuan_per_ton_high"
        " from quotes join articles on url_md5 = article_md5"
    ):
        found.setdefault(url, Counter())["".join(mention.split()), low, high] += 1
    return found


def test_every_article_is_whole_and_every_quote_is_read(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=16)
    run = crawl(*ARGUMENTS)
    assert run.code == 0, run.err
    truth = wanted(web)
    assert run.count("new") == len(truth)
    rows = crawl.rows("select url, title, published, pages, is_complete from articles order by url")
    assert rows == [
        (url, known.title, known.published.isoformat(), known.pages, 1)
        for url, known in sorted(truth.items())
    ]
    assert quotes_read(crawl) == {
        url: Counter((quote.mention, quote.low, quote.high) for quote in known.quotes)
        for url, known in truth.items()
    }


def test_a_new_day_costs_two_list_pages_and_its_own_pages(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=20)
    crawl(*ARGUMENTS)
    requested(web)
    again = crawl(*ARGUMENTS)
    assert is_quiet(requested(web))
    assert again.count("new") == again.count("changed") == 0
    before = wanted(web)
    web.advance(1)
    run = crawl(*ARGUMENTS)
    urls = requested(web)
    assert len([url for url in urls if "/list/" in url]) <= 2
    after = wanted(web)
    assert run.count("new") == len(after.keys() - before.keys()) > 0
    changed = sum(after[url] != before[url] for url in after.keys() & before.keys())
    assert run.count("changed") == changed > 0
    assert run.count("gone") == len(before.keys() - after.keys()) > 0
    quiet = crawl(*ARGUMENTS)
    assert quiet.count("new") == quiet.count("changed") == quiet.count("gone") == 0
    assert is_quiet(requested(web))


def test_refresh_finds_what_the_list_does_not_tell(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=12)
    since = f"since={(TODAY - timedelta(days=60)).isoformat()}"
    crawl("-a", "site=demo", "-a", since)
    before = web.truth()
    requested(web)
    unchanged = crawl("-a", "site=demo", "-a", since, "-a", "refresh=all")
    assert unchanged.count("new") == unchanged.count("changed") == unchanged.count("gone") == 0
    assert {request.status for request in web.log if "/news/" in request.url} == {304}
    web.advance(1)
    run = crawl("-a", "site=demo", "-a", since, "-a", "refresh=all")
    gone = before.keys() - web.truth().keys()
    assert run.count("gone") == len(gone) > 0
    assert crawl.rows("select count(*) from articles where gone_at is not null") == [(len(gone),)]
    quiet = crawl("-a", "site=demo", "-a", since, "-a", "refresh=all")
    assert quiet.count("gone") == quiet.count("changed") == 0


def test_an_article_with_a_failed_page_is_kept_and_completed_later(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=8)
    url = next(url for url, known in wanted(web).items() if known.pages > 2)
    second_page = url.removesuffix(".html") + "_2.html"
    web.broken_pages = frozenset({second_page.removeprefix("http://bulletins.demo.test")})
    run = crawl(*ARGUMENTS)
    assert run.code == 3, run.err
    assert run.count("incomplete") == 1
    assert "articles are incomplete; run again" in run.out
    assert crawl.rows("select url, pages, is_complete from articles where not is_complete") == [
        (url, 1, 0)
    ]
    web.broken_pages = frozenset()
    requested(web)
    assert crawl(*ARGUMENTS).count("changed") == 1
    assert crawl.rows("select count(*) from articles where not is_complete") == [(0,)]
    assert len(requested(web)) <= 2 + wanted(web)[url].pages


def test_a_failing_server_costs_retries_not_articles(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=12, fail_every=6)
    # Which requests are the sixth is chance: three tries of one page can all be, and the second run,
    # of few requests, may have none.
    first, second = (crawl(*ARGUMENTS, "-s", "RETRY_TIMES=10", "-L", "INFO") for _ in range(2))
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert "'focuscrawl/retry_after'" in first.err
    assert crawl.rows("select count(*), sum(is_complete) from articles") == [
        (len(wanted(web)),) * 2
    ]


def test_a_refreshed_article_that_lost_a_page_is_not_gone(
    crawl: Crawler, demo: Callable[..., DemoWeb], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = demo(days=8)
    assert crawl(*ARGUMENTS).code == 0
    url = next(url for url, known in wanted(web).items() if known.pages > 2)
    second_page = urlsplit(url).path.removesuffix(".html") + "_2.html"
    site = web.sites["bulletins.demo.test"]
    answer = site.respond

    def without_second_page(path: str, query: str, headers: Mapping[str, str]) -> Response:
        return Response(404, {}, b"") if path == second_page else answer(path, query, headers)

    monkeypatch.setattr(site, "respond", without_second_page)
    run = crawl(*ARGUMENTS, "-a", "refresh=all")
    assert (run.code, run.count("gone")) == (0, 0)
    assert crawl.rows("select count(*) from articles where gone_at is not null") == [(0,)]


@pytest.mark.parametrize(
    ("number", "spider"),
    [(signal.SIGINT, "maize"), (signal.SIGTERM, "list"), (signal.SIGKILL, "list")],
)
def test_an_interrupted_run_says_so_and_is_completed_by_the_next(
    crawl: Crawler, demo: Callable[..., DemoWeb], number: int, spider: str
) -> None:
    web = demo(days=20, latency_ms=30)
    crawl.spider = spider
    process = crawl.start(*ARGUMENTS)
    while len(web.log) < 20:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    is_killed = number == signal.SIGKILL
    assert process.returncode == (-number if is_killed else 130), err
    assert is_killed or out.startswith(f"{spider}-demo: shutdown")
    assert "Traceback" not in err
    assert crawl(*ARGUMENTS).code == 0
    assert crawl.rows("select count(*), sum(is_complete) from articles") == [
        (len(wanted(web)),) * 2
    ]


def test_another_title_filter_or_profile_is_another_list(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=20)
    long_filter = "|".join(f"没有{number}" for number in range(60))
    assert crawl("-a", "site=demo", "-a", f"title={long_filter}|山东玉米收购").code == 0
    assert crawl("-a", "site=demo", "-a", f"title={long_filter}|山东玉米收购|小麦").code == 0
    wheat = [url for url, known in web.truth().items() if "小麦" in known.title]
    assert crawl.rows("select count(*) from articles where title like '%小麦%'") == [(len(wheat),)]


def test_what_one_of_two_stores_holds_is_marked_gone(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=12)
    first = "sqlite:///a.sqlite"
    assert crawl(*ARGUMENTS, "-s", f"FOCUSCRAWL_STORES={first}").code == 0
    before = wanted(web)
    web.advance(1)
    gone = before.keys() - wanted(web).keys()
    stores = f"FOCUSCRAWL_STORES={first},sqlite:///b.sqlite"
    run = crawl(*ARGUMENTS, "-a", "refresh=all", "-s", stores)
    assert run.count("gone") == len(gone) > 0


def test_an_unlisted_article_that_is_alive_is_requested_once(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=8)
    assert crawl(*ARGUMENTS).code == 0
    stray = Article(
        url=UNLISTED, site="demo", title="山东玉米", text="旧稿", published=TODAY,
        page_urls=[UNLISTED], fetched_at=datetime.now(UTC),
    )  # fmt: skip

    async def keep(article: Article) -> None:
        (store,) = make_stores(f"sqlite:///{crawl.database}")
        await store.open()
        await store.write([article])
        await store.close()

    asyncio.run(keep(stray))
    requested(web)
    for expected in (True, False):
        assert crawl(*ARGUMENTS).code == 0
        assert (UNLISTED in requested(web)) is expected


def test_of_two_lists_neither_is_judged_before_both_are_read(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=20)
    profile = yaml.safe_load((files("focuscrawl.sites") / "demo.yaml").read_text("utf-8"))
    first, second = (
        "http://bulletins.demo.test/list/",
        "http://bulletins.demo.test/list/index_2.html",
    )
    profile["start_urls"] = [second, first]
    path = crawl.folder / "two.yaml"
    path.write_text(yaml.safe_dump(profile), encoding="utf-8")
    arguments = ("-a", f"site={path}", "-a", "title=山东玉米")
    assert crawl(*arguments).code == 0
    assert crawl.rows("select count(*) from articles") == [(len(wanted(web)),)]
    requested(web)
    assert crawl(*arguments).code == 0
    urls = requested(web)
    assert set(urls) >= {first, second}
    assert len(urls) <= 4
