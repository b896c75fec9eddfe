"""What the template spider decides by itself, without a network or a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.crawling.sites import Site
from focuscrawl.errors import StoreError
from focuscrawl.items import GoneRecord, Seed
from focuscrawl.run import fail
from focuscrawl.spiders.template import TemplateSpider
from focuscrawl.templates.windows import Window
from tests.stores.records import seed, template_record

KNOWN = template_record(1)


def spider_of(**arguments: Any) -> TemplateSpider:
    """Return a spider in its second window, which knows of one record."""
    given = {"template": "contacts", "seeds": "http://a.example/"} | arguments
    spider = TemplateSpider.from_crawler(get_crawler(TemplateSpider), **given)
    spider._window = Window(2, [KNOWN])
    return spider


@pytest.mark.parametrize("breaks_down", [False, True])
async def test_a_run_that_breaks_down_is_no_word_on_what_is_gone(
    monkeypatch: pytest.MonkeyPatch, breaks_down: bool
) -> None:
    spider = spider_of()

    class Engine:
        _slot = SimpleNamespace(closing=None)

        async def close_spider_async(self, reason: str) -> None:
            pass

    async def nothing() -> None:
        pass

    async def crawled() -> AsyncIterator[Any]:
        if breaks_down:
            fail(spider.crawler, StoreError("a store refused a record"))
        yield seed(1)

    spider.crawler.engine = Engine()  # type: ignore[assignment]
    for step, done in (("_begin", nothing), ("_list_seeds", nothing), ("_crawled", crawled)):
        monkeypatch.setattr(spider, step, done)
    items = [item async for item in spider.start()]
    assert [type(item) for item in items] == [Seed, *([] if breaks_down else [GoneRecord])]
    assert bool(spider._is_over) is not breaks_down


async def test_a_site_that_breaks_the_program_costs_no_other_one() -> None:
    spider = spider_of()

    async def broken(error: Exception) -> Site:
        raise error

    task = asyncio.create_task(broken(RecursionError("too deep")))
    await asyncio.wait([task])
    assert spider._site(task, "http://a.example/") == Site("http://a.example/", [], is_faulty=True)
    assert spider.crawler.stats.get_value("spider_exceptions/count") == 1
    task = asyncio.create_task(broken(StoreError("no such topic")))
    await asyncio.wait([task])
    with pytest.raises(StoreError):
        spider._site(task, "http://a.example/")


def settled(kind: str, site: Site) -> tuple[str, list[str], int]:
    """Return the state of the known site's seed, the URLs kept of it, and how many are gone."""
    spider = spider_of()
    spider.template = spider.template.model_copy(update={"records": kind})
    done, records = spider._settled(seed(1), site)
    return done.state, [record.url for record in records], len(spider._window.gone())


def test_a_page_that_does_not_answer_keeps_what_is_known_and_nothing_else_from_being_new() -> None:
    home, new = template_record(2, url=KNOWN.seed), template_record(3, url=f"{KNOWN.seed}new")
    arrived = KNOWN.seed
    # The home page instead of the contact page, and the contact page beside another fault.
    assert settled("site", Site(arrived, [home], is_faulty=True)) == ("failed", [], 0)
    assert settled("site", Site(arrived, [KNOWN], is_faulty=True)) == ("useful", [KNOWN.url], 0)
    assert settled("site", Site(arrived, [home])) == ("useful", [home.url], 1)
    # One of many pages.
    assert settled("page", Site(arrived, [new], is_faulty=True)) == ("failed", [new.url], 0)
    assert settled("page", Site(arrived, [new])) == ("useful", [new.url], 1)


def test_the_name_of_a_crawl_is_short_enough_for_a_file() -> None:
    provinces = [f"第{number}个省的软件园区" for number in range(31)]
    names = {
        spider_of(seeds=None, region=",".join(regions)).crawl_name
        for regions in (provinces, provinces[::-1], ["四川"])
    }
    assert max(len(name.encode()) for name in names) < 220
    assert len(names) == 3
    assert "template-contacts-四川" in names
