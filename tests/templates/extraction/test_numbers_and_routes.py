"""Numbers of Taiwan, Hong Kong and Macau, ways to a place, and lines that only look like contact data."""

from __future__ import annotations

import pytest

from focuscrawl.templates.names.organisations import organisations
from tests.templates.extraction.value_reading import values


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
