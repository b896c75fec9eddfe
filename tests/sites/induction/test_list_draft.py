"""Drafted list rules read the list that they were drafted from, and say what is uncertain."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.page_reading import read_list
from focuscrawl.sites.site_profile import SiteProfile
from tests.sites.induction.pages import LIST_URL, TITLES, list_page, rows, tree

TODAY = date(2026, 11, 1)


def test_the_drafted_rules_read_the_list() -> None:
    page = tree(list_page(rows()))
    draft = draft_list(page, LIST_URL, TODAY)
    profile = SiteProfile(name="x", start_urls=[LIST_URL], list=draft.rules)
    read = read_list(tree(list_page(rows())), LIST_URL, profile, TODAY)
    assert [entry.title for entry in read.entries] == TITLES
    assert [entry.published for entry in read.entries] == [date(2024, 3, 20 - n) for n in range(4)]
    assert read.next_url == f"{LIST_URL}2.html"
    assert draft.doubts == []


def test_years_of_headings_complete_the_dates() -> None:
    entries = "".join(
        f'<h3 class="year">{year}</h3><ul><li><a href="{year}.html">{title}</a><i>12-31</i></li></ul>'
        for year, title in zip(range(2024, 2020, -1), TITLES, strict=True)
    )
    draft = draft_list(tree(list_page(entries)), LIST_URL, TODAY)
    profile = SiteProfile(name="x", start_urls=[LIST_URL], list=draft.rules)
    read = read_list(tree(list_page(entries)), LIST_URL, profile, TODAY)
    assert [entry.published for entry in read.entries] == [
        date(year, 12, 31) for year in range(2024, 2020, -1)
    ]


def test_elements_whose_links_lead_nowhere_do_not_matter() -> None:
    dead = '<li><a href="#">没有内容的标题</a></li>'
    draft = draft_list(tree(list_page(rows().replace("</ul>", dead + "</ul>"))), LIST_URL, TODAY)
    assert draft.rules.entry.css == "ul.list li"


@pytest.mark.parametrize(
    ("page", "doubt"),
    [
        (list_page(rows(dates=False)), "the entries show no date"),
        (list_page(rows(), after=""), "there is no link to the next list page"),
        (list_page(rows().replace(TITLES[1], TITLES[0])), "several entries have the same title"),
        (list_page('<p><a href="1.html">第一篇</a></p><p><a href="2.html">第二篇</a></p>').replace("<li>", "<b>"),
         "the list has only 2 entries"),
    ],
)  # fmt: skip
def test_doubts_are_named(page: str, doubt: str) -> None:
    assert doubt in draft_list(tree(page), LIST_URL, TODAY).doubts


def test_an_article_is_told_from_a_list() -> None:
    related = "".join(f'<li><a href="{n}.html">相关文章{n}</a></li>' for n in range(3))
    page = f"<div class='text'>{'正文的一段很长的文字。' * 200}</div><ul class='rel'>{related}</ul>"
    with pytest.raises(
        ProfileError, match=r"is a single article; give the URL of a page that lists"
    ):
        draft_list(tree(page), LIST_URL, TODAY)


def test_a_list_that_is_a_small_part_of_its_page_is_a_doubt() -> None:
    related = "".join(f'<li><a href="{n}.html">相关文章{n}</a></li>' for n in range(3))
    page = f"<div class='text'>{'正文的一段很长的文字。' * 20}</div><ul class='rel'>{related}</ul>"
    assert draft_list(tree(page), LIST_URL, TODAY).doubts[0] == (
        "the list is a small part of the page, which may be an article"
    )


def test_two_lists_of_equal_rank_are_a_doubt() -> None:
    other = rows().replace("list", "other").replace("/xinwen/", "/xinwen/b")
    draft = draft_list(tree(list_page(rows() + other)), LIST_URL, TODAY)
    assert "another group of 4 links is nearly as likely to be the main list" in draft.doubts
    assert [rule.css for rule in draft.others] == ["ul.other li"]


@pytest.mark.parametrize("html", ["<p>一篇文章</p>", '<a href="1.html">一</a>'])
def test_a_page_without_a_list_is_refused(html: str) -> None:
    with pytest.raises(
        ProfileError, match=r"has no list of links; give the URL of a page that lists"
    ):
        draft_list(tree(html), LIST_URL, TODAY)


@pytest.mark.parametrize(
    "form",
    [
        "<div class='d'><b>Mar</b><b>{day}</b><b>2024</b></div>",
        "<div class='d'><span>{day}</span><span>2024-03</span></div>",
        "<div class='d'><em>{day}</em><i>2024年3月</i></div>",
        "<div class='d'><em>03-{day}</em><i>2024</i></div>",
        "<div class='d'><i>2024</i><em>03/{day}</em></div>",
    ],
)
def test_dates_in_several_elements_are_read(form: str) -> None:
    entries = "".join(
        f'<li>{form.format(day=20 - n)}<a href="/xinwen/{n}.html">{title}</a></li>'
        for n, title in enumerate(TITLES)
    )
    page = list_page(f"<ul class='list'>{entries}</ul>")
    draft = draft_list(tree(page), LIST_URL, TODAY)
    profile = SiteProfile(name="x", start_urls=[LIST_URL], list=draft.rules)
    read = read_list(tree(page), LIST_URL, profile, TODAY)
    assert [entry.published for entry in read.entries] == [date(2024, 3, 20 - n) for n in range(4)]
    assert [entry.title for entry in read.entries] == TITLES


def test_further_pages_without_a_rule_are_a_doubt_and_not_counted() -> None:
    for pager in (
        "<div class='pages'><a href='1.html'>1</a><a href='2.html'>2</a></div>",
        "<div class='pages'><a href='javascript:go(2)'>下一页</a></div>",
        "<script>createPageHTML(25, 0, 'index', 'html')</script>",
    ):
        draft = draft_list(tree(list_page(rows(), pager)), LIST_URL, TODAY)
        assert draft.rules.next is None
        assert draft.pages is None
        assert "the page shows further pages (" in draft.doubts[0]
    assert draft_list(tree(list_page(rows(), "")), LIST_URL, TODAY).pages == 1
