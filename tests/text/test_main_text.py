"""Main text of hand-written Chinese pages, and of other input."""

from __future__ import annotations

import re

import lxml.html
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.system.worker_pool import in_worker
from focuscrawl.text.main_text import LONGEST_PAGE, main_text, plain_listings
from focuscrawl.text.page_charset import detect

URL = "http://a.test/news/1.html"
FIRST = "周三吉林长春的玉米开秤价为２１００元／吨，较前一日抬高１０元。"
LAST = "山东的工厂门前车辆不多，厂家愿意加价，（水分１４％以内）每斤一元一角五分。"
PAGE = """<!DOCTYPE html>
<html><head><meta charset="{charset}"><title>长春玉米</title></head><body>
<div class="header"><a href="/">首页</a> <a href="/list.html">行情</a></div>
<div class="nav"><ul><li><a href="/a">导航甲</a></li><li><a href="/b">导航乙</a></li></ul></div>
<div class="content"><h1>长春玉米</h1><p>{first}</p>{middle}<p>{last}</p></div>
<div class="comments"><p>楼主辛苦了，沙发！</p></div>
<div class="footer">版权所有 备案号</div>
</body></html>"""


def page(middle: str = "", charset: str = "utf-8") -> str:
    return PAGE.format(first=FIRST, middle=middle, last=LAST, charset=charset)


def test_menus_comments_and_footer_are_omitted() -> None:
    lines = main_text(page(), URL).splitlines()
    assert lines[-2:] == [FIRST, LAST]
    assert set(lines) <= {"长春玉米", FIRST, LAST}


def test_a_page_goes_on_behind_its_end() -> None:
    assert LAST in main_text(page("<p>上</p></div></body></html><div><p>下</p>"), URL)


def test_tables_lists_and_line_breaks_are_kept() -> None:
    table = (
        "<table><tr><th>地区</th><th>价格</th></tr><tr><td>四平</td><td>２０８０</td></tr></table>"
    )
    text = main_text(page(table + "<ul><li>甲厂</li><li>乙厂</li></ul><p>上行<br>下行</p>"), URL)
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "|" in line]
    assert ["", "四平", "２０８０", ""] in rows
    assert {"- 甲厂", "- 乙厂", "上行", "下行"} <= set(text.splitlines())


def test_merged_cells_stand_in_every_row_and_column() -> None:
    table = (
        "<table><tr><th rowspan=2>地区<th colspan=2>玉米<tr><th>今日<th>昨日"
        "<tr><td rowspan=2>潍坊<td>2290<td>2280<tr><td>2300<td>2295</table>"
    )
    text = main_text('<?xml version="1.0" encoding="GBK"?>' + page(table), URL)
    rows = [line.replace(" ", "") for line in text.splitlines() if line.startswith("|")]
    assert rows == ["|地区|玉米|玉米|", "|地区|今日|昨日|", "|潍坊|2290|2280|", "|潍坊|2300|2295|"]


HIDDEN = '<span style="display:none">看不见的字</span>'
TABLE = "<table><tr><td colspan=2>玉米</td><td>2100</td></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>"


@pytest.mark.parametrize("around", ["<p>{}</p>", "<pre><code>x = 1 {}<span>y</span></code></pre>"])
def test_hidden_parts_are_left_out_also_of_code(around: str) -> None:
    text = main_text(page(around.format(HIDDEN)), URL)
    assert LAST in text
    assert "看不见" not in text


def test_code_under_a_title_over_its_line_numbers_is_kept() -> None:
    listing = (
        '<table class="highlighttable"><tr><th colspan="2" class="filename">Text Only</th></tr>'
        '<tr><td class="linenos"><pre>1</pre></td><td class="code"><pre>pip install</pre></td></tr>'
    )
    assert "pip install" in main_text(page(f"{listing}</table>"), URL)


def test_a_page_with_hidden_parts_and_merged_cells_is_parsed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse, parsed = lxml.html.document_fromstring, []
    monkeypatch.setattr(
        lxml.html, "document_fromstring", lambda *a, **k: parsed.append(a) or parse(*a, **k)
    )
    text = main_text(page(f"{TABLE}<p>长春{HIDDEN}</p>"), URL)
    assert "|玉米|玉米|2100|" in text.replace(" ", "").splitlines()
    assert "看不见" not in text
    assert len(parsed) == 1


