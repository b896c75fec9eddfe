"""The index of all stored texts by day."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.search import dated_index
from focuscrawl.search.dated_index import DatedIndex, DatedText, Wanted
from focuscrawl.search.search_query import read_query

NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
DAY = date(2026, 2, 1)


def text(number: int, words: str = "玉米价格", **fields: Any) -> DatedText:
    values: dict[str, Any] = {
        "kind": "article",
        "key": f"{number:032x}",
        "site": "demo",
        "series": "",
        "tags": (),
        "day": DAY + timedelta(number),
        "seen": NOW,
        "relevance": 0.0,
        "is_gone": False,
        "text": words,
    }
    return DatedText(**(values | fields))


@pytest.fixture
def index(tmp_path: Path) -> DatedIndex:
    """An empty index in a folder that does not exist yet."""
    return DatedIndex(tmp_path / "data" / "search.sqlite")


def found(index: DatedIndex, words: str = "", **fields: Any) -> list[int]:
    wanted = Wanted(query=read_query(words) if words else None, **fields)
    return [int(one.key, 16) for one in index.find(wanted, None, 100)]


def test_texts_are_found_by_words_newest_first_and_page_by_page(index: DatedIndex) -> None:
    index.put(
        [text(1), text(3, "玉米淀粉行情"), text(2, "豆粕 DDGS 报价"), text(4, day=None)], None
    )
    assert found(index) == [3, 2, 1, 4]
    assert found(index, "玉米") == [3, 1, 4]
    assert found(index, "豆粕 ddgs") == [2]
    assert found(index, "粉") == [3]
    assert found(index, "高粱") == []
    first = index.find(Wanted(), None, 2)
    assert [int(one.key, 16) for one in index.find(Wanted(), first[-1].place, 2)] == [1, 4]


def test_characters_are_simplified_and_signs_are_none(index: DatedIndex) -> None:
    index.put(
        [text(1, "青島港玉米價格"), text(2, '玉米 "AND" (NEAR*'), text(3, "A股 ２０２６")], None
    )
    assert found(index, "青岛港") == found(index, "青島港") == [1]
    for sign in ('"', "*", "-", ":", "NEAR(", "')", "%"):
        assert found(index, f"{sign} 玉米 {sign}") == ([2] if "NEAR" in sign else [2, 1])
    assert found(index, "2026") == [3]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "page"}, [2]),
        ({"site": "ELSE"}, [3]),
        ({"series": "绿色"}, [2]),
        ({"tag": "標簽"}, [3]),
        ({"since": DAY + timedelta(2)}, [3, 2]),
        ({"until": DAY + timedelta(2)}, [2, 1]),
        ({"least": 0.5}, [2]),
        ({"arrived": round(NOW.timestamp() * 1000)}, [3]),
        ({"keys": frozenset({f"{1:032x}", f"{9:032x}"})}, [9, 1]),
        ({"hidden": frozenset({f"{3:032x}"})}, [2, 1]),
    ],
)
def test_conditions(index: DatedIndex, fields: dict[str, Any], expected: list[int]) -> None:
    index.put(
        [
            text(1),
            text(2, kind="page", series="绿色", relevance=0.7),
            text(3, site="else", tags=("标签",), seen=NOW + timedelta(1)),
            text(9, is_gone=True),
        ],
        None,
    )
    assert found(index, **fields) == expected
    assert found(index, "玉米", **fields) == expected


@pytest.mark.parametrize("least", [0.05, 0.3, 0.69, 0.7, 0.71, 1.0])
def test_the_least_relevance_is_included(index: DatedIndex, least: float) -> None:
    relevances = [0.0, 0.04, 0.05, 0.3, 0.69, 0.7, 0.75, 1.0]
    index.put([text(n, relevance=one) for n, one in enumerate(relevances)], None)
    expected = [n for n, one in enumerate(relevances) if one >= least]
    assert found(index, least=least) == expected[::-1]


def test_numbers_by_kind_site_tag_and_day(index: DatedIndex) -> None:
    several = [text(n, kind="page" if n % 2 else "item", tags=("甲",) * (n % 3)) for n in range(40)]
    index.put([*several, text(50, day=None)], None)
    counts = index.counts(Wanted(), 5)
    assert (counts.number, counts.has_more, counts.is_whole) == (41, False, False)
    assert counts.kind == {"page": 20, "item": 20, "article": 1}
    assert (counts.site, counts.tag) == ({"demo": 41}, {"甲": 26})
    assert counts.days == {"2026-03": 12, "2026-02": 28}
    index.set_whole()
    few = index.counts(Wanted(since=DAY + timedelta(35)), 5)
    assert (few.is_whole, [*few.days]) == (True, [f"2026-03-{day:02}" for day in range(12, 7, -1)])


def test_many_are_counted_up_to_a_bound(index: DatedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dated_index, "MOST", 10)
    index.put([text(n, kind="page") for n in range(15)], None)
    index.put([text(n, kind="item", day=DAY - timedelta(1)) for n in range(3)], None)
    counts = index.counts(Wanted(), 5)
    assert (counts.number, counts.has_more, counts.kind) == (10, True, {"page": 11, "item": 3})
    assert index.number(Wanted()) == 11


def test_a_changed_text_is_found_by_its_new_words_only(index: DatedIndex) -> None:
    index.put([text(1), text(2)], None)
    index.put([text(1, "豆粕", day=None), text(2)], NOW + timedelta(1))
    assert (found(index, "豆粕"), found(index, "玉米"), found(index)) == ([1], [2], [2, 1])
    # It arrived when it was first found.
    assert found(index, arrived=round(NOW.timestamp() * 1000)) == []


def test_texts_that_the_store_lacks_are_deleted(index: DatedIndex) -> None:
    index.put([text(n) for n in range(5)], None)
    keys = [f"{n:032x}" for n in range(5)]
    index.delete_others("article", keys[0], keys[3], [keys[1], keys[3]])
    assert found(index) == [4, 3, 1, 0]
    assert index.missing("article", keys) == [keys[2]]
    assert index.missing("page", keys) == keys


def test_a_day_to_come_does_not_stay_on_top(index: DatedIndex) -> None:
    index.put([text(1, day=date(9999, 1, 1)), text(2)], None)
    assert found(index) == [2, 1]


def test_another_version_of_the_file_is_made_again_and_a_damaged_one_is_named(
    index: DatedIndex, tmp_path: Path
) -> None:
    index.put([text(1)], None)
    path = tmp_path / "data" / "search.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert found(index) == []
    index.put([replace(text(1), site="other")], None)
    assert found(index) == [1]
    for one in path.parent.iterdir():
        one.write_bytes(b"no database" * 500)
    with pytest.raises(StoreError, match="delete it, and it is made again"):
        found(index)
