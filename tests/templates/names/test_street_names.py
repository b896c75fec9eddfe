"""Addresses with street names that are also words of sentences, and with unusual last parts."""

from __future__ import annotations

import pytest

from focuscrawl.templates.names.postal_addresses import addresses


@pytest.mark.parametrize(
    "address",
    [
        "成都市武侯区人民南路四段19号江天大厦12楼",
        "昆明市五华区青年路432号",
        "南京市江宁区将军大道8号",
        "长春市朝阳区自由大路1000号",
        "南宁市青秀区教育路7号",
        "河南省新县政府街12号",
        "上海市嘉定区江桥镇曹安公路2509号8号门",
        "西安市碑林区东大街步行街江天元1907",
        "扬州五龙国际玩具城3栋218号",
        "湖南省浏阳市大瑶镇南山村杨家片",
        "内蒙古锡林郭勒盟苏尼特右旗朱日和镇阿尔山嘎查",
    ],
)
def test_whole_addresses(address: str) -> None:
    assert [span.text for span in addresses(f"总部：{address}")] == [address]


@pytest.mark.parametrize(
    "text",
    [
        "2014年人民政府在长沙市人民路召开会议",
        "杭州市教育局在文三路召开会议",
        "长沙市人民政府 www.changsha.example",
    ],
)
def test_sentences_contain_no_address(text: str) -> None:
    assert addresses(text) == []
