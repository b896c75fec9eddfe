"""Drafted list rules read the list that they were drafted from, and say what is uncertain."""

from __future__ import annotations

import re
from datetime import date

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.list_draft import ListDraft, draft_list
from focuscrawl.sites.page_reading import ListPage, read_list
from focuscrawl.sites.site_profile import SiteProfile
from tests.sites.induction.pages import LIST_URL, TITLES, list_page, rows, tree

TODAY = date(2026, 11, 1)
DAYS = [date(2024, 3, 20 - n) for n in range(4)]


def drafted(html: str) -> tuple[ListDraft, ListPage]:
    """Return the draft for a page, and what its rules read of the page."""
    draft = draft_list(tree(html), LIST_URL, TODAY)
    profile = SiteProfile(name="x", start_urls=[LIST_URL], list=draft.rules)
    return draft, read_list(tree(html), LIST_URL, profile, TODAY)


def listed(form: str, tag: str = "ul") -> str:
    """Return a page with four entries; {n}, {title} and {day} differ, and {hash}, {odd} and {endodd} now and then."""
    entries = "".join(
        form.format(
            n=n, title=title, day=20 - n, hash=["bCdEfg", "hIjKlm"][n % 2],
            odd="<strong>" if n % 2 else "", endodd="</strong>" if n % 2 else "",
        )
        for n, title in enumerate(TITLES)
    )  # fmt: skip
    return list_page(f"<{tag} class='list'>{entries}</{tag}>")


def test_the_drafted_rules_read_the_list() -> None:
    draft, read = drafted(list_page(rows()))
    assert [entry.title for entry in read.entries] == TITLES
    assert [entry.published for entry in read.entries] == DAYS
    assert read.next_url == f"{LIST_URL}2.html"
    assert draft.doubts == []


def test_a_longer_list_of_tags_is_not_the_main_list() -> None:
    tags = "".join(f'<a class="t" href="/tags/t{n}">标签名称{n}</a>' for n in range(40))
    _, read = drafted(list_page(f'<p class="cloud">{tags}</p>{rows()}'))
    assert [entry.title for entry in read.entries] == TITLES


def test_years_of_headings_complete_the_dates() -> None:
    entries = "".join(
        f'<h3 class="year">{year}</h3><ul><li><a href="{year}.html">{title}</a><i>12-31</i></li></ul>'
        for year, title in zip(range(2024, 2020, -1), TITLES, strict=True)
    )
    draft, read = drafted(list_page(entries))
    assert [entry.published for entry in read.entries] == [
        date(year, 12, 31) for year in range(2024, 2020, -1)
    ]
    assert draft.rules.year
    # Dates with a year need none.
    assert not drafted(list_page(f'<h3 class="year">2024</h3>{rows()}'))[0].rules.year


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


