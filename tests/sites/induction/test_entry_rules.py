"""Rules for links, titles, dates and years of entries, as different sites print them."""

from __future__ import annotations

from datetime import date

import pytest
from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import link_groups, remove_unseen
from focuscrawl.sites.induction.list_draft import (
    EntryParts,
    date_rule,
    entry_parts,
    link_rule,
    title_rule,
    year_rule,
)
from focuscrawl.sites.induction.main_list import ranked_groups
from focuscrawl.text.chinese_dates import find_date
from tests.sites.induction.pages import LIST_URL, TITLES, tree

TODAY = date(2026, 11, 1)


def parts_of(entry: str) -> tuple[_Element, list[EntryParts]]:
    """Return page and parts of four entries; ``{n}`` and ``{title}`` differ."""
    entries = "".join(entry.format(n=n, title=title, day=20 - n) for n, title in enumerate(TITLES))
    page = tree(f"<div class='main'>{entries}</div>")
    remove_unseen(page)
    group = ranked_groups(link_groups(page, LIST_URL), page, LIST_URL, TODAY)[0][1]
    return page, entry_parts(group, LIST_URL, TODAY)


@pytest.mark.parametrize(
    "entry",
    [
        '<li><a href="{n}.html">{title}</a></li>',
        '<li><a href="{n}.html"><img></a><h3><a href="{n}.html">{title}</a></h3><a href="{n}.html">阅读全文</a></li>',
        '<a class="card" href="{n}.html"><h4>{title}</h4><p>摘要文字</p><span>2024-03-{day}</span></a>',
        '<li><a href="/c/1.html">分类</a><a href="{n}.html">{title}</a></li>',
        '<li><a href="{n}.html" title="{title}"><img></a></li>',
        '<li><a href="{n}.html"><i>2024-03-{day}</i> {title}</a></li>',
        '<li><h3><a href="{n}.html">{title}<span>2024-03-{day}</span></a></h3></li>',
        '<article><h2>{title}</h2><p>摘要</p><a class="over" href="{n}.html"></a></article>',
        '<li><a class="item-{n}" href="{n}.html">{title}</a></li>',
    ],
)
def test_links_and_titles_are_selected(entry: str) -> None:
    _, parts = parts_of(entry)
    links, titles = link_rule(parts), title_rule(parts)
    assert links is not None
    assert titles is not None
    assert [links.first(one.entry) for one in parts] == [f"{n}.html" for n in range(4)]
    assert [titles.first(one.entry) for one in parts] == TITLES


@pytest.mark.parametrize(
    "entry",
    [
        '<li><a href="{n}.html">{title}</a><span>2024-03-{day}</span></li>',
        '<li><span>[2024/3/{day}]</span><a href="{n}.html">{title}</a></li>',
        '<li><a href="{n}.html">{title}</a> 2024年3月{day}日</li>',
        '<li><a href="{n}.html">{title}</a><p>据2023年5月的报道，内容很长很长</p><em>Mar {day}, 2024</em></li>',
        '<li><div class="d"><b>Mar</b> / <b>{day}</b> / <b>2024</b></div><a href="{n}.html">{title}</a></li>',
        '<li><a href="{n}.html">{title}</a><time>2024-03-{day}</time><time>2025-01-01</time></li>',
        '<li><a href="{n}.html">{title} <i>2024-03-{day}</i></a></li>',
        '<li><a href="{n}.html">{title}</a><span>发布时间：2024-03-{day} 点击：53</span></li>',
    ],
)
def test_dates_are_selected(entry: str) -> None:
    page, parts = parts_of(entry)
    rule = date_rule(parts, page, TODAY)
    assert rule is not None
    found = [find_date(rule.first(one.entry), TODAY) for one in parts]
    assert found == [date(2024, 3, 20 - n) for n in range(4)]


LONG = [f"{title}，企业收购价格普遍上调" for title in TITLES]