@pytest.mark.parametrize("span", ["=65534", '="100"', " = ' 50 '"])
def test_cells_over_many_columns_do_not_widen_all_rows(span: str) -> None:
    cell = f"<td class=a colspan{span} rowspan{span}>山东"
    table = "<table>" + f"<tr>{cell}<td>1" * 200 + "</table>"
    text = main_text(page(f"{table}<pre>&lt;td colspan=100&gt;</pre>"), URL)
    assert text.count("|") < 2000
    assert text.count("| 山东 | 1 |") == 200
    assert "<td colspan=100>" in text


@pytest.mark.parametrize("charset", ["gb2312", "gbk", "gb18030"])
def test_a_declared_charset_is_ignored_in_decoded_text(charset: str) -> None:
    body = page(charset=charset).encode(charset)
    assert main_text(body.decode(detect(body)), URL) == main_text(page(), URL)


@pytest.mark.parametrize(
    "start", ["", "\ufeff", "\n" * 80, '<?xml version="1.0" encoding="GBK"?>\n']
)
def test_text_before_the_page_does_not_matter(start: str) -> None:
    assert main_text(start + page(), URL) == main_text(page(), URL)


@pytest.mark.parametrize("html", [f"<p>{FIRST}</p>", f"<div>{FIRST}", f"<html>{FIRST}", FIRST])
def test_fragments_and_plain_text_are_accepted(html: str) -> None:
    assert main_text(html, URL) == FIRST


@pytest.mark.parametrize("odd", ["坏\ud800字", "坏\0字", "坏\x0b字", "坏&#0;字", "坏&#xd800;字"])
def test_an_unusual_character_does_not_end_the_text(odd: str) -> None:
    lines = main_text(page(f"<p>{odd}</p>"), URL).splitlines()
    assert lines[-1] == LAST
    assert lines[-2].startswith("坏")


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n",
        "<html></html>",
        "<html><head><title>x</title></head><body><script>var text = 1;</script></body></html>",
        "<!--" + "x" * 1000,
    ],
)
def test_pages_without_text(html: str) -> None:
    assert main_text(html, URL) == ""


MARKUP = st.lists(
    st.text(max_size=8)
    | st.sampled_from(
        "<html> <body> <p> </p> <div> </div> <table> <tr> <td> </table> <ul> <li> <br> <a <!-- --> "
        "<![CDATA[ ]]> <pre> <code> <h1> <article> <svg> <script> </script> <template> &amp; &#0; "
        "玉米 ２１００ <?xml <!DOCTYPE <blockquote> <q> \0 \ud800".split(" ")
    ),
    max_size=30,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(
    MARKUP | st.binary(max_size=200).map(lambda data: data.decode("latin-1")), st.text(max_size=8)
)
@example(page(), "http://[")
def test_any_input_gives_text_that_can_be_stored(html: str, url: str) -> None:
    text = main_text(html, url)
    text.encode("utf-8")
    assert main_text(html, url) == text
    assert text == main_text(html, URL)


@pytest.mark.parametrize(
    "tag",
    ["<div>", "<div><p>玉", "<b>玉", "<table><tr><td>玉", "<ul><li>玉", "<blockquote>玉", "<span>"],
)
def test_deeply_nested_pages_are_read(tag: str) -> None:
    text = main_text("<html><body>" + tag * (100_000 // len(tag)), URL)
    assert set(text) <= set("玉-| \n")


def test_huge_pages_are_read_up_to_a_limit() -> None:
    text = main_text("<html><body><p>" + "玉" * LONGEST_PAGE * 3, URL)
    assert 0 < text.count("玉") <= LONGEST_PAGE
    json = '<html><head><script type="application/ld+json">' + "[" * 3 * LONGEST_PAGE
    assert main_text(json, URL) == ""


def test_a_page_that_the_library_cannot_read_has_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> str:
        raise RecursionError

    monkeypatch.setattr("trafilatura.extract", fails)
    assert main_text(page(), URL) == ""


@pytest.mark.slow
async def test_the_worker_can_run_it() -> None:
    assert await in_worker(main_text, page(), URL) == main_text(page(), URL)


# Program listings without the markup of highlighters.

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
