from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.places.gazetteer import provinces
from focuscrawl.text.places.locations import Location, located, places_by_name


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("平度", "山东 青岛 平度"),
        ("青岛", "山东 青岛 "),
        ("山东", "山东  "),
        ("山东省莘县", "山东 聊城 莘县"),
        ("山东东昌府区", "山东 聊城 东昌府区"),
        ("山东莱芜莱芜市", "山东 莱芜 "),
        ("潍坊市寿光", "山东 潍坊 寿光"),
        ("吉林", "吉林  "),
        ("吉林省吉林市", "吉林 吉林 "),
        ("榆树", "吉林 长春 榆树"),
        ("延边", "吉林 延边 "),
        ("新疆昌吉州昌吉市", "新疆 昌吉 昌吉"),
        ("北京", "北京 北京 "),
        ("北京市通州区", "北京 北京 通州区"),
        ("北京市朝阳区", "北京 北京 "),  # the gazetteer has that of Changchun only
        ("山东潍坊寿光市昌乐", "山东 潍坊 "),  # two counties: only what they share
        ("山东省市中区", "山东  "),  # in several prefectures
        ("江苏徐州,安徽宿州", "  "),
        ("河南山东交界", "  "),
        ("东北海城", "辽宁 鞍山 海城"),
        ("华东阳谷", "山东 聊城 阳谷"),
        ("大连中山区", "辽宁 大连 "),  # not that of Guangdong
        ("青海海南州", "青海  "),
        ("宁晋", "河北 邢台 宁晋"),
        ("即墨区", "山东 青岛 即墨"),  # was 即墨市
        ("东北", "  "),
        ("", "  "),
    ],
)
def test_location_of_a_text(text: str, location: str) -> None:
    assert located(text) == Location(*location.split(" "))


@pytest.mark.parametrize(
    ("region", "name", "location"),
    [
        ("山东潍坊寿光市", "昌乐盛泰", "山东 潍坊 昌乐"),
        ("华东", "平度", "山东 青岛 平度"),
        ("北京", "朝阳", "北京 北京 "),
        ("江苏", "通州", "江苏  "),
        ("南通", "通州", "  "),
        ("河北", "大名", "河北 邯郸 大名"),
    ],
)
def test_a_name_decides_within_a_province(region: str, name: str, location: str) -> None:
    assert located(region, name) == Location(*location.split(" "))


def test_every_county_is_found_below_its_province() -> None:
    wrong = [
        (long_name, name)
        for long_name, prefectures in provinces().items()
        for names in prefectures
        for name in names
        if located(long_name + names[0] + name).province not in long_name
    ]
    assert wrong == []


@given(st.lists(st.sampled_from(sorted(places_by_name())), max_size=4), st.text(max_size=3))
def test_a_location_is_one_of_the_gazetteer(names: list[str], between: str) -> None:
    place = located(between.join(names))
    assert not place.county or (place.city and place.province)
    assert not place.city or place.province
    known = {one for places in places_by_name().values() for one in places}
    assert place == Location() or any(one.province == place.province for one in known)
