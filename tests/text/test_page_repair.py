from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from focuscrawl.text.page_repair import repaired


def tree(markup: str) -> Selector:
    return Selector(text=repaired(markup), type="html")


@pytest.mark.parametrize(
    "between",
    [
        "</body></html>",
        "</BODY>\n</HTML >",
        "</html>",
        "</body>",
        "</body><body class=a>",
        "</html><html><head><title>2</title></head><body>",
        "</body></html></body></html>",
        "<script>document.write('</html>')</script></html>",
        "<!-- </html> --></html>",
        "<!--></html>",
    ],
)
def test_a_page_goes_on_behind_its_end(between: str) -> None:
    page = f"<html><body><ul><li>1</li>{between}<li>2</li></ul></body></html>\n"
    assert tree(page).xpath("//body/ul/li/text()").getall() == ["1", "2"]


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><p>1</p></body></html>\n",
        "<p>1",
        "",
        "<script>'</html>'</script><!-- </body> --><textarea></html></textarea><p>2",
        "<ul><li>1</li><li>2</li></ul><table><tr><td>1</td></tr></table>",
        "<ul><a href=1><li>1</li></a></ul>",
        "<p>1<div>2</div><p>3<table><tr><td><p>4</table><p>5</p>",
    ],
)
def test_a_good_page_stays_as_it_is(page: str) -> None:
    assert repaired(page) == page


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("<ul>{}</ul>", "<li><a href={0}>{0}<i>5</i>"),
        ("<ul>{}</ul>", "<li><font><b><a href={0}>{0}</a>"),
        ("<UL>{}</UL>", "<LI><NOBR><A HREF={0}>{0}</A>\n"),
        ("<table>{}</table>", "<tr><td><a href={0}>{0}"),
        ("<table>{}</table>", "<tr><td><font><a href={0}>{0}</a><td>5"),
        ("<dl>{}</dl>", "<dt><a href={0}>{0}<dd>5"),
        ("<div>{}</div>", "<p><a href={0}>{0}<i>5</i>\n"),
        ("<div>{}</div>", "<P><FONT><a href={0}>{0}</a>"),
        ("<ol>{}</ol>", "<li><a href={0}>{0}</a><ul><li>5<li>6</ul>"),
    ],
)
def test_a_row_ends_where_the_next_begins(page: str, rows: str) -> None:
    found = tree(page.format("".join(map(rows.format, "123")))).xpath("//body/*/*[.//a]")
    assert [row.xpath(".//a/@href").getall() for row in found] == [["1"], ["2"], ["3"]]


@given(st.lists(st.sampled_from("</html> </body> <li> <a> </li> <ul> <!-- --> <script> x".split())))
def test_it_is_stable(parts: list[str]) -> None:
    once = repaired("".join(parts))
    assert repaired(once) == once
    assert once.count("x") == parts.count("x")


@pytest.mark.parametrize("part", ["</html>x", "<!--", "<li>", "<script", "</body", "<tr><li>"])
def test_it_takes_linear_time(part: str) -> None:
    begin = time.process_time()
    repaired("</html>" + part * 100_000)
    assert time.process_time() - begin < 2
