"""Notations of contact data that no recorded site has: all invented."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.names.organisations import organisations
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields


def values(html: str) -> dict[str, list[str]]:
    """Return the values of a fragment by their field, without names."""
    reading = read_page(html, "http://www.firm.example/", FIELDS)
    return {
        field: [value.value for value in found]
        for field, found in reading.values.items()
        if field != "name"
    }


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


# Numbers of Taiwan, Hong Kong and Macau, ways to a place, and lines that only look like contact data.


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<dl><dt>聯絡電話</dt><dd>04-2331-8120 分機 12</dd><dt>行動電話</dt>"
            "<dd>0921-347-816（林秘書）</dd></dl>",
            {"phone": ["0423318120", "0921347816"]},
        ),
        ("<p>傳真專線</p><p>(04)2331-8121</p>", {"fax": ["0423318121"]}),
        (
            "<div><h5>總店</h5>澳門水坑尾街18號地下<br>(853) 2834-6120<br>9:00-20:00</div>",
            {"address": ["澳門水坑尾街18號地下"], "phone": ["85328346120"]},
        ),
        ("<p>澳門氹仔告利雅街21號B</p>", {"address": ["澳門氹仔告利雅街21號B"]}),
        ("<ul><li>WhatsApp：6123 4870</li></ul>", {"phone": ["61234870"]}),
        (
            '<p><img src="/i/wx.png" alt=""> qinghe_nb <img src="/i/loc.png" alt=""> 宁波市海曙区药行街36号</p>',
            {"address": ["宁波市海曙区药行街36号"]},
        ),
    ],
)
def test_values_are_read(html: str, expected: dict[str, list[str]]) -> None:
    assert values(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<p>乘车：宁波火车站乘22路公交到“药行街36号”站。</p>",
        "<h4>周边</h4><ul><li>宁波火车站（海曙区南站西路19号）打车8分钟</li></ul>",
        "<p>栎社机场 车程30分钟，机场问讯 0574-87420000</p>",
        "<p>谨防诈骗，反诈专线 96110。</p>",
        "<p>浙ICP备20001234号 | 网站设计 甬城在线网络 0574-87001234</p>",
    ],
)
def test_what_is_near_or_of_others_is_no_contact_data(html: str) -> None:
    assert values(html) == {}


def test_the_own_address_may_be_followed_by_the_way() -> None:
    html = "<p>宁波市海曙区药行街36号，地铁站步行5分钟</p>"
    assert values(html)["address"] == ["宁波市海曙区药行街36号"]


def test_we_are_at_an_address_in_a_long_text() -> None:
    html = (
        "<p>各位家长，我园常年招收两岁半到六岁的孩子，周六上午可以来看一看。我们就在宁波市海曙区药行街36号"
        "（青禾小区北门），坐8路车到青禾小区站下车，进门右手边就是接待室。</p>"
    )
    assert values(html)["address"] == ["宁波市海曙区药行街36号（青禾小区北门）"]
    assert values(html.replace("我们就在", "比赛将在")) == {}


def test_digits_behind_letters_are_no_qq_number() -> None:
    assert values("<p>QQ / 微信：8120034 / qinghe13805740012</p>")["qq"] == ["8120034"]
    assert values("<p>QQ：QQ8120034</p>")["qq"] == ["8120034"]


@pytest.mark.parametrize(
    "text", ["联系酒厂", "走进商店街", "关于门诊部", "宁波搬家公司", "宁波注册公司", "官方旗舰店"]
)
def test_an_entry_of_a_menu_is_no_name(text: str) -> None:
    assert organisations(text) == []


@pytest.mark.parametrize(
    "name",
    [
        "宁波市产品质量检验检测院",
        "海曙区巧匠装饰工程部",
        "宁波天衡会计师事务所（特殊普通合伙）",
        "宁波甬江股权投资合伙企业（有限合伙）",
        "象山县墙头镇青禾养鸭场",
        "永兴五金行",
        "浙江青禾律师事务所宁波分所",
        "高雄市青禾商業同業公會",
    ],
)
def test_endings_of_names(name: str) -> None:
    assert [span.text for span in organisations(name)] == [name]


# Contact data without a separator from the text next to it, or with two labels.

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