# Lists of many kinds of sites.
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
    "date in three elements": "<li><div class='d'><b>Mar</b><b>{day}</b><b>2024</b></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "day and month": "<li><div class='d'><span>{day}</span><span>2024-03</span></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "day and Chinese month": "<li><div class='d'><em>{day}</em><i>2024年3月</i></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "date and year": "<li><div class='d'><em>03-{day}</em><i>2024</i></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "year and date": "<li><div class='d'><i>2024</i><em>03/{day}</em></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "date with joints": "<li><div class='d'><b>Mar</b> / <b>{day}</b> / <b>2024</b></div><a href='/xinwen/{n}.html'>{title}</a></li>",
    "date in brackets": "<li><span>[2024/3/{day}]</span><a href='/xinwen/{n}.html'>{title}</a></li>",
    "Chinese date as a text": "<li><a href='/xinwen/{n}.html'>{title}</a> 2024年3月{day}日</li>",
    "another date in the summary": "<li><a href='/xinwen/{n}.html'>{title}</a><p>据2023年5月的报道，内容很长很长</p><em>Mar {day}, 2024</em></li>",
    "two dates": "<li><a href='/xinwen/{n}.html'>{title}</a><time>2024-03-{day}</time><time>2025-01-01</time></li>",
    "date in the link": "<li><a href='/xinwen/{n}.html'>{title} <i>2024-03-{day}</i></a></li>",
    "date before the title in the link": "<li><a href='/xinwen/{n}.html'><i>2024-03-{day}</i> {title}</a></li>",
    "link and date in a heading": "<li><h3><a href='/xinwen/{n}.html'>{title}<span>2024-03-{day}</span></a></h3></li>",
    "words around the date": "<li><a href='/xinwen/{n}.html'>{title}</a><span>发布时间：2024-03-{day} 点击：53</span></li>",
    "no date": "<li><a href='/xinwen/{n}.html'>{title}</a><span>作者</span></li>",
    "picture and links to read on": "<li><a href='/xinwen/{n}.html'><img></a><h3><a href='/xinwen/{n}.html'>{title}</a></h3>"
    "<a href='/xinwen/{n}.html'>阅读全文</a></li>",
    "cards": "<a class='card' href='/xinwen/{n}.html'><h4>{title}</h4><p>摘要文字</p><span>2024-03-{day}</span></a>",
    "a link to the category": "<li><a href='/c/1.html'>分类</a><a href='/xinwen/{n}.html'>{title}</a></li>",
    "a picture with a title": "<li><a href='/xinwen/{n}.html' title='{title}'><img></a><span>2024-03-{day}</span></li>",
    "an empty link over all": "<article><h2>{title}</h2><p>摘要</p><a class='over' href='/xinwen/{n}.html'></a></article>",
    "a class for each": "<li><a class='item-{n}' href='/xinwen/{n}.html'>{title}</a></li>",
    "attribute with the site": "<li><a href='/xinwen/{n}.html' title='{title} - 新闻网'>{title}</a></li>",
    "attribute with the date": "<li><a href='/xinwen/{n}.html' title='{title} 2024-03-20'>{title}</a></li>",
    "attribute that invites": "<li><a href='/xinwen/{n}.html' title='点击阅读'>{title}</a></li>",
    "cut without a mark": "<li><a href='/xinwen/{n}.html' title='{title}'>{title:.6}</a></li>",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_lists_of_many_forms_are_read(form: str) -> None:
    tag = {"<tr": "table", "<dt": "dl", "<li": "ul", "<h4": "ul"}.get(form[:3], "div")
    draft, read = drafted(listed(form, tag))
    assert [entry.title for entry in read.entries] == TITLES
    assert [entry.url for entry in read.entries] == [f"{LIST_URL}{n}.html" for n in range(4)]
    assert [entry.published for entry in read.entries] == (DAYS if "{day}" in form else [None] * 4)
    # A class that a program made up is another one when the site is built again.
    for rule in (draft.rules.entry, draft.rules.link, draft.rules.title, draft.rules.date):
        assert not rule or not re.search(
            r"sc-\d|css-|[a-z]XyZab|VaJa|QeRt|3xYz9|1aBc2|9kLm0|2Xz3k|3aBcD|1kLmN|e1xyz", rule.path
        )


WHOLE = "{title}，企业收购价格普遍上调"


@pytest.mark.parametrize(
    "form",
    [
        "<li><a href='{n}.html' title='WHOLE'>{title}…</a></li>",
        "<li><a href='{n}.html' title='WHOLE'>{title}...</a><i>2024-03-{day}</i></li>",
        "<li><a href='{n}.html' title='WHOLE'><span>{title}..</span></a></li>",
        "<li title='WHOLE'><a href='{n}.html'>{title}…</a></li>",
        "<li><h3 title='WHOLE'><a href='{n}.html'>{title}…</a></h3></li>",
        "<li><a href='{n}.html'><b title='WHOLE'>{title}…</b></a></li>",
    ],
)
def test_titles_that_are_cut_are_taken_from_the_attribute(form: str) -> None:
    _, read = drafted(listed(form.replace("WHOLE", WHOLE)))
    assert [entry.title for entry in read.entries] == [WHOLE.format(title=one) for one in TITLES]


def test_the_attribute_is_taken_for_all_titles_if_one_is_cut() -> None:
    page = listed("<li><a href='{n}.html' title='{title}'>{title}</a></li>")
    _, read = drafted(page.replace(f">{TITLES[0]}", ">山东玉米…"))
    assert [entry.title for entry in read.entries] == TITLES


def test_an_empty_link_leaves_the_text_of_its_entry_as_title() -> None:
    _, read = drafted(
        listed('<div class="one">2024/03/{day} {title}<a href="{n}.html"></a></div>', "div")
    )
    assert [entry.title for entry in read.entries] == [
        f"2024/03/{20 - n} {title}" for n, title in enumerate(TITLES)
    ]
