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
        ("<p>宁波市海曙区青云北路甬江公馆东门</p>", {"address": ["宁波市海曙区青云北路甬江公馆东门"]}),
        ("<p>网址：qinghe.cafe</p>", {"homepage": ["qinghe.cafe"]}),
        (
            "<ul><li><b>宁波校区</b><em>宁波市海曙区药行街36号2栋3单元1902</em><em>0574-8765 4320</em></li></ul>",
            {"address": ["宁波市海曙区药行街36号2栋3单元1902"], "phone": ["0574-87654320"]},
        ),
        ("<p>手机：1 3 8 5 7 4 0 1 2 3 6</p>", {"phone": ["13857401236"]}),
        ("<p>电话：0527-8123 456 8123 466</p>", {"phone": ["0527-8123456", "0527-8123466"]}),
        ("<p>客服 (089)345-671</p>", {"phone": ["089345671"]}),
        ("<p>服務專線 0800-456-781</p>", {"phone": ["0800456781"]}),
        ("<p>城东店：87654320 城西店：87654310</p>", {"phone": ["87654320", "87654310"]}),
        ("<p>海曙区：87654320　鄞州区：87654310</p>", {"phone": ["87654320", "87654310"]}),
        # Numbers of Taiwan, Hong Kong and Macau.
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
        "<p>乘车：宁波火车站乘22路公交到“药行街36号”站。</p>",
        "<h4>周边</h4><ul><li>宁波火车站（海曙区南站西路19号）打车8分钟</li></ul>",
        "<p>栎社机场 车程30分钟，机场问讯 0574-87420000</p>",
        "<p>谨防诈骗，反诈专线 96110。</p>",
        "<p>浙ICP备20001234号 | 网站设计 甬城在线网络 0574-87001234</p>",
    ],
)
def test_data_of_others_of_unfinished_pages_and_of_the_way(html: str) -> None:
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


def test_a_number_is_not_a_name() -> None:
    html = "<p>公司：杭州江天机械有限公司 | QQ：907091605 | 手机：13800012345</p>"
    reading = read_page(html, "http://www.firm.example/", FIELDS)
    names = combine(reading, [], FIELDS)["name"]
    assert [name.value for name in names] == ["杭州江天机械有限公司"]
