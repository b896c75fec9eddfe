"""What the template spider decides by itself, without a network or a store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import fail
from focuscrawl.crawling.seed_searcher import Found, Searcher
from focuscrawl.crawling.site_crawl import Site
from focuscrawl.errors import StoreError
from focuscrawl.items import GoneRecord, Seed, TemplateRecord
from focuscrawl.spiders.template import TemplateSpider
from focuscrawl.templates.crawl_windows import Window
from tests.stores.record_examples import seed, template_record

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
    provinces = [f"山东第{number}个软件园区" for number in range(31)]
    names = {
        spider_of(seeds=None, region=",".join(regions)).crawl_name
        for regions in (provinces, provinces[::-1], ["四川"])
    }
    assert max(len(name.encode()) for name in names) < 220
    assert len(names) == 3
    assert "template-contacts-四川" in names


class Memory:
    """An archive in memory, which outlives the runs that write to it."""

    def __init__(self) -> None:
        self.state: dict[str, Any] | None = None
        self.listed = {
            each.key: each for each in (seed(1, state="useful"), seed(2, state="skipped"))
        }

    async def get_state(self, key: str) -> dict[str, Any] | None:
        return json.loads(json.dumps(self.state)) if self.state else None

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        self.state = json.loads(json.dumps(value))

    async def template_records(self, crawl: str) -> list[TemplateRecord]:
        return [KNOWN]

    async def seeds(self, crawl: str) -> list[Seed]:
        return list(self.listed.values())

    async def write(self, record: Seed) -> None:
        self.listed[record.key] = record


async def test_a_window_that_is_cut_short_again_and_again_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, searches = Memory(), []

    async def search(searcher: Any, query: str, *, found_some: bool) -> Found:
        searches.append((query, found_some))
        return Found("demo@http://b.example", [("http://firm3.example/", "丙")], False)

    monkeypatch.setattr("focuscrawl.crawl_run.archive_of", lambda crawler: memory)
    monkeypatch.setattr(Searcher, "search", search)
    given = {"seeds": None, "engine": "demo", "region": "四川", "entity": "软件公司"}
    for run in range(5):
        spider = spider_of(**given)
        await spider._begin()
        assert (spider._window.number, spider._resumes) == (2, run > 0)
        if run in (1, 3):
            await spider._list_seeds()
        # What was put off comes first, and what another engine has listed is looked at, too.
        assert list(spider._first) == [seed(2).url]
    assert searches == [("四川软件公司", True)]
    assert [each.url for each in spider._seeds] == []
    await spider._list_seeds()
    (found,) = spider._seeds.lists.values()
    assert [each.url for each in found] == [seed(n).url for n in (2, 3, 1)]
    assert spider._failed_queries == ["四川软件公司"]
    assert spider._engine_of == {"四川软件公司": "demo@http://b.example"}


async def test_what_a_given_up_window_had_put_off_still_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()
    monkeypatch.setattr("focuscrawl.crawl_run.archive_of", lambda crawler: memory)
    for number in (2, 3):
        spider = spider_of()
        await spider._begin()
        assert (spider._window.number, list(spider._first)) == (number, [seed(2).url])
        assert memory.state
        memory.state["begun"] = "2026-01-01T00:00:00+00:00"
        await memory.write(seed(2, window=2))
    await memory.write(seed(2, window=3, state="useful"))
    spider = spider_of()
    await spider._begin()
    assert (spider._window.number, spider._first) == (4, {})


async def test_given_seeds_are_those_of_this_run_whatever_the_last_one_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()
    monkeypatch.setattr("focuscrawl.crawl_run.archive_of", lambda crawler: memory)
    await memory.write(seed(2, query="given", state="skipped"))
    lists = [("http://a.example/", "http://b.example/"), ("http://b.example/", "http://c.example/")]
    for given in lists:
        spider = spider_of(seeds=",".join(given))
        await spider._begin()
        await spider._list_seeds()
        await memory.write(replace(spider._seeds.by_url[given[-1]], state="useless"))
    states = {each.url: each.state for each in spider._seeds}
    assert states.pop(seed(2).url) == "waiting"
    assert states == {"http://b.example/": "useless", "http://c.example/": "waiting"}
