from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from focuscrawl.text.places.gazetteer import (
    CITY,
    COUNTY,
    PROVINCE,
    Location,
    divisions,
    everyday_words,
    gazetteer,
    short_name,
)
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


PLACES = files("focuscrawl.text.places")


def test_every_level_is_complete() -> None:
    levels = Counter(division.level for division in divisions())
    assert levels[PROVINCE] == 34
    # 333 prefectures and 31 counties without one in the lists of 2024, and those of Taiwan.
    assert levels[CITY] >= 333 + 31
    # Districts such as 城区 and 矿区, whose names tell no city, are left out.
    assert levels[COUNTY] >= 2780


def test_each_place_is_there_once() -> None:
    found = Counter((division.names[0], division.location) for division in divisions())
    assert [place for place, count in found.items() if count > 1] == []


def test_added_names_are_those_of_listed_places() -> None:
    listed = (PLACES / "divisions.txt").read_text("utf-8").replace("=", " ").split()
    beside = {one.names[0] for one in divisions() if one.names[0] not in listed}
    assert {one.location.province for one in divisions() if one.names[0] in beside} == {
        "台湾",
        "黑龙江",  # 加格达奇区
    }


def test_every_place_is_a_part_of_another() -> None:
    places = {division.location for division in divisions()}
    for place in places:
        assert Location(place.province) in places or place.province == place.city
        assert not place.county or place._replace(county="") in places


@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("济南市", "山东 济南 "),
        ("莱城区", "山东 济南 莱芜"),
        ("即墨市", "山东 青岛 即墨"),
        ("黄岛区", "山东 青岛 黄岛区"),
        ("胶南市", "山东 青岛 黄岛区"),  # merged
        ("宽甸满族自治县", "辽宁 丹东 宽甸"),
        ("阿拉善左旗", "内蒙古 阿拉善 阿拉善左旗"),
        ("仙桃市", "湖北 仙桃 "),
        ("临高县", "海南 临高 "),
        ("胡杨河市", "新疆 胡杨河 "),
        ("黔江区", "重庆 重庆 黔江区"),
        ("海淀区", "北京 北京 海淀区"),
        ("哲里木盟", "内蒙古 通辽 "),
        ("襄樊市", "湖北 襄阳 "),
        ("加格达奇区", "黑龙江 大兴安岭 加格达奇区"),
        ("香港特别行政区", "香港 香港 "),
        ("台北市", "台湾 台北 "),
    ],
)
def test_names_present_and_former(name: str, location: str) -> None:
    places = [division.location for division in divisions() if name in division.names]
    assert places == [Location(*location.split(" "))]


def test_everyday_words_are_short_names_of_places() -> None:
    short = {short_name(name) for division in divisions() for name in division.names}
    assert everyday_words() - short - {"农垦"} <= {"万山", "峰峰"}


@pytest.mark.parametrize(
    ("name", "short"),
    [("寿光市", "寿光"), ("莘县", "莘县"), ("和田地区", "和田"), ("扎鲁特旗", "扎鲁特"), ("巴林左旗", "巴林左旗")],
)  # fmt: skip
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short
