"""What is read from a page, by rules and without."""

from __future__ import annotations

from datetime import date

import pytest
from lxml import html as lxml_html

from focuscrawl.articles.article_page import PageParts, read_page, smallest_holder
from focuscrawl.articles.article_profile import ArticleProfile
from focuscrawl.text.main_text import LONGEST_PAGE

TODAY = date(2026, 3, 5)
URL = "http://host.test/article/7.htm"
LINES = [f"第{n}段：春天的小麦要及时浇水，也要看天气预报再决定施肥的时间和数量。" for n in range(9)]
ARTICLE = "".join(f"<p>{line}</p>" for line in LINES)
PAGE = f"""<html><head><title>小麦 - 某站</title>
<meta name="keywords" content="小麦，浇水,小麦"><meta name="description" content="怎样浇水">
<meta name="author" content="作者：老王"></head>
<body><ul><li><a href="/">首页</a></li></ul>
<div id="c"><h1>小麦浇水</h1><span class="d">3月1日</span><div id="b">{ARTICLE}<div class="ad">广告 <b>1</b></div></div>
<i>栏目</i><i>农业；技术</i></div><p>版权所有</p></body></html>"""
RULES = {
    "title": "//h1",
    "tags": {"css": "i"},
    "date": {"css": ".d"},
    "body": {"css": "#b"},
    "remove": [{"css": ".ad"}],
    "extra": {"first": {"css": "p"}, "none": "//video"},
}


def read(page: str, **rules: object) -> PageParts:
    profile = ArticleProfile.model_validate({"name": "test", **rules})
    return read_page(page, URL, profile.model_dump_json(), TODAY)


def test_rules_say_where_the_parts_are() -> None:
    found = read(PAGE, article=RULES)
    assert found.title == "小麦浇水"
    assert found.description == "怎样浇水"
    assert found.tags == ["栏目", "农业", "技术"]
    assert found.author == "老王"
    assert found.published == date(2026, 3, 1)
    assert found.body_text.split("\n") == LINES
    # As it came: what is cut out is out of the text alone.
    assert found.body_html == f'<div id="b">{ARTICLE}<div class="ad">广告 <b>1</b></div></div>'
    assert found.extra == {"first": LINES[0]}
    assert (found.missing, found.has_body) == ("", True)


def test_a_page_goes_on_behind_its_end() -> None:
    for before in ('<div id="c">', '<div id="b">'):
        found = read(PAGE.replace(before, f"</body></html>{before}"), article=RULES)
        assert found.body_text.split("\n") == LINES
        found = read(PAGE.replace(before, f"</body></html>{before}"))
        assert found.body_text == read(PAGE).body_text


def test_without_rules_the_parts_are_found() -> None:
    found = read(PAGE)
    assert found.title == "小麦浇水"
    assert found.tags == ["小麦", "浇水"]
    assert (found.author, found.description) == ("老王", "怎样浇水")
    assert all(line in found.body_text for line in LINES)
    assert found.body_html.startswith('<div id="b">')
    assert "版权所有" not in found.body_html


@pytest.mark.parametrize(
    "moment",
    [
        '<meta property="article:published_time" content="2026-03-01T18:00:00Z">',
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished":'
        ' "2026-03-01T18:00:00+00:00"}</script>',
        '<time datetime="2026-03-02T02:00:00+08:00">',
        '<meta property="article:published_time" content="2026-03-02T18:00:00">',
    ],
)
def test_without_rules_a_moment_is_the_day_in_china(moment: str) -> None:
    assert read(PAGE.replace("</head>", f"{moment}</head>")).published == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<p>时间：2026-03-01 作者：<span>小李</span> 来源：本站</p>", "小李"),
        ("<p>作 者: 小李|编辑</p>", "小李"),
        ("<p>致作者的一封信</p>", ""),
    ],
)
def test_an_author_stands_in_a_line_of_its_own(byline: str, author: str) -> None:
    assert read(f"<html><body>{byline}<div>{ARTICLE}</div></body></html>").author == author


def test_a_body_rule_that_finds_nothing_is_told() -> None:
    assert not read(PAGE, article={"body": "//main"}).has_body
    assert read(PAGE, article={"title": "//h9"}).has_body


@pytest.mark.parametrize(
    "rule",
    [{"title": "^小麦 - "}, {"text": "版权.有"}, {"select": {"css": ".ad"}}],
)
def test_rules_tell_missing_pages(rule: dict[str, object]) -> None:
    found = read(PAGE, missing=rule)
    assert "missing page" in found.missing
    assert not found.body_text
    assert not read(PAGE, missing={"title": "^404", "text": "不存在", "select": "//h9"}).missing


def test_pages_that_differ_in_numbers_look_the_same() -> None:
    def look(number: int, word: str = "没有") -> str:
        page = f"<html><title>404 {number}</title><p>{word}文章 {number:,} 号。</p></html>"
        return read(page).look

    assert look(7) == look(123)
    assert look(7) != look(7, "还有")


def test_of_a_page_that_is_too_long_for_the_library_nothing_is_cut() -> None:
    lines = [f"{n} {LINES[n % 9]}" for n in range(16_000)]
    page = f"<html><body><div>{''.join(f'<p>{line}</p>' for line in lines)}</div></body></html>"
    assert len(page) > LONGEST_PAGE
    assert read(page).body_text.split("\n") == lines


def test_the_smallest_element_that_holds_a_text() -> None:
    root = lxml_html.fromstring(PAGE)
    holder = smallest_holder(root, "\n".join(LINES))
    assert holder is not None
    assert holder.get("id") == "b"
    both = smallest_holder(root, "\n".join([*LINES, "版权所有，未经许可不得转载"]))
    assert both is holder
    assert smallest_holder(root, "这些字这页上没有一个") is None
