from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.articles.article_page import read_page
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.prices import read_quotes
from focuscrawl.templates.extraction.page_lines import page_lines
from focuscrawl.text.main_text import main_text
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.page_depth import parse
from focuscrawl.text.seen_text import as_seen, text_under, unseen_places
from focuscrawl.text.visible_lines import block_text

LEFT_OUT = [
    "<s>9</s>",
    "<del>9</del>",
    "<STRIKE class=x>9</STRIKE>",
    '<span style="text-decoration: line-through">9</span>',
    '<span style="color:red;text-decoration-line:line-through;">9</span>',
    '<span style="display:none">9</span>',
    '<b style="DISPLAY : NONE !important">9</b>',
    '<i style="visibility:hidden">9</i>',
    '<em style="font-size:0px">9</em>',
    '<span style="font-size: 0">9</span>',
    '<span style="opacity:0;">9</span>',
    '<span style="position:absolute;left:-9999px">9</span>',
    "<span hidden>9</span>",
    '<span style="display:none"><b>9</b></span>',
    "<s><s>9</s></s>",
    "<del><span hidden>8</span>9<s>0</s></del>",
    "\u200b",
    "\u200d\u2060\ufeff\u00ad\u200e",
]
KEPT = [
    '<span style="display:block">9</span>',
    '<span style="font-size:0.9em">9</span>',
    '<span style="opacity:0.5">9</span>',
    "<ins>9</ins>",
    "<small>9</small>",
    '<span style="font-size:0"><b style="font-size:14px">9</b></span>',
]


@pytest.mark.parametrize("part", LEFT_OUT)
def test_every_reader_leaves_out_what_nobody_sees(part: str) -> None:
    markup = f"<div><p>寿光金玉米1.1{part}4元/斤</p></div>"
    seen = "寿光金玉米1.14元/斤"
    root = html.fromstring(markup)
    assert block_text(root) == text_under(root) == seen
    long = markup.replace("寿光", f"今日<a href=/x>一{part}二</a>，{'山东玉米价格稳定，' * 20}寿光")
    page = f"<html><head><title>玉{part}米</title></head><body>{long}</body></html>"
    assert seen in main_text(page, "http://a.test/")
    parsed = parse_page(page, "http://a.test/")
    assert seen in parsed.text.replace(" ", "")
    assert parsed.links[0].anchor.replace(" ", "") == "一二"
    assert seen in "".join(line.text for line in page_lines(parse(page).body, lambda _: False))
    assert seen in read_page(page, "http://a.test/", '{"name": "x"}', date(2026, 3, 4)).body_text


@pytest.mark.parametrize("part", KEPT)
def test_keeps_what_is_seen(part: str) -> None:
    assert block_text(html.fromstring(f"<p>1.1{part}4</p>")) == "1.194"


def test_rows_and_cells_that_are_hidden_are_no_part_of_a_table() -> None:
    rows = [
        "<tr><td>莘县</td><td style='display:none'>8</td><td>2280</td></tr>",
        "<tr style='display:none'><td>莘县</td><td>2400</td></tr>",
        "<tr><td>冠县</td><td><s>2400</s>2300</td></tr>",
    ]
    table = html.fromstring(f"<table>{''.join(rows)}</table>")
    assert block_text(table) == "莘县\t2280\n冠县\t2300"


@pytest.mark.parametrize(
    "hidden",
    [
        f"<div style='display:none'>{'展开全文' * 60}</div>",
        "<ul style='display:none'><li><a href=/1>玉米</a></li></ul>",
    ],
)
def test_what_a_script_shows_is_read(hidden: str) -> None:
    root = html.fromstring(f"<div><p>开头</p>{hidden}</div>")
    assert len(block_text(root).split("\n")) == 2
    assert len(text_under(root)) > 2


def test_all_is_read_where_nothing_else_would_be_left() -> None:
    root = html.fromstring("<a href=/1><s>已成交的公告</s></a>")
    assert block_text(root) == text_under(root) == "已成交的公告"


@pytest.mark.parametrize(
    ("printed", "plain"),
    [
        ("寿光⾦⽟⽶", "寿光金玉米"),
        ("⻬河⻨价", "齐河麦价"),
        ("\uf90a\u2f42", "金文"),
        ("𝟐𝟐𝟖𝟎", "2280"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("Ａ１", "Ａ１"),  # full width is a matter of the readers
    ],
)
def test_plain_characters_for_their_doubles(printed: str, plain: str) -> None:
    assert as_seen(printed) == plain


@given(st.text(st.characters(exclude_categories=())))
def test_laws(text: str) -> None:
    seen = as_seen(text)
    assert as_seen(seen) == seen
    assert len(seen) + len(unseen_places(text)) == len(text)
    assert normal_form(text) == normal_form(seen)


def test_offsets_of_quotes_are_those_of_the_text_as_printed() -> None:
    text = "\u200b寿光⾦\u200b玉米22\u200b80元/吨，诸城兴贸\ufeff2300元/吨\u200b。"
    quotes = read_quotes(text, title="山东⽟⽶价格")
    assert [text[q.text_start : q.text_end] for q in quotes] == ["22\u200b80元/吨", "2300元/吨"]
    assert [q.entity for q in quotes] == ["寿光金玉米淀粉", "诸城兴贸淀粉"]
