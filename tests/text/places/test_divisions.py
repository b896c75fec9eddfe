from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from focuscrawl.text.places.divisions import (
    CITY,
    COUNTY,
    PROVINCE,
    Location,
    divisions,
    everyday_words,
    short_name,
)

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
