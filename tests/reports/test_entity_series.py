"""One name in two places is two series; one place written in two ways is one."""

from __future__ import annotations

from datetime import date
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.reports.entity_series import (
    UNKNOWN_PLACE,
    location_of,
    series_names,
    settled,
    settled_places,
)
from focuscrawl.reports.price_figures import PriceFigures, price_figures, price_trends
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.text.places.locations import Location
from tests.reports.invented_quotes import make_quote, make_stored

YISHUI, QINGDAO = Location("山东", "临沂", "沂水"), Location("山东", "青岛")
DAYS = [date(2026, 3, 1), date(2026, 3, 2)]
IN_YISHUI = {"province": "山东", "city": "临沂", "county": "沂水"}
IN_QINGDAO = {"province": "山东", "city": "青岛"}

locations = st.builds(
    Location, st.sampled_from(["", "山东"]), st.sampled_from(["", "临沂", "青岛"]), st.sampled_from(["", "沂水", "平度"])
)  # fmt: skip


def figures(*quotes: dict[str, Any]) -> PriceFigures:
    facts = QuoteFacts()
    for fields in quotes:
        facts.add(make_stored(make_quote(**fields)))
    return price_figures(facts, DAYS[-1])


def test_a_name_in_two_places_is_two_series_with_names_that_say_where() -> None:
    found = figures(
        *({"day": day, "entity": "饲料厂接", "price": price, **place}
          for day, price in zip(DAYS, (1600, 1610), strict=True)
          for place in (IN_YISHUI, IN_QINGDAO)),
        {"day": DAYS[1], "entity": "甲", **IN_YISHUI},
    )  # fmt: skip
    assert {*found.daily["entity"]} == {"甲", "饲料厂接(山东临沂沂水)", "饲料厂接(山东青岛)"}
    assert found.entities.loc["饲料厂接(山东青岛)", "region"] == "山东青岛"
    moved = price_trends(found).moved.set_index("entity")["day_change"]
    assert moved["饲料厂接(山东青岛)"] == moved["饲料厂接(山东临沂沂水)"] == 10


@pytest.mark.parametrize(
    "places",
    [
        [{"province": "山东", "city": "临沂"}, IN_YISHUI],
        [{"region": ""}, IN_YISHUI],
        [{"region": "山东省临沂市沂水县"}, IN_YISHUI, {"region": "沂水"}],
        [{"region": "山东"}, {"region": "山东省"}],
        [{"region": "东北"}, {"region": "东北地区"}],
    ],
)
def test_a_place_written_in_another_way_or_not_at_all_splits_no_series(
    places: list[dict[str, Any]],
) -> None:
    found = figures(*({"day": DAYS[0], "entity": "甲", **place} for place in places))
    assert found.daily["entity"].tolist() == ["甲"]


def test_all_quotes_of_a_series_count_to_its_smallest_place() -> None:
    places: list[dict[str, Any]] = [{"province": "山东"}] * 3 + [{}, IN_YISHUI]
    found = figures(*({"day": DAYS[0], "entity": "甲", **place} for place in places))
    own = found.entities.loc["甲"]
    assert (own["region"], own["province"], own["city"]) == ("山东临沂", "山东", "临沂")


def test_quotes_without_a_place_are_on_their_own_where_there_are_several() -> None:
    places = [YISHUI, QINGDAO, Location()]
    assert series_names(settled_places(("甲", place) for place in places)) == {
        ("甲", YISHUI): "甲(山东临沂沂水)",
        ("甲", QINGDAO): "甲(山东青岛)",
        ("甲", Location()): f"甲({UNKNOWN_PLACE})",
    }


def test_a_name_like_that_of_a_series_stays_another_series() -> None:
    names = series_names(
        settled_places([("甲", YISHUI), ("甲", QINGDAO), ("甲(山东青岛)", QINGDAO)])
    )
    assert names["甲(山东青岛)", QINGDAO] == "甲(山东青岛)"
    assert names["甲", QINGDAO] == "甲(山东青岛)2"


@given(st.sets(st.tuples(st.sampled_from(["甲", "甲(山东)", "乙"]), locations), max_size=12))
def test_names_are_as_different_as_the_series(series: set[tuple[str, Location]]) -> None:
    names = series_names(settled_places(series))
    assert names.keys() == series
    known = {name: {p for other, p in series if other == name} for name, _ in series}
    ends = {(name, settled(place, known[name])) for name, place in series}
    assert len(set(names.values())) == len(ends)


def test_the_place_of_a_quote_of_an_older_version_is_its_region_as_printed() -> None:
    assert location_of(make_quote(region="青岛平度市")) == ("山东", "青岛", "平度")
    assert location_of(make_quote(region="青岛", province="山东", city="临沂")) == (
        "山东",
        "临沂",
        "",
    )


def test_the_workbook_has_a_row_for_each_and_links_to_its_own_article(tmp_path: Any) -> None:
    quotes = [
        make_stored(
            make_quote(day, price, entity="饲料厂接", span=f"{place['city']}{price}", **place),
            article_url=f"http://127.0.0.1/{place['city']}/{day}",
        )
        for day, step in zip(DAYS, (0, 30), strict=True)
        for place, price in ((IN_YISHUI, 1600 + step), (IN_QINGDAO, 1700 - step))
    ]
    path = tmp_path / "x.xlsx"
    assert write_workbook(path, quotes, [], today=DAYS[-1]) == []
    book = openpyxl.load_workbook(path)
    names = ["饲料厂接(山东临沂沂水)", "饲料厂接(山东青岛)"]
    assert [row[2].value for row in book["价格矩阵"].iter_rows(min_row=2)] == names
    moves = {row[0]: row[7] for row in book["今日摘要"].values if row[0] in names}
    assert moves == {names[0]: "临沂1630", names[1]: "青岛1670"}
