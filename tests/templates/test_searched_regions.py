"""Known regions, and addresses certainly outside of them."""

from __future__ import annotations

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.templates.searched_regions import Regions


@pytest.mark.parametrize(
    "name",
    [
        "四川", "四川省", "成都", "成都市", "四川成都", "四川省 成都市", "内蒙古", "内蒙古自治区", "新疆维吾尔自治区",
        "延边", "安溪", "安溪县", "北京", "北京市", "香港", "臺灣", "廣東", "廣東省深圳市", "北京海淀", "成都高新区",
        "上海浦东新区", "华东", "全国", "长三角",
    ],
)  # fmt: skip
def test_places_of_the_gazetteer_are_known(name: str) -> None:
    assert not Regions([name]).exclude([])


@pytest.mark.parametrize(
    ("name", "near"),
    [("火星", ""), ("成督", "成都"), ("si chuan", ""), ("黑龙疆", "黑龙江"), ("", "")],
)
def test_an_unknown_place_is_reported_in_one_sentence(name: str, near: str) -> None:
    with pytest.raises(ArgumentError, match="is not a known place") as raised:
        Regions(["四川", name])
    sentence = str(raised.value)
    assert repr(name) in sentence
    assert near in sentence
    assert "\n" not in sentence


ELSEWHERE = {
    "四川": ["山东省济南市历下区经十路1号", "中国上海市浦东新区张江路5号", "北京朝阳区建国路88号",
            "廣東省深圳市南山区科技园", "江苏 南京 玄武大道12号", "济南市高新区舜华路1号"],
    "成都": ["四川省绵阳市涪城区云栈路3号", "绵阳市涪城区云栈路3号", "山东省济南市"],
    "安溪": ["福建省厦门市思明区1号", "广东广州天河区1号"],
    "北京海淀": ["上海市徐汇区漕溪路1号", "河北省石家庄市裕华区1号"],
}  # fmt: skip
WITHIN = {
    "四川": [
        "四川省成都市武侯区1号",
        "成都市武侯区",
        "绵阳市涪城区",
        "四川 德阳",
        "成都天府大道1号",
    ],
    "四川省": ["四川省成都市武侯区1号"],
    "成都": ["成都市武侯区1号", "四川省成都市高新区", "四川成都双流区", "四川省天府大道1号"],
    "安溪": ["福建省泉州市安溪县凤城镇", "福建安溪", "安溪县", "泉州市丰泽区"],
    "北京海淀": ["北京市海淀区中关村大街1号", "北京朝阳区1号"],
    "全国": ["山东省济南市", "上海市"],
    "臺灣": ["台湾台北市信义区"],
}
UNCLEAR = [
    "北京路12号", "上海西路5号", "南京大道9号", "天府三街1号", "高新区科技园3号楼", "No. 5 Zhangjiang Road, Shanghai",
    "610000", "", "太湖花园5栋", "朝阳区建国路88号", "朝阳望京SOHO",
    "长安区中山路1号", "上海张江科技园", "河南岸新村1号", "联系我们", "济南路", "和平区1号",
]  # fmt: skip


@pytest.mark.parametrize(
    ("region", "address"), [(region, one) for region, many in ELSEWHERE.items() for one in many]
)
def test_an_address_of_another_province_or_prefecture(region: str, address: str) -> None:
    assert Regions([region]).exclude([address])
    assert not Regions([]).exclude([address])
    assert not Regions([region, "全国"]).exclude([address])


@pytest.mark.parametrize(
    ("region", "address"),
    [(region, one) for region, many in WITHIN.items() for one in many]
    + [("四川", one) for one in UNCLEAR],
)
def test_an_address_within_or_not_certain(region: str, address: str) -> None:
    assert not Regions([region]).exclude([address])


def test_one_address_that_may_be_within_is_enough() -> None:
    outside, within = "山东省济南市历下区1号", "四川省成都市1号"
    assert Regions(["四川", "吉林"]).exclude([outside, outside])
    assert not Regions(["四川", "吉林"]).exclude([outside, within])
    assert not Regions(["四川", "山东"]).exclude([outside])
    assert not Regions(["四川"]).exclude([outside, "天府三街1号"])
    assert not Regions(["四川"]).exclude([])
