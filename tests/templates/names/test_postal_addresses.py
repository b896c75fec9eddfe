from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.templates.names.name_words import readable
from focuscrawl.templates.names.postal_addresses import addresses, looks_like_address, trim_address
from tests.templates.address_examples import LABELLED, NONE, RUNNING

PIECES = (
    "地址：|公司地址|四川省|成都市|青羊区|江北县|某某路|12号|5栋|3楼|大厦|（近北门）|(|)|（|，|,| |\u3000|\n|邮编：|610000"
    "|电话：|028-12345678|13800000000|No. 8|Road|China|Add:|公司|成立于|\u200b|𠀀|İ|地 址|交叉口|中国|自由贸易试验区|A座"
).split("|")
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map("".join)


@pytest.mark.parametrize(("text", "address"), LABELLED)
def test_text_around_an_address_is_removed(text: str, address: str) -> None:
    assert trim_address(text) == address


@pytest.mark.parametrize("address", [address for _, address in LABELLED])
def test_addresses_after_labels_look_like_addresses(address: str) -> None:
    assert looks_like_address(address) >= 0.35


@pytest.mark.parametrize(("text", "found"), RUNNING)
def test_addresses_are_found_in_running_text(text: str, found: list[str]) -> None:
    assert [span.text for span in addresses(text)] == found


@pytest.mark.parametrize("text", NONE)
def test_no_address_is_found_in_other_text(text: str) -> None:
    assert addresses(text) == []


@pytest.mark.parametrize(
    "text", ["京ICP备00000000号", "首页 > 关于我们", "某某软件有限公司", "2020-01-01", "路"]
)
def test_other_text_does_not_look_like_an_address(text: str) -> None:
    assert looks_like_address(text) < 0.2


def test_a_full_address_is_surer_than_a_part_of_it() -> None:
    full, street, place = "四川省绵阳市涪城区青云路18号", "青云路18号", "四川省绵阳市"
    assert looks_like_address(full) > looks_like_address(street) > looks_like_address(place) > 0


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_offsets_of_addresses_are_valid_and_in_order(text: str) -> None:
    spans = addresses(text)
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert span.text == readable(text[span.start : span.end])
        assert 0 < span.confidence <= 1
    assert spans == sorted(spans)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_trimming_an_address_twice_changes_nothing(text: str) -> None:
    trimmed = trim_address(text)
    assert trim_address(trimmed) == trimmed
    assert len(trimmed) <= len(text)
    assert 0 <= looks_like_address(trimmed) <= 1


# Addresses with street names that are also words of sentences, and with unusual last parts.


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
