"""Program listings without the markup of highlighters."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focuscrawl.text.main_text import main_text, plain_listings

TAGS = "pre /pre code /CODE span /span table /table td /td prefix".split()
ODD = ["<span class='meta'>", '<td class="gutter">', "<span", "<pre ", "<", ">", "1", "价", "\n"]
PIECES = st.sampled_from([f"<{tag}>" for tag in TAGS] + ODD)

# Line numbers next to the code: Hexo, Pygments, Rouge.
HEXO = (
    '<figure class="highlight java"><table><tbody><tr><td class="gutter"><pre><span class="line">1'
    '</span><br><span class="line">2</span></pre></td><td class="code"><pre>{}</pre></td></tr></tbody>'
    "</table></figure>"
)
PYGMENTS = (
    '<table class="highlighttable"><tr><td class="linenos"><div><pre>1\n2</pre></div></td>'
    '<td class="code"><div class="highlight"><pre>{}</pre></div></td></tr></table>'
)
ROUGE = (
    '<pre><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl">'
    '<pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>{}</pre></td></tr></tbody>'
    "</table></code></pre>"
)
CODE = '<span class="meta">@Override</span>\n<span class="kt">int</span> a = 1 | 2;'


@pytest.mark.parametrize("listing", [HEXO, PYGMENTS, ROUGE])
def test_line_numbers_and_spans_are_removed_and_code_is_kept(listing: str) -> None:
    plain = plain_listings(listing.format(CODE))
    assert "<span" not in plain
    assert ">1" not in plain
    assert "<pre>@Override\nint a = 1 | 2;</pre>" in plain


def test_other_markup_is_unchanged() -> None:
    rows = '<table><tr><td class="name">甲</td><td class="hagutter">1</td></tr></table>'
    page = f'<p><span class="meta">作者</span></p>{rows}<pre>a</pre><span id="b">c</span><prefix>'
    assert plain_listings(page) == page


def test_an_unclosed_element_ends_with_its_listing() -> None:
    page = "<pre><code><span>a</span></pre><span>b</span>"
    assert plain_listings(page) == "<pre><code>a</pre><span>b</span>"


@given(st.lists(PIECES, max_size=30).map("".join))
@example("<pre><span<span>>")
@example("<pre><<span>b>")
def test_only_tags_and_line_numbers_are_removed(page: str) -> None:
    plain = plain_listings(page)
    if "gutter" not in page:
        assert re.sub("<[^<>]*>", "", plain) == re.sub("<[^<>]*>", "", page)
    assert plain.count("价") <= page.count("价")
    assert plain_listings(plain) == plain or "gutter" in page


@pytest.mark.parametrize(
    "piece", ["<pre", "<pre>", "<span ", "<td class=", "<pre><span>", "<table>"]
)
def test_only_spans_are_removed_from_a_broken_page(piece: str) -> None:
    # So long that rescanning it from each tag would never end.
    page = "<pre>" + piece * (500_000 // len(piece))
    assert plain_listings(page) == page.replace("<span>", "")


@pytest.mark.parametrize("listing", [HEXO, PYGMENTS])
def test_the_main_text_keeps_the_lines_of_code(listing: str) -> None:
    text = "玉米价格的接口写在下面，先看它的定义，再看怎样调用。" * 3
    page = f"<html><body><article><p>{text}</p>{listing.format(CODE)}<p>{text}</p></article></body></html>"
    assert main_text(page, "http://a.test/").split("\n") == [
        text,
        "@Override",
        "int a = 1 | 2;",
        text,
    ]
