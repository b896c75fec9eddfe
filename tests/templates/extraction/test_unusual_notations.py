"""Notations of contact data that no recorded site has: all invented."""

from __future__ import annotations

import pytest

from tests.templates.extraction.value_reading import values


@pytest.mark.parametrize(
    ("html", "phones"),
    [
        ("<p>手机：1 3 8 5 7 4 0 1 2 3 6</p>", ["13857401236"]),
        ("<p>电话：0527-8123 456 8123 466</p>", ["0527-8123456", "0527-8123466"]),
        ("<p>客服 (089)345-671</p>", ["089345671"]),
        ("<p>服務專線 0800-456-781</p>", ["0800456781"]),
        ("<p>城东店：87654320 城西店：87654310</p>", ["87654320", "87654310"]),
        ("<p>海曙区：87654320　鄞州区：87654310</p>", ["87654320", "87654310"]),
    ],
)
def test_telephone_numbers(html: str, phones: list[str]) -> None:
    assert values(html) == {"phone": phones}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10478 台北市中山區民生東路三段8號5樓之2", "台北市中山區民生東路三段8號5樓之2"),
        ("中山市石岐区民生路6号之三", "中山市石岐区民生路6号之三"),
        (
            "本院位于宁波市鄞州区东吴镇画龙村北（天童林场旁）。",
            "宁波市鄞州区东吴镇画龙村北（天童林场旁）",
        ),
        ("新界葵涌葵豐街8號華業大廈3樓A室", "新界葵涌葵豐街8號華業大廈3樓A室"),
        ("九龍觀塘偉業街8號", "九龍觀塘偉業街8號"),
        ("宁波市海曙区药行街36号对面，门口可停车", "宁波市海曙区药行街36号对面"),
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert values(f"<p>{text}</p>")["address"] == [address]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<p>地址：宁波市海曙区药行街36号 - 315000</p>",
            {"address": ["宁波市海曙区药行街36号"], "postcode": ["315000"]},
        ),
        (
            "<p>地址：①宁波市海曙区药行街36号 ②绍兴市越城区解放路8号</p>",
            {"address": ["宁波市海曙区药行街36号", "绍兴市越城区解放路8号"]},
        ),
        (
            "<p><span>地址</span><em>宁波市海曙区药行街36号</em><span>电话</span><em>0574-87654320</em></p>",
            {"address": ["宁波市海曙区药行街36号"], "phone": ["0574-87654320"]},
        ),
        (
            "<p>公司：106 台北市大安區信義路四段8號7樓 | 統一編號：22556677</p>",
            {"address": ["台北市大安區信義路四段8號7樓"]},
        ),
        ("<p>新址：宁波市海曙区药行街36号（原址：宁波市海曙区药行街2号）</p>", {"address": ["宁波市海曙区药行街36号"]}),
        ("<p>业主QQ群：23456719</p>", {"qq": ["23456719"]}),
        ("<p>电话:87654320 浙ICP备20001234号</p>", {"phone": ["87654320"]}),
        (
            "<table><tr><td>科室</td><td>电话</td></tr><tr><td>院办</td><td>87654320</td></tr>"
            "<tr><td>传真</td><td>87654321</td></tr></table>",
            {"phone": ["87654320"], "fax": ["87654321"]},
        ),
        (
            '<p>电话：<img src="a.gif" alt="0574-87654320"></p><p>邮箱：<img alt="qinghe@firm.cn"></p>',
            {"phone": ["0574-87654320"], "email": ["qinghe@firm.cn"]},
        ),
        ("<p>地址：宁波市海曙区药行街36号 87654320</p>", {"address": ["宁波市海曙区药行街36号"]}),
        ('<p>邮箱：qinghe<img src="at.gif" alt="@">firm.cn</p>', {"email": ["qinghe@firm.cn"]}),
        ("<p>qinghe#firm.cn<i>（请把#改为@）</i></p>", {"email": ["qinghe@firm.cn"]}),
        ("<p>邮箱：</p><div>qinghe</div><div>@firm.cn</div>", {"email": ["qinghe@firm.cn"]}),
        (
            "<p>欢迎联系：QQ 417920336　邮箱 a@firm.cn</p>",
            {"email": ["a@firm.cn"], "qq": ["417920336"]},
        ),
        ("<p>宁波市海曙区青云北路甬江公馆东门</p>", {"address": ["宁波市海曙区青云北路甬江公馆东门"]}),
        ("<p>网址：qinghe.cafe</p>", {"homepage": ["qinghe.cafe"]}),
        (
            "<ul><li><b>宁波校区</b><em>宁波市海曙区药行街36号2栋3单元1902</em><em>0574-8765 4320</em></li></ul>",
            {"address": ["宁波市海曙区药行街36号2栋3单元1902"], "phone": ["0574-87654320"]},
        ),
    ],
)  # fmt: skip
def test_lines(html: str, expected: dict[str, list[str]]) -> None:
    assert values(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<p>地址：请在此输入您的地址</p>",
        "<p>宁波网站优化：13857401236</p>",
        "<p>网站维护：甬城在线 0574-87654320</p>",
        "<p>投诉电话：12328</p>",
        "<p>法律顾问：浙江甬江律师事务所 李律师 0574-87654320</p>",
        "<p>主管部门：宁波市教育局 0574-87654320</p>",
        "<p>© 2010 设计制作 一品 13857401236</p>",
        "<p>QQ：123456 邮箱：admin@admin.com</p>",
        "<p>旧网址：www.old-qinghe.com</p>",
        "<p>宁波网络公司：甬城在线 0574-87654320</p>",
    ],
)
def test_data_of_others_and_of_unfinished_pages(html: str) -> None:
    assert values(html) == {}
