"""The template spider without a network or a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import ERROR_STAT, FAILED_SEEDS_STAT, INCOMPLETE_STAT, RunningCrawl
from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.run_window import RunWindow
from focuscrawl.errors import StoreError
from focuscrawl.items import Seed
from focuscrawl.spiders.template import Entry, TemplateSpider
from focuscrawl.templates.crawl_windows import Window
from focuscrawl.templates.seed_search import SeedLists
from tests.stores.record_examples import seed, template_record

KNOWN = template_record(1)


def spider_of(**arguments: Any) -> TemplateSpider:
    """Return the spider of a crawl without a network."""
    given = {"template": "contacts", "seeds": "http://a.example/"} | arguments
    spider = TemplateSpider.from_crawler(get_crawler(TemplateSpider), **given)
    spider.crawler.engine = Engine()  # type: ignore[assignment]
    return spider


class Engine:
    """An engine that records whether it was closed."""

    def __init__(self, fatal_urls: Sequence[str] = ()) -> None:
        self._slot = SimpleNamespace(closing=None)
        frontier = SimpleNamespace(fatal_urls=fatal_urls)
        self.scheduler = SimpleNamespace(frontier=frontier, services=None)
        self.is_closed = False

    async def close_spider_async(self, reason: str) -> None:
        self.is_closed = True


async def begun(spider: TemplateSpider, *seeds: Seed) -> list[Entry]:
    """Return the results of the first requests for seeds."""
    window = RunWindow(spider.run, spider.crawl_name, spider.arguments, spider.template.search, [])
    window.window, window.done = Window(2, [KNOWN]), []
    window.seeds = SeedLists(spider.crawl_name, 2)
    window.seeds.resume(seeds)
    spider.window = window
    spider._open_queue()
    return await spider._next_sites()


def crawled(entries: Sequence[Entry]) -> list[str]:
    """Return the URLs of requests and the types of items."""
    return [one.url if isinstance(one, Request) else type(one).__name__ for one in entries]


async def test_records_are_gone_when_every_seed_is_settled() -> None:
    spider = spider_of()
    seeds = [seed(number, window=2) for number in (1, 2)]
    assert crawled(await begun(spider, *seeds)) == [one.url for one in seeds]
    nothing = FetchedPage(seeds[0].url, failure="HTTP 404")
    assert crawled(await spider._continue(seeds[0].url, nothing)) == ["Seed"]
    assert not spider._has_ended
    # The seed comes last: without it the next run decides on all the rest again.
    entries = await spider._continue(seeds[1].url, replace(nothing, url=seeds[1].url))
    assert crawled(entries) == ["GoneRecord", "Seed"]
    assert spider._has_ended


async def test_a_failed_run_marks_no_record_as_gone() -> None:
    spider = spider_of()
    (one,) = [seed(1, window=2)]
    await begun(spider, one)
    RunningCrawl.of(spider.crawler).fail(StoreError("a store refused a record"))
    nothing = FetchedPage(one.url, failure="HTTP 404")
    assert crawled(await spider._continue(one.url, nothing)) == ["Seed"]
    assert not spider._has_ended


async def test_an_exception_in_one_site_does_not_affect_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spider = spider_of()
    seeds = [seed(number, window=2) for number in (1, 2)]
    await begun(spider, *seeds)
    page = FetchedPage(seeds[0].url, "<p>x</p>")
    monkeypatch.setattr(spider._sites, "_take", broken(RecursionError("too deep")))
    (item,) = await spider._continue(seeds[0].url, page)
    assert (item.url, item.state) == (seeds[0].url, "failed")  # type: ignore[union-attr]
    assert spider.crawler.stats.get_value("spider_exceptions/count") == 1
    monkeypatch.setattr(spider._sites, "_take", broken(StoreError("no such topic")))
    assert await spider._continue(seeds[1].url, replace(page, url=seeds[1].url)) == []
    assert spider.crawler.stats.get_value(ERROR_STAT) == "no such topic"
    assert not spider._has_ended


async def test_a_page_of_a_site_that_another_worker_crawls_by_now_is_ignored() -> None:
    spider = spider_of()
    one, other = (seed(number, window=2) for number in (1, 2))
    await begun(spider, one, other)
    services = SimpleNamespace(seeds=Shared(one.url))
    spider.crawler.engine.scheduler.services = services  # type: ignore[attr-defined]
    assert [entry async for entry in spider.start()] == []
    assert spider._walks.keys() == {other.url}
    assert await spider._continue(one.url, FetchedPage(one.url, "<p>x</p>")) == []


class Shared:
    """Shared seeds of a worker that has lost one; the crawl is over after that."""

    is_led = is_over = False

    def __init__(self, url: str) -> None:
        self._url = url

    def lost(self) -> list[str]:
        return [self._url]

    def next(self) -> None:
        self.is_over = True

    async def ended(self) -> list[Seed]:
        return []

    async def news(self) -> None:
        pass

    def notify(self) -> None:
        pass


def broken(error: Exception) -> Callable[..., None]:
    def step(*arguments: object) -> None:
        raise error

    return step


async def test_a_page_that_crashes_the_crawler_fails_its_site() -> None:
    one = seed(1, window=2)
    spider = spider_of()
    spider.crawler.engine = Engine([one.url])  # type: ignore[assignment]
    (item,) = await begun(spider, one)
    assert (item.url, item.state) == (one.url, "failed")  # type: ignore[union-attr]
    failed = spider.crawler.stats.get_value(FAILED_SEEDS_STAT)
    assert failed == {one.url: "kills the crawler"}


async def test_a_site_without_a_response_is_reported_as_not_done() -> None:
    spider = spider_of()
    await begun(spider, seed(1, window=2))
    spider.closed("finished")
    reasons = spider.crawler.stats.get_value(INCOMPLETE_STAT)
    assert reasons == ["1 sites were not crawled completely; run again"]


def test_the_name_of_a_crawl_is_short_enough_for_a_file() -> None:
    provinces = [f"山东第{number}个软件园区" for number in range(31)]
    names = {
        spider_of(seeds=None, region=",".join(regions)).crawl_name
        for regions in (provinces, provinces[::-1], ["四川"])
    }
    assert max(len(name.encode()) for name in names) < 220
    assert len(names) == 3
    assert "template-contacts-四川" in names
