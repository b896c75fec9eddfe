"""Drafted list rules read the list that they were drafted from, and say what is uncertain."""

from __future__ import annotations

import re
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
('<div class="main"><p><a href="1.html">第一篇</a></p><p><a href="2.html">第二篇</a></p></div>',
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
        "<div class='pages'><b>1</b><a href='javascript:go(2)'>2</a></div>",
        "<div class='pages'><a href='javascript:go(2)'>下一页</a></div>",
        "<script>createPageHTML(25, 0, 'index', 'html')</script>",
    ):
        draft = draft_list(tree(list_page(rows(), pager)), LIST_URL, TODAY)
        assert draft.rules.next is None
        assert draft.pages is None
        assert "the page shows further pages (" in draft.doubts[0]
    assert draft_list(tree(list_page(rows(), "")), LIST_URL, TODAY).pages == 1


# Lists of many kinds of sites; {n}, {title} and {day} differ.
FORMS = {
    "links in strong": "<li><strong><a href='/xinwen/{n}.html'>{title}</a></strong><span>2024-03-{day}</span></li>",
    "some links in strong": "<li>{odd}<a href='/xinwen/{n}.html'>{title}</a>{endodd}<span>2024-03-{day}</span></li>",
    "strong in links": "<li><a href='/xinwen/{n}.html'><b>{title}</b></a><em>2024-03-{day}</em></li>",
    "em around everything": "<li><em><a href='/xinwen/{n}.html'>{title}</a> <i>2024-03-{day}</i></em></li>",
    "paragraphs with bold links": "<p>· <b><a href='/xinwen/{n}.html'>{title}</a></b> (2024-03-{day})</p>",
    "styled-components": "<div class='sc-1a2b3c kXyZab'><h3 class='sc-9f8e7d bdVaJa'><a class='sc-3c4d5e {hash}' "
    "href='/xinwen/{n}.html'>{title}</a></h3><span class='sc-7a8b9c hQeRtW'>2024-03-{day}</span></div>",
    "CSS modules": "<div class='Post_item__3xYz9'><a class='Post_title__1aBc2' href='/xinwen/{n}.html'>{title}</a>"
    "<span class='Post_date__9kLm0'>2024-03-{day}</span></div>",
    "emotion": "<div class='css-1q2w3e'><a class='css-4r5t6y e1xyz3ab0' href='/xinwen/{n}.html'>{title}</a>"
    "<time class='css-9o8i7u'>2024-03-{day}</time></div>",
    "umi": "<li class='item___2Xz3k'><a class='title___3aBcD' href='/xinwen/{n}.html'>{title}</a><i class='date___1kLmN'>2024-03-{day}</i></li>",
    "dt and dd": "<dt><a href='/xinwen/{n}.html'>{title}</a></dt><dd>2024-03-{day}</dd>",
    "dates in the row below": "<tr><td><a href='/xinwen/{n}.html'>{title}</a></td></tr><tr><td>发布时间：2024-03-{day}</td></tr>",
    "two columns of one row": "<div class='l'><a href='/xinwen/{n}.html'>{title}</a></div><div class='r'>2024-03-{day}</div>",
    "dates before the links": "<span class='date'>2024-03-{day}</span><a href='/xinwen/{n}.html'>{title}</a><br>",
    "dates behind the links": "<a href='/xinwen/{n}.html'>{title}</a> <span class='date'>2024-03-{day}</span><br>",
    "dates as texts behind the links": "<a href='/xinwen/{n}.html'>{title}</a> 2024-03-{day}<br>",
    "headings of days": "<h4 class='day'>2024年3月{day}日</h4><li><a href='/xinwen/{n}.html'>{title}</a></li>",
    "民國": "<li><a href='/xinwen/{n}.html'>{title}</a><span>民國113年3月{day}日</span></li>",
    "民国, no dots": "<li><a href='/xinwen/{n}.html'>{title}</a><span>中華民國 113.3.{day}</span></li>",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_lists_of_many_forms_are_read(form: str) -> None:
    entries = "".join(
        form.format(
            n=n, title=title, day=20 - n, hash=["bCdEfg", "hIjKlm"][n % 2],
            odd="<strong>" if n % 2 else "", endodd="</strong>" if n % 2 else "",
        )
        for n, title in enumerate(TITLES)
    )  # fmt: skip
    around = {"<tr": "table", "<dt": "dl", "<li": "ul", "<h4": "ul"}.get(form[:3], "div")
    page = list_page(f"<{around} class='list'>{entries}</{around}>")
    draft = draft_list(tree(page), LIST_URL, TODAY)
    profile = SiteProfile(name="x", start_urls=[LIST_URL], list=draft.rules)
    read = read_list(tree(page), LIST_URL, profile, TODAY)
    assert [entry.title for entry in read.entries] == TITLES
    assert [entry.published for entry in read.entries] == [date(2024, 3, 20 - n) for n in range(4)]
    # A class that a program made up is another one when the site is built again.
    for rule in (draft.rules.entry, draft.rules.link, draft.rules.title, draft.rules.date):
        assert rule is not None
        assert not re.search(
            r"sc-\d|css-|[a-z]XyZab|VaJa|QeRt|3xYz9|1aBc2|9kLm0|2Xz3k|3aBcD|1kLmN|e1xyz", rule.path
        )
