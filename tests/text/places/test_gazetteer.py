from __future__ import annotations

import pytest

from focuscrawl.text.places.divisions import divisions
from focuscrawl.text.places.gazetteer import CITY, COUNTY, PROVINCE, gazetteer
from focuscrawl.text.places.locations import is_certain_place, place_at


@pytest.mark.parametrize(
    ("name", "level", "held_by"),
    [
        ("山东省", PROVINCE, {"山东"}),
        ("内蒙古", PROVINCE, {"内蒙古"}),
        ("潍坊", CITY, {"山东"}),
        ("吉林", PROVINCE, {"吉林"}),  # also a city
        ("寿光", COUNTY, {"山东"}),
        ("朝阳", CITY, {"辽宁"}),  # 朝阳区 is known with its class only
        ("河南", PROVINCE, {"河南"}),  # also a county in Qinghai
        ("和田", CITY, {"新疆"}),
        ("满洲里", COUNTY, {"内蒙古"}),
        ("哲里木盟", CITY, {"内蒙古"}),
    ],
)
def test_levels_and_provinces(name: str, level: int, held_by: set[str]) -> None:
    place = gazetteer()[name]
    assert (place.level, place.provinces) == (level, held_by)


@pytest.mark.parametrize(
    "word", ["从江", "加查", "干安", "和平", "西湖", "惠民地区", "Shandong", "新市区"]
)
def test_names_that_running_text_has_for_something_else_are_left_out(word: str) -> None:
    assert word not in gazetteer()


@pytest.mark.parametrize("word", ["公安", "方正", "大方", "长寿", "合作", "平安"])
def test_everyday_words_are_not_places(word: str) -> None:
    assert word not in gazetteer()
    assert any(f"{word}{end}" in gazetteer() for end in "县区市")


def test_every_place_is_found_in_full_length() -> None:
    names = {division.names[0] for division in divisions()} & set(gazetteer())
    assert len(names) > 2700
    assert {name for name in names if place_at(f"{name}。", 0) != len(name)} == set()
    assert all(is_certain_place(one.names[0]) for one in divisions() if one.level == PROVINCE)
