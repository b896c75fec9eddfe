"""Windows of runs over an archive in memory: what is resumed, skipped before, and given."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import INCOMPLETE_STAT, RunningCrawl
from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.run_window import QueryResults, RunWindow, Searcher
from focuscrawl.items import Seed, TemplateRecord
from focuscrawl.spider_arguments import TemplateArguments
from focuscrawl.templates.template_model import load_template
from tests.stores.record_examples import seed, template_record

KNOWN = template_record(1)


async def no_fetch(url: str, **meta: Any) -> FetchedPage:
    raise AssertionError(f"{url} was requested")


class Memory:
    """An archive in memory, which outlives the runs that write to it."""

    def __init__(self) -> None:
        self.state: dict[str, Any] | None = None
        self.records = [KNOWN]
        self.listed = {
            each.key: each for each in (seed(1, state="useful"), seed(2, state="skipped"))
        }

    async def get_state(self, key: str) -> dict[str, Any] | None:
        return json.loads(json.dumps(self.state)) if self.state else None

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        self.state = json.loads(json.dumps(value))

    async def template_records(self, crawl: str) -> list[TemplateRecord]:
        return self.records

    async def seeds(self, crawl: str) -> list[Seed]:
        return list(self.listed.values())

    async def write(self, record: Seed) -> None:
        self.listed[record.key] = record


class MemoryCrawl(RunningCrawl):
    """A crawl whose archive is in memory."""

    def __init__(self, crawler: Crawler, memory: Any) -> None:
        super().__init__(crawler)
        self.memory = memory

    @property
    def archive(self) -> Any:
        return self.memory


def window_of(memory: Memory, **arguments: Any) -> RunWindow:
    """Return the window of a run that is given seeds, or what else the arguments say."""
    given = TemplateArguments(template="contacts", **({"seeds": "http://a.example/"} | arguments))
    run = MemoryCrawl(get_crawler(), memory)
    return RunWindow(run, "template-contacts", given, load_template("contacts").search, [])


async def test_a_window_that_is_cut_short_again_and_again_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, searches = Memory(), []

    async def search(searcher: Any, query: str, *, found_some: bool) -> QueryResults:
        searches.append((query, found_some))
        return QueryResults("demo@http://b.example", [("http://firm3.example/", "丙")], False)

    monkeypatch.setattr(Searcher, "search", search)
    given = {"seeds": None, "engine": "demo", "region": "四川", "entity": "软件公司"}
    for run in range(5):
        window = window_of(memory, **given)
        await window.open()
        assert (window.window.number, window.resumes) == (2, run > 0)
        if run in (1, 3):
            await window.list_seeds(no_fetch)
        # What was put off comes first, and what another engine has listed is looked at, too.
        assert list(window.first) == [seed(2).url]
    assert searches == [("四川软件公司", True)]
    assert [each.url for each in window.seeds] == []
    await window.list_seeds(no_fetch)
    (found,) = window.seeds.lists.values()
    assert [each.url for each in found] == [seed(n).url for n in (2, 3, 1)]
    assert window.failed_queries == ["四川软件公司"]
    assert window.engine_of == {"四川软件公司": "demo@http://b.example"}


async def test_what_a_given_up_window_had_put_off_still_comes_first() -> None:
    memory = Memory()
    for number in (2, 3):
        window = window_of(memory)
        await window.open()
        assert (window.window.number, list(window.first)) == (number, [seed(2).url])
        assert memory.state
        memory.state["begun"] = "2026-01-01T00:00:00+00:00"
        await memory.write(seed(2, window=2))
    await memory.write(seed(2, window=3, state="useful"))
    window = window_of(memory)
    await window.open()
    assert (window.window.number, window.first) == (4, {})


async def test_given_seeds_are_those_of_this_run_whatever_the_last_one_was_given() -> None:
    memory = Memory()
    await memory.write(seed(2, query="given", state="skipped"))
    lists = [("http://a.example/", "http://b.example/"), ("http://b.example/", "http://c.example/")]
    for given in lists:
        window = window_of(memory, seeds=",".join(given))
        await window.open()
        await window.list_seeds(no_fetch)
        await memory.write(replace(window.seeds.by_url[given[-1]], state="useless"))
    states = {each.url: each.state for each in window.seeds}
    assert states.pop(seed(2).url) == "waiting"
    assert states == {"http://b.example/": "useless", "http://c.example/": "waiting"}


async def test_a_worker_joins_an_open_window() -> None:
    memory = Memory()
    leader, worker = (
        window_of(memory, seeds="http://a.example/,http://b.example/") for _ in range(2)
    )
    await leader.open()
    await leader.list_seeds(no_fetch)
    await memory.write(replace(next(iter(leader.seeds)), state="useful"))
    await worker.join(1)
    assert worker.window.number == 2
    assert [one.url for one in worker.crawled] == ["http://a.example/"]


async def test_a_window_that_is_opened_again_overwrites_no_state_of_another_worker() -> None:
    memory = Memory()
    window = window_of(memory)
    await window.open()
    await window.list_seeds(no_fetch)
    (one,) = window.seeds
    again = window_of(memory)
    await again.open()
    await memory.write(replace(one, state="useful"))
    await again.list_seeds(no_fetch)
    assert memory.listed[one.key].state == "useful"


async def test_records_that_other_workers_have_found_are_not_gone() -> None:
    memory = Memory()
    window = window_of(memory, hard_delete=True)
    await window.open()
    await window.meet_stored()
    assert [(one.url, one.is_erased) for one in window.gone()] == [(KNOWN.url, True)]
    memory.records = [replace(KNOWN, window=window.window.number)]
    await window.meet_stored()
    assert window.gone() == []


async def test_records_that_a_worker_could_not_store_are_not_gone() -> None:
    memory = Memory()
    window = window_of(memory, seeds=KNOWN.seed)
    await window.open()
    await window.list_seeds(no_fetch)
    (one,) = window.seeds
    window.seeds.take_states([replace(one, state="useful")])
    await window.meet_stored()
    assert window.gone() == []
    (said,) = window._run._crawler.stats.get_value(INCOMPLETE_STAT)
    assert said.startswith("records of some sites are not in the stores")
