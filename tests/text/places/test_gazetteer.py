from __future__ import annotations

import pytest

from focuscrawl.text.places.gazetteer import CITY, COUNTY, PROVINCE, gazetteer, provinces
from focuscrawl.text.places.place_names import is_certain_place, place_at


@pytest.mark.parametrize(
    ("name", "level", "held_by"),
    [
        ("山东省", PROVINCE, {"山东"}),
        ("内蒙古", PROVINCE, {"内蒙古"}),
        ("潍坊", CITY, {"山东"}),
        ("吉林", PROVINCE, {"吉林"}),  # also a city
        ("寿光", COUNTY, {"山东"}),
        ("朝阳", CITY, {"辽宁"}),  # 朝阳区 is known with its class only
    ],
)
def test_levels_and_provinces(name: str, level: int, held_by: set[str]) -> None:
    place = gazetteer()[name]
    assert (place.level, place.provinces) == (level, held_by)


@pytest.mark.parametrize("word", ["公安", "方正", "大方", "长寿"])
def test_everyday_words_are_not_places(word: str) -> None:
    assert word not in gazetteer()
    assert any(f"{word}{end}" in gazetteer() for end in "县区")


def test_every_place_of_the_list_is_found_in_full_length() -> None:
    names = {name for rows in provinces().values() for row in rows for name in row} | {*provinces()}
    assert len(provinces()) == 34
    assert {name for name in names if place_at(f"{name}。", 0) != len(name)} == set()
    assert all(is_certain_place(name) for name in provinces())
