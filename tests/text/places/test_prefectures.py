from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.places.prefectures import prefecture_of


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
