"""Values of each type, in texts written for these tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.templates.extraction.address_lines import joined_address, without_tail
from focuscrawl.templates.extraction.page_extraction import linked_value
from focuscrawl.templates.extraction.page_lines import decoded
from focuscrawl.templates.extraction.value_readers import (
    emails,
    phones,
    postcodes,
    qq_numbers,
    qq_of_link,
    read_typed,
    web_addresses,
)
from focuscrawl.templates.keywords import fold
from focuscrawl.templates.template_model import FieldType


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0571-88001234", ["0571-88001234"]),
        ("(0571)88001234", ["0571-88001234"]),
        ("0571 8800 1234", ["0571-88001234"]),
        ("0571－8800－1234", ["0571-88001234"]),
        ("0571一88001234", ["0571-88001234"]),
        ("010-5550199", ["010-5550199"]),
        ("13800571234", ["13800571234"]),
        ("138-0057-1234", ["13800571234"]),
        ("138 0057 1234", ["13800571234"]),
        ("400-800-1234", ["400-800-1234"]),
        ("4008001234转1", ["400-800-1234-1"]),
        ("8008001234", ["800-800-1234"]),
        ("+86 138 0057 1234", ["+86-13800571234"]),
        ("8613800571234", ["+86-13800571234"]),
        ("0086-571-88001234", ["+86-571-88001234"]),
        ("(8610)88001234", ["+86-10-88001234"]),
        ("[0571]88001234", ["0571-88001234"]),
        ("0571·88001234", ["0571-88001234"]),
        ("0571:88001234", ["0571-88001234"]),
        ("+86(0)571 88001234", ["0571-88001234"]),
        ("(+86-571)88001234", ["+86-571-88001234"]),
        ("0571-88001234转801", ["0571-88001234-801"]),
        ("0571-88001234分机801", ["0571-88001234-801"]),
        ("0571-88001234-801/802", ["0571-88001234-801", "0571-88001234-802"]),
        ("0571-88001234/88001235", ["0571-88001234", "0571-88001235"]),
        ("0571-88001234、35", ["0571-88001234", "0571-88001235"]),
        ("0571-8001234 8001235", ["0571-8001234", "0571-8001235"]),
        ("0571-8800 1234,8800 1235", ["0571-88001234", "0571-88001235"]),
        ("0571-88001234 13800571234", ["0571-88001234", "13800571234"]),
        ("0571-88001234（王先生）、88001235（李先生）", ["0571-88001234", "0571-88001235"]),
        ("+1 604 555 0123", ["+16045550123"]),
    ],
)
def test_phones(text: str, expected: list[str]) -> None:
    assert [found.value for found in phones(fold(text))] == expected


@pytest.mark.parametrize(
    "text",
    [
        "2018-09-10 08:30",
        "浙ICP备05034109号",
        "浙公网安备33010802000011号",
        "913301001234567890",
        "0571-00000000",
        "13800000000",
        "88001234",
        "3.1415926535",
        "1202020209900012345",
    ],
)
def test_no_phone_without_label(text: str) -> None:
    assert phones(fold(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("88001234", ["88001234"]),
        ("8800 1234", ["88001234"]),
        ("88001234、88001235", ["88001234", "88001235"]),
        ("95588", ["95588"]),
        ("(852) 2345 6789", ["85223456789"]),
        ("(604) 555-0123", ["6045550123"]),
        ("604.555.0123", ["6045550123"]),
        ("2021.08.08", []),
        ("20210808", []),
        ("1380000XXXX", []),
        ("654679754131", []),
    ],
)
def test_phones_after_a_label(text: str, expected: list[str]) -> None:
    assert [found.value for found in phones(text, labelled=True)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("info@firm.cn", ["info@firm.cn"]),
        ("Info@Firm.CN", ["Info@firm.cn"]),
        ("info＠firm．com．cn", ["info@firm.com.cn"]),
        ("info#at#firm.cn", ["info@firm.cn"]),
        ("info(at)firm.cn", ["info@firm.cn"]),
        ("info [at] firm [dot] cn", ["info@firm.cn"]),
        ("info @ firm . com", ["info@firm.com"]),
        ("a@firm.cn/b@firm.cn", ["a@firm.cn", "b@firm.cn"]),
        ("info@firm.comTel:0571", ["info@firm.com"]),
        ("logo@2x.png", []),
        ("your@email.com", []),
        ("name@example.com", []),
        ("info#firm.cn", []),
    ],
)
def test_emails(text: str, expected: list[str]) -> None:
    assert [found.value for found in emails(fold(text))] == expected


def test_obfuscated_email_after_a_label() -> None:
    assert [found.value for found in emails("info#firm.cn", labelled=True)] == ["info@firm.cn"]


def test_protected_email() -> None:
    assert decoded("2a43444c456a4c435847044944") == "info@firm.cn"
    assert decoded("2a4") == decoded("") == decoded("zz") == decoded("ffff") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("www.firm.cn", ["www.firm.cn"]),
        ("http://www.firm.com.cn/", ["http://www.firm.com.cn"]),
        ("ｗｗｗ．ｆｉｒｍ．ｃｎ", ["www.firm.cn"]),
        ("www. firm .cn", ["www.firm.cn"]),
        ("www.firm.cn www.firm.com", ["www.firm.cn", "www.firm.com"]),
        ("http://www.firm.cn/news/1.html", []),
        ("https://beian.miit.gov.cn", []),
        ("firm.cn", []),
        ("info@firm.cn", []),
    ],
)
def test_web_addresses(text: str, expected: list[str]) -> None:
    assert [found.value for found in web_addresses(fold(text))] == expected


def test_web_address_after_a_label() -> None:
    assert [found.value for found in web_addresses("firm.cn", labelled=True)] == ["firm.cn"]


def test_postcodes() -> None:
    assert [found.value for found in postcodes("文三路(310012)")] == ["310012"]
    assert [found.value for found in postcodes("310012", labelled=True)] == ["310012"]
    assert [found.value for found in postcodes("M1H 3H3", labelled=True)] == ["M1H 3H3"]
    assert postcodes("310012") == []
    assert postcodes("0571-310012 123456", labelled=True) == []


def test_qq_numbers() -> None:
    assert [found.value for found in qq_numbers("23456789 / 34567890", labelled=True)] == [
        "23456789",
        "34567890",
    ]
    assert qq_numbers("23456789") == qq_numbers("12345678", labelled=True) == []
    assert qq_of_link("http://wpa.qq.com/msgrd?v=3&uin=23456789&site=qq") == "23456789"
    assert qq_of_link("tencent://message/?uin=23456789&Site=firm") == "23456789"
    assert qq_of_link("http://firm.cn/?uin=23456789") == ""


def test_linked_values() -> None:
    assert linked_value("tel:0571-88001234") == (FieldType.PHONE, "0571-88001234")
    assert linked_value("MAILTO:info%40firm.cn?subject=x") == (FieldType.EMAIL, "info@firm.cn")
    assert linked_value("javascript:void(0)") is None


def test_address_on_two_lines() -> None:
    assert joined_address("杭州市西湖区", "文三路100号6楼") == "杭州市西湖区文三路100号6楼"
    assert joined_address("杭州市文三路100号", "宁波市中山路8号") == ""
    assert joined_address("杭州市西湖区", "欢迎来电咨询。") == ""
    assert (
        joined_address("100 Main Street", "Toronto, Canada") == "100 Main Street, Toronto, Canada"
    )


def test_text_after_an_address_is_removed() -> None:
    assert without_tail("杭州市文三路100号 在线留言") == "杭州市文三路100号"
    assert without_tail("杭州市 西湖区 文三路 100号") == "杭州市 西湖区 文三路 100号"


@given(st.text(), st.sampled_from(FieldType), st.booleans())
def test_offsets_of_values(text: str, type_: FieldType, labelled: bool) -> None:
    for found in read_typed(type_, text, labelled=labelled):
        assert 0 <= found.start <= found.end <= len(text)
        assert 0 <= found.sure <= 1


@given(st.text())
def test_folding_keeps_offsets(text: str) -> None:
    assert len(fold(text)) == len(text)
