from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.text.visible_lines import block_text


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
        ("<p>一<script>var a=1</script><style>b{}</style><!-- c -->二</p>", "一二"),
        ("<ul><li>一</li><li>二</li></ul>三", "一\n二\n三"),
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
    assert "".join(block_text(node).split()) == "".join(text.split())
