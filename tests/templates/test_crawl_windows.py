"""Crawl windows and lists of seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focuscrawl.templates.crawl_windows import Window
from focuscrawl.templates.seed_search import SeedLists, queries
from focuscrawl.templates.template_model import Search
from tests.stores.record_examples import NOW, seed, template_record


def test_records_not_found_in_a_window_are_gone() -> None:
    known = [template_record(n) for n in range(4)]
    window = Window(2, [*known, template_record(9, window=2)])
    window.meet([known[0].url])
    for number, state in ((0, "useful"), (1, "useless"), (2, "failed")):
        window.settle(seed(number, state=state))
    assert window.gone() == [known[1], known[3]]


@pytest.mark.parametrize("state", ["failed", "skipped", "waiting"])
def test_records_of_a_site_not_crawled_are_kept(state: str) -> None:
    window = Window(2, [template_record(1)])
    window.settle(seed(7, state=state), arrived="http://firm1.example/")
    assert window.misses("http://b.example/", "http://www.firm1.example/x", ())
    assert not window.misses("http://b.example/", "", ())
    assert not window.misses(template_record(1).seed, "", [template_record(1).url])
    assert window.gone() == []


def test_a_site_that_keeps_failing_is_gone_after_some_windows() -> None:
    for number, gone in ((4, []), (5, [template_record(1)])):
        window = Window(number, [template_record(1)])
        window.settle(seed(1, state="failed"))
        assert window.gone() == gone
        window.settle(seed(2, state="skipped"), arrived=seed(1).url)
        assert window.gone() == []


def test_unmet_seeds_are_those_of_records_without_a_listed_seed() -> None:
    records = [template_record(1), template_record(2), template_record(3, seed=seed(2).url)]
    assert Window(2, records).unmet_seeds([seed(1).url]) == [seed(2).url]


def test_queries_are_regions_times_entities() -> None:
    search = Search(entities=("软件公司", "网络公司"), regions=("四川", "成都"))
    assert queries(search) == ["四川软件公司", "四川网络公司", "成都软件公司", "成都网络公司"]
    assert queries(search, ["绵阳"], ["酒厂"]) == ["绵阳酒厂"]
    assert queries(Search(entities=("玉米收购",), query=" {region} {entity} ")) == ["玉米收购"]


def test_a_url_is_only_in_the_first_list_that_contains_it() -> None:
    lists = SeedLists("c", 3)
    lists.add(
        "q",
        "e",
        [("http://A.example", "甲"), ("http://a.example/#x", "甲"), ("http://b.example/", "乙")],
        NOW,
    )
    lists.add("r", "f", [("http://b.example/", "乙"), ("http://c.example/", "丙")], NOW)
    found = [(s.query, s.url, s.title, s.rank, s.engine, s.window) for s in lists]
    assert found == [
        ("q", "http://a.example/", "甲", 1, "e", 3),
        ("q", "http://b.example/", "乙", 2, "e", 3),
        ("r", "http://c.example/", "丙", 1, "f", 3),
    ]
    again = SeedLists("c", 3)
    again.resume([replace(s, state="useful") for s in reversed([*lists])])
    assert [s.url for s in again.lists["q"]] == ["http://a.example/", "http://b.example/"]
