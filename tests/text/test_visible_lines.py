from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.text.seen_text import as_seen
from focuscrawl.text.visible_lines import block_text, lacks_text


def read(markup: str) -> str:
    return block_text(html.fromstring(f"<div>{markup}</div>"))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>一</p><p>二</p>", "一\n二"),
        ("一<br>二<br/>三", "一\n二\n三"),
        ("<p>寿光<b>金玉米</b>0.8元/斤</p>", "寿光金玉米0.8元/斤"),
        ("<p>一&nbsp;&nbsp;\u3000 二</p>", "一 二"),
        ("<p>一\n二</p>", "一 二"),
        (
            "<table><tr><th>县</th><th>价</th></tr><tr><td>莘县</td><td> 1620 </td></tr></table>",
            "县\t价\n莘县\t1620",
        ),
        ("<table><tr><td></td><td>1620</td></tr></table>", "\t1620"),
        (
            "<table><tr><td><p>县</p></td><td><p>价</p></td></tr>"
            "<tr><td><p>莘<span>县</span></p></td><td><div>1620</div><br></td></tr></table>",
            "县\t价\n莘县\t1620",
        ),
        (
            "<table><caption>行情</caption><tr><th rowspan=2>县</th><th colspan='2'>玉米</th></tr>"
            "<tr><th>今</th><th>昨</th></tr><tr><td>莘县</td><td>1</td><td>2</td></tr></table>",
            "行情\n县\t玉米\t玉米\n县\t今\t昨\n莘县\t1\t2",
        ),
        (
            "<table><tr><td colspan=2>行情</td></tr><tr><td rowspan=3>聊城</td><td>莘县</td></tr>"
            "<tr><td>阳谷</td></tr><tr><td>冠县</td></tr></table>",
            "行情\n聊城\t莘县\n聊城\t阳谷\n聊城\t冠县",
        ),
        (
            "<table><tr><td><table><tr><td>一</td><td>二</td></tr><tr><td>三</td></tr></table></td>"
            "<td><p>四</p><p>五</p></td></tr></table>",
            "一\t二\n三\n四\n五",
        ),
        (
            f"<table><tr><td><p>{'长' * 40}</p><p>{'文' * 40}</p></td><td>窄</td></tr><tr></tr></table>",
            f"{'长' * 40}\n{'文' * 40}\n\t窄",
        ),
        ("<p>一<script>var a=1</script><style>b{}</style><!-- c -->二</p>", "一二"),
        ("<ul><li>一</li><li>二</li></ul>三", "一\n二\n三"),
        (
            "<pre>企业      今日  昨日\n寿光      2280  2270\r\n兴 贸\t2300\u3000\u30002290\n</pre>后\n文",
            "企业\t今日\t昨日\n寿光\t2280\t2270\n兴 贸\t2300\t2290\n后 文",
        ),
        (
            "<pre>      今日  昨日\n寿光  <b>  2280 </b>  2270 </pre>",
            "\t今日\t昨日\n寿光\t2280\t2270",
        ),
        ("<pre>\u3000\u3000一。\n\n    二<i>\n三</i>\n四</pre>", "一。\n二\n三\n四"),
        ("<p style='White-Space : pre-wrap'>一\n二</p>\n<p>三\n四</p>", "一\n二\n三 四"),
        ("<p><span style='white-space:pre'>\t</span>一。</p>", "一。"),
        (
            "<table><tr><td><pre>县\n名</pre></td><td>价</td></tr><tr><td>莘</td></tr></table>",
            "县 名\t价\n莘",
        ),
        ("", ""),
    ],
)
def test_lines_as_rendered(markup: str, text: str) -> None:
    assert read(markup) == text


def test_deep_nesting_is_accepted() -> None:
    root = html.Element("div")
    node = root
    for _ in range(5_000):
        node = html.etree.SubElement(node, "span")
    node.text = "底"
    assert block_text(root) == "底"


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")), max_size=80))
def test_no_character_of_the_text_is_lost(text: str) -> None:
    node = html.Element("p")
    node.text = text
    assert "".join(block_text(node).split()) == "".join(as_seen(text).split())


def test_a_table_is_not_much_longer_than_its_page() -> None:
    row = "<tr>" + "<td rowspan=9999 colspan=9999>一</td>" * 30 + "</tr>"
    markup = f"<table>{row * 30}</table>"
    assert len(read(markup)) < len(markup)
    rows = (
        "<tr><td rowspan=99999>聊城</td><td colspan=40>玉米</td></tr>"
        + "<tr><td>莘县</td></tr>" * 5000
    )
    assert len(read(f"<table>{rows}</table>")) < 3 * len(rows)


@pytest.mark.parametrize(
    "text", ["", "如题", "正在加载…", "数据加载中，请稍候。", "Loading...", "见 附件！"]
)
def test_a_text_that_is_none(text: str) -> None:
    assert lacks_text(text)


@pytest.mark.parametrize("text", ["今日休市，无报价。", "货车装载" * 9, "正在加载" + "的货车" * 20])
def test_a_short_text(text: str) -> None:
    assert not lacks_text(text)
