from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.places.gazetteer import MUNICIPALITIES, Division, Location, divisions
from focuscrawl.text.places.locations import located, places_by_name, prefecture_of


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("平度", "山东 青岛 平度"),
        ("青島", "山东 青岛 "),
        ("陝西乾縣", "陕西 咸阳 乾县"),
        ("山东省 莘 县", "山东 聊城 莘县"),
        ("青岛", "山东 青岛 "),
        ("山东", "山东  "),
        ("山东省莘县", "山东 聊城 莘县"),
        ("山东东昌府区", "山东 聊城 东昌府区"),
        ("山东莱芜莱芜市", "山东 济南 莱芜"),
        ("潍坊市寿光", "山东 潍坊 寿光"),
        ("吉林", "吉林  "),
        ("吉林省吉林市", "吉林 吉林 "),
        ("榆树", "吉林 长春 榆树"),
        ("延边", "吉林 延边 "),
        ("新疆昌吉州昌吉市", "新疆 昌吉 昌吉"),
        ("北京", "北京 北京 "),
        ("北京市通州区", "北京 北京 通州区"),
        ("北京市朝阳区", "北京 北京 朝阳区"),
        ("朝阳", "  "),  # in Liaoning or Beijing
        ("辽宁朝阳", "辽宁 朝阳 "),
        ("吉林朝阳", "吉林 长春 朝阳区"),
        ("通州", "  "),
        ("和平", "  "),
        ("西湖", "  "),
        ("杭州西湖", "浙江 杭州 西湖区"),
        ("鼓楼区", "  "),
        ("市中区", "  "),
        ("山东枣庄市中区", "山东 枣庄 市中区"),
        ("永安", "  "),  # an everyday word
        ("福建永安", "福建 三明 永安"),
        ("海拉尔", "内蒙古 呼伦贝尔 海拉尔区"),
        ("满洲里", "内蒙古 呼伦贝尔 满洲里"),
        ("格尔木", "青海 海西 格尔木"),
        ("阿拉善", "内蒙古 阿拉善 "),
        ("内蒙通辽", "内蒙古 通辽 "),
        ("科左中旗", "内蒙古 通辽 科尔沁左翼中旗"),
        ("双阳", "吉林 长春 双阳区"),
        ("嫩江", "黑龙江 黑河 嫩江"),  # not the former prefecture of Qiqihar
        ("合江", "四川 泸州 合江"),
        ("土左旗", "内蒙古 呼和浩特 土默特左旗"),
        ("邢台市桥西区", "河北 邢台 信都区"),
        ("仙桃", "湖北 仙桃 "),
        ("神农架", "湖北 神农架 "),
        ("海南临高", "海南 临高 "),
        ("海南", "海南  "),
        ("石河子", "新疆 石河子 "),
        ("黑龙江农垦", "黑龙江  "),
        ("襄樊", "湖北 襄阳 "),
        ("哲里木盟", "内蒙古 通辽 "),
        ("巢湖", "安徽 合肥 巢湖"),
        ("公主岭", "吉林 长春 公主岭"),
        ("天津河北区", "天津 天津 河北区"),
        ("天津、河北", "  "),
        ("冀中", "  "),
        ("华北", "  "),
        ("Shandong", "山东  "),
        ("Jinzhou port", "辽宁 锦州 "),
        ("山东潍坊寿光市昌乐", "山东 潍坊 "),  # two counties: only what they share
        ("山东省市中区", "山东  "),  # in several prefectures
        ("江苏徐州,安徽宿州", "  "),
        ("河南山东交界", "  "),
        ("东北海城", "辽宁 鞍山 海城"),
        ("华东阳谷", "山东 聊城 阳谷"),
        ("大连中山区", "辽宁 大连 中山区"),
        ("青海海南州", "青海 海南 "),
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
        ("北京", "朝阳", "北京 北京 朝阳区"),
        ("江苏", "通州", "江苏 南通 通州"),
        ("南通", "通州", "江苏 南通 通州"),
        ("河北", "大名", "河北 邯郸 大名"),
        ("山东", "诸城兴贸", "山东 潍坊 诸城"),
        ("山东", "和平", "山东  "),
    ],
)
def test_a_name_decides_within_a_province(region: str, name: str, location: str) -> None:
    assert located(region, name) == Location(*location.split(" "))


def test_every_place_is_found_by_its_full_path() -> None:
    wrong = [one for one in divisions() if located(full_path(one)) != one.location]
    assert wrong == []


def full_path(division: Division) -> str:
    province, city, _county = division.location
    return province + ("" if city in MUNICIPALITIES else city) + division.names[0]


@given(st.sampled_from(divisions()), st.sampled_from(divisions()))
def test_a_name_beside_its_province_is_nowhere_else(named: Division, other: Division) -> None:
    place = located(named.location.province, named.names[0])
    assert named.location.is_within(place)
    assert named.location.province == place.province
    beside = located(other.location.province, named.names[0])
    assert beside.province in ("", other.location.province, named.location.province)


@given(st.lists(st.sampled_from(sorted(places_by_name())), max_size=4), st.text(max_size=3))
def test_a_location_is_one_of_the_gazetteer(names: list[str], between: str) -> None:
    place = located(between.join(names))
    assert not place.county or (place.city and place.province)
    assert not place.city or place.province
    known = {one for places in places_by_name().values() for one in places}
    assert place == Location() or place in known


@pytest.mark.parametrize(
    ("region", "prefecture"),
    [
        ("潍坊市寿光", "山东潍坊"),
        ("山东潍坊市寿光", "山东潍坊"),
        ("山东省寿光市", "山东潍坊"),
        ("潍坊", "山东潍坊"),
        ("山东省 莘 县", "山东聊城"),
        ("滨州市邹平", "山东滨州"),
        ("山东枣庄市中区", "山东枣庄"),
        ("吉林省吉林市", "吉林"),
        ("吉林省松原市扶余", "吉林松原"),
        ("黑龙江绥化", "黑龙江绥化"),
        ("内蒙古通辽", "内蒙古通辽"),
        ("广东深圳", "广东深圳"),
        ("山东", "山东"),
        ("北京", "北京"),
        ("北京顺义区", "北京"),
        ("重庆万州", "重庆"),
        ("天津市静海县", "天津"),
        ("国外某地", "国外某地"),
        ("", ""),
    ],
)
def test_a_region_belongs_to_its_prefecture(region: str, prefecture: str) -> None:
    assert prefecture_of(region) == prefecture


@given(st.text(max_size=30))
def test_any_text_is_accepted_and_the_result_is_stable(region: str) -> None:
    once = prefecture_of(region)
    assert prefecture_of(once) == once
