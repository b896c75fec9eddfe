"""Contact data without a separator from the text next to it, or with two labels."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields
PAGES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "address before the next label": (
        "<p>地址：浙江省杭州市西湖区文三路工业园电话：0571-88001234传真：0571-88001235</p>",
        {
            "address": ["浙江省杭州市西湖区文三路工业园"],
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
        },
    ),
    "e-mail before the next label": (
        "<p>邮箱：info@firm.cn网址：www.firm.cn</p>",
        {"email": ["info@firm.cn"], "homepage": ["www.firm.cn"]},
    ),
    "label of a label": ("<p>联系方式：销售热线：0571-88001234</p>", {"phone": ["0571-88001234"]}),
    "departments in a list": (
        "<dl><dt>外贸部：</dt><dd>0571-88001234</dd><dt>传　真：</dt><dd>0571-88001235</dd></dl>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "second meaning in brackets": (
        "<p>办公室电话（传真）：0571-88001234</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001234"]},
    ),
    "second meaning behind the number": (
        "<p>办公室：0571-88001234（兼传真）</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001234"]},
    ),
    "second meaning in one word": (
        "<p>电话暨传真：0571-88001234</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001234"]},
    ),
    "what prose says": (
        "<p>请致电0571-88001234，或发传真至0571-88001235</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "a floor is no label": (
        "<p>地址：杭州市西湖区文三路100号新时代大厦15F 电话：0571-88001234</p>",
        {"address": ["杭州市西湖区文三路100号新时代大厦15F"], "phone": ["0571-88001234"]},
    ),
    "numbers side by side": (
        "<p>手机：<span>13800012345</span><span>13900012346</span></p>",
        {"phone": ["13800012345", "13900012346"]},
    ),
    "postcode in a line of its own": (
        "<ul><li>杭州市西湖区文三路100号</li><li>0571-88001234</li><li>310012</li></ul>",
        {
            "address": ["杭州市西湖区文三路100号"],
            "phone": ["0571-88001234"],
            "postcode": ["310012"],
        },
    ),
    "postcode behind its sign": (
        "<p>地址：〒310012 浙江省杭州市西湖区文三路100号</p>",
        {"address": ["浙江省杭州市西湖区文三路100号"], "postcode": ["310012"]},
    ),
    "country code and trunk prefix": (
        "<p>电 话： 86 0571 88001234</p><p>传 真： +86 (0)571 88001235</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "further number behind a country code": (
        "<p>Tel: 0086-571-88001234, 88001236</p>",
        {"phone": ["+86-571-88001234", "0571-88001236"]},
    ),
    "values of all kinds before other words": (
        "<p>手机：+86 13800012345工作时间：8:00-17:30网址：www.firm.cn联系人：王先生电话：0571-88001234</p>",
        {"phone": ["+86-13800012345", "0571-88001234"], "homepage": ["www.firm.cn"]},
    ),
    "an e-mail address is no label": (
        "<table><tr><td>邮箱</td><td>sales@qq.com</td></tr><tr><td>电话</td><td>0571-88001234</td></tr></table>",
        {"email": ["sales@qq.com"], "phone": ["0571-88001234"]},
    ),
    "the end of a firm's name is no label": (
        "<p>公司：杭州某某机械有限公司 | 电话：0571-88001234 | 联系人：王先生</p>",
        {"phone": ["0571-88001234"]},
    ),
    "all labels, then all values": (
        "<div><p>厂名：</p><p>24小时热线：</p><p>联系人：</p><p>传真：</p><p>邮编：</p><p>客服QQ：</p></div>"
        "<div><p>杭州江天机械厂</p><p>13800012345</p><p>王先生</p><p>0571-88001235</p><p>310012</p><p>12233445</p></div>",
        {
            "phone": ["13800012345"],
            "fax": ["0571-88001235"],
            "postcode": ["310012"],
            "qq": ["12233445"],
        },
    ),
    "an area code in brackets is none of the label's": (
        "<p>电话&nbsp;&nbsp;（0571）88001234</p>",
        {"phone": ["0571-88001234"]},
    ),
    "a column with a gap": (
        "<table><tr><th>网点</th><th>电话</th><th>传真</th></tr><tr><td>一部</td><td>0571-88001234</td><td></td></tr>"
        "<tr><td>二部</td><td>0571-88001236</td><td>0571-88001235</td></tr></table>",
        {"phone": ["0571-88001234", "0571-88001236"], "fax": ["0571-88001235"]},
    ),
    "departments and their local numbers in cells": (
        "<table><tr><td>校长室</td><td>8800123</td><td>教务处</td><td>8800124、8800125</td></tr>"
        "<tr><td>学校代码</td><td>8800126</td></tr></table>",
        {"phone": ["8800123", "8800124", "8800125"]},
    ),
    "who made the site, in prose": (
        "<p>电话：0571-88001234</p><p>网站由 杭州江天网络 设计制作 TEL:0571-88001299 QQ:7788990</p>",
        {"phone": ["0571-88001234"]},
    ),
    "hours behind a number": (
        "<p>传真：0571-88001235，24小时热线：13800012345</p>",
        {"fax": ["0571-88001235"], "phone": ["13800012345"]},
    ),
    "a number that is for messages, too": (
        "<dl><dt>电话/微信</dt><dd>13800012345</dd><dt>传真</dt><dd>0571-88001235</dd></dl>"
        "<p>微信/手机 13800012346</p><p>微信 jiangtian88</p>",
        {"phone": ["13800012345", "13800012346"], "fax": ["0571-88001235"]},
    ),
    "two houses of a street": (
        "<p>总部地址：浙江省杭州市西湖区文三路100号A座1001室</p><p>分部地址：浙江省杭州市西湖区文三路102号B座1002室</p>",
        {
            "address": [
                "浙江省杭州市西湖区文三路100号A座1001室",
                "浙江省杭州市西湖区文三路102号B座1002室",
            ]
        },
    ),
    "an address in a letter": (
        "<p>欢迎您通过以下方式与我们取得联系：您可以拨打我们的电话0571-88001234，或发传真至0571-88001235，"
        "我们的工作人员会在一天内答复。来函请寄：浙江省杭州市西湖区文三路100号江天大厦A座1105室，邮政编码310012。</p>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": ["浙江省杭州市西湖区文三路100号江天大厦A座1105室"],
            "postcode": ["310012"],
        },
    ),
    "local numbers beside mobile ones": (
        "<p>电话：8800123（白天）13800012345（夜间）</p><p>热线：400-123-4567 / 88001234</p><p>手机：13800012346、88001235</p>",
        {
            "phone": [
                "8800123",
                "13800012345",
                "400-123-4567",
                "88001234",
                "13800012346",
                "88001235",
            ]
        },
    ),
    "lines that are addresses": (
        "<p>胶州市胶莱镇马店工业园</p><p>江苏省无锡市新吴区菱湖大道200号传感网国际创新园E2-501</p><p>杭州市西湖区文三路改造工程开工</p>",
        {
            "address": [
                "胶州市胶莱镇马店工业园",
                "江苏省无锡市新吴区菱湖大道200号传感网国际创新园E2-501",
            ]
        },
    ),
    "local number to order at": ("<p>订座：88001234</p>", {"phone": ["88001234"]}),
}


@pytest.mark.parametrize(("html", "expected"), PAGES.values(), ids=PAGES.keys())
def test_values(html: str, expected: dict[str, list[str]]) -> None:
    values = read_page(html, "http://www.firm.example/", FIELDS).values
    found = {name: sorted(value.value for value in own) for name, own in values.items()}
    assert found == {name: sorted(own) for name, own in expected.items()}


def test_a_number_is_not_a_name() -> None:
    html = "<p>公司：杭州江天机械有限公司 | QQ：907091605 | 手机：13800012345</p>"
    reading = read_page(html, "http://www.firm.example/", FIELDS)
    names = combine(reading, [], FIELDS)["name"]
    assert [name.value for name in names] == ["杭州江天机械有限公司"]