@pytest.mark.parametrize(
    "entry",
    [
        '<li><a href="{n}.html" title="{title}，企业收购价格普遍上调">{title}…</a></li>',
        '<li><a href="{n}.html" title="{title}，企业收购价格普遍上调">{title}...</a><i>2024-03-{day}</i></li>',
        '<li><a href="{n}.html" title="{title}，企业收购价格普遍上调"><span>{title}..</span></a></li>',
        '<li title="{title}，企业收购价格普遍上调"><a href="{n}.html">{title}…</a></li>',
        '<li><h3 title="{title}，企业收购价格普遍上调"><a href="{n}.html">{title}…</a></h3></li>',
        '<li><a href="{n}.html"><b title="{title}，企业收购价格普遍上调">{title}…</b></a></li>',
    ],
)
def test_titles_that_are_cut_are_taken_from_the_attribute(entry: str) -> None:
    _, parts = parts_of(entry)
    rule = title_rule(parts)
    assert rule is not None
    assert [rule.first(one.entry) for one in parts] == LONG


def test_the_attribute_is_taken_for_all_titles_if_one_is_cut() -> None:
    page, _ = parts_of("<p>x</p><li><a href='{n}.html' title='{title}'>{title}</a></li>")
    page.find(".//li/a").text = "山东玉米…"
    group = ranked_groups(link_groups(page, LIST_URL), page, LIST_URL, TODAY)[0][1]
    parts = entry_parts(group, LIST_URL, TODAY)
    rule = title_rule(parts)
    assert rule is not None
    assert [rule.first(one.entry) for one in parts] == TITLES


def test_titles_that_the_server_cut_without_a_mark_are_taken_from_the_attribute() -> None:
    _, parts = parts_of("<li><a href='{n}.html' title='{title}'>{title:.6}</a></li>")
    rule = title_rule(parts)
    assert rule is not None
    assert [rule.first(one.entry) for one in parts] == TITLES


@pytest.mark.parametrize(
    "entry",
    [
        '<li><a href="{n}.html" title="{title} - 新闻网">{title}</a></li>',
        '<li><a href="{n}.html" title="{title} 2024-03-{day}">{title}</a></li>',
        '<li><a href="{n}.html" title="点击阅读">{title}</a></li>',
    ],
)
def test_attributes_with_more_than_the_title_are_left_alone(entry: str) -> None:
    _, parts = parts_of(entry)
    rule = title_rule(parts)
    assert rule is not None
    assert [rule.first(one.entry) for one in parts] == TITLES


def test_entries_without_dates_have_no_rule_for_them() -> None:
    page, parts = parts_of('<li><a href="{n}.html">{title}</a><span>作者</span></li>')
    assert date_rule(parts, page, TODAY) is None


def test_a_year_above_the_entries_is_found() -> None:
    page, parts = parts_of(
        '<h2 class="y">202{n}</h2><li><a href="{n}.html">{title}</a><b>03-{day}</b></li>'
    )
    dates = date_rule(parts, page, TODAY)
    assert dates is not None
    year = year_rule(parts, page, dates, TODAY)
    assert year is not None
    assert [year.first(one.entry) for one in parts] == ["2020", "2021", "2022", "2023"]


def test_dates_with_a_year_need_none() -> None:
    page, parts = parts_of(
        '<h2>2024</h2><li><a href="{n}.html">{title}</a><b>2024-03-{day}</b></li>'
    )
    dates = date_rule(parts, page, TODAY)
    assert dates is not None
    assert year_rule(parts, page, dates, TODAY) is None


def test_an_empty_link_leaves_the_text_of_its_entry_as_title() -> None:
    _, parts = parts_of('<div class="one">2024/03/{day} {title}<a href="{n}.html"></a></div>')
    rule = title_rule(parts)
    assert rule is not None
    assert [rule.first(one.entry) for one in parts] == [
        f"2024/03/{20 - n} {title}" for n, title in enumerate(TITLES)
    ]
