"""Drafted article rules, and whole profiles as YAML."""

from __future__ import annotations

from datetime import date

import pytest
from lxml.etree import _Element

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.induction.profile_draft import (
    DraftedRules,
    boilerplate_rules,
    draft_articles,
    profile_yaml,
)
from focuscrawl.sites.page_reading import (
    ListEntry,
    read_article_page,
    read_list,
    text_without,
)
from focuscrawl.sites.site_profile import SiteProfile
from focuscrawl.system.yaml_files import parse_yaml
from tests.sites.induction.pages import LIST_URL, TITLES, article_page, list_page, rows, tree

TODAY = date(2026, 11, 1)


LIST = list_page(rows())


def entry(number: int, title: str | None = None) -> ListEntry:
    title = TITLES[number] if title is None else title
    return ListEntry(f"{LIST_URL}{number}.html", title, None, "")


def draft(*pages: tuple[ListEntry, str]) -> DraftedRules:
    """Return the rules for articles, entries and the HTML of their pages."""
    return draft_articles([(one, tree(html)) for one, html in pages], tree(LIST), TODAY)


def drafted(numbers: list[int], name: str = "news") -> SiteProfile:
    lists = draft_list(tree(LIST), LIST_URL, TODAY)
    articles = draft(*((entry(n), article_page(n)) for n in numbers))
    text = profile_yaml(name, LIST_URL, lists, articles, TODAY)
    return parse_yaml(text, SiteProfile, "site profile news", ProfileError, "")


@pytest.mark.parametrize("numbers", [[0, 1, 2], [0, 3], [1]])
def test_the_written_profile_reads_articles_that_it_was_not_drafted_from(
    numbers: list[int],
) -> None:
    profile = drafted(numbers)
    for number in range(4):
        page = read_article_page(tree(article_page(number)), LIST_URL, profile, TODAY)
        assert (page.title, page.published) == (TITLES[number], date(2024, 3, 20 - number))
        lines = page.text.split("\n")
        assert lines[0].startswith(f"第{number}篇文章的第0段")
        assert len(lines) == 5
    assert len(read_list(tree(LIST), LIST_URL, profile, TODAY).entries) == 4


def test_the_title_of_the_window_helps_where_the_list_has_none() -> None:
    rules = draft((entry(0, ""), article_page(0)), (entry(1, ""), article_page(1))).rules
    assert rules.title is not None
    assert rules.title.css == "h1"


def test_articles_with_the_same_text_have_a_body_too() -> None:
    page = article_page(0).replace(TITLES[0], "占位文字")
    rules = draft(*((entry(n, "占位文字"), page) for n in range(3))).rules
    assert rules.body is not None
    assert rules.body.css == "div.text"


def test_doubts_are_comments_of_the_profile() -> None:
    lists = draft_list(tree(list_page(rows(dates=False))), LIST_URL, TODAY)
    bare = article_page(0, with_title=False).replace("发布时间：2024-03-20", "")
    text = profile_yaml("news", LIST_URL, lists, draft((entry(0), bare)), TODAY)
    for doubt in (
        "the entries show no date",
        "the article rules are made from a single article",
        "no element has the title of the article; that of the list is used",
        "articles show no date; that of the list is used",
    ):
        assert f"# Uncertain: {doubt}." in text


def test_without_an_article_the_draft_says_so() -> None:
    assert draft().doubts == ["no article could be read"]


def test_a_title_that_the_list_cuts_is_matched_with_the_heading() -> None:
    found = draft(*((entry(n, f"{TITLES[n][:6]}…"), article_page(n)) for n in (0, 1, 2)))
    assert found.rules.title is not None
    assert found.rules.title.css == "h1"
    assert found.rules.body is not None
    assert found.rules.body.css == "div.text"
    bare = (article_page(n, with_title=False).replace(TITLES[n], "玉米") for n in (0, 1))
    doubts = draft(*((entry(n, f"{TITLES[n][:6]}…"), page) for n, page in enumerate(bare))).doubts
    assert "the list cuts titles off, and no element has the whole title of the article" in doubts


def test_a_heading_that_a_text_repeats_is_not_taken_for_the_text() -> None:
    page = (
        "<div class='tt'>{title}</div><div class='t'><p>{title}，今日各地的成交以质论价，后市仍需观察。</p>"
        "<p>{title}。</p></div>"
    )
    pages = [(entry(n, f"{t[:5]}..."), page.format(title=t)) for n, t in enumerate(TITLES)]
    rules = draft(*pages).rules
    assert rules.title is not None
    assert rules.title.css == "div.tt"


def test_a_body_that_is_the_whole_page_is_a_doubt() -> None:
    text = "<p>第{n}篇文章的第{line}段，说的是{title}。</p>"
    pages = (
        "".join(text.format(n=n, line=line, title=TITLES[n]) for line in range(9)) for n in (0, 1)
    )
    found = draft(*((entry(n), page) for n, page in enumerate(pages)))
    assert found.rules.body is not None
    assert found.rules.body.css in ("body", "html")
    assert (
        "article.body is the whole page, with its menus; look at the texts, and correct it"
        in found.doubts
    )


@pytest.mark.parametrize("name", ["12306", "off", "null", "1e5", "2026-03-04"])
def test_a_host_whose_name_is_no_text_in_yaml(name: str) -> None:
    assert drafted([0], name).name == name


def bodies(*inner: str) -> list[_Element]:
    return [tree(f"<div id='text'>{one}</div>").find(".//div") for one in inner]


@pytest.mark.parametrize(
    "form",
    [
        "<p>正文{n}。</p><p class='editor'>责任编辑:张{n}</p>",
        "<p>正文{n}。</p><p>责任编辑:张{n}</p>",
        "<p>正文{n}。</p><div class='share'>分享到:<a href='#'>微信</a></div>",
        "<p>正文{n}。</p><div class='nav'><a href='{n}.html'>上一篇:标题</a></div>",
        "<p>正文{n}。</p><p>版权声明:本文为原创文章。</p><p class='x'>【打印】</p>",
    ],
)
def test_what_the_articles_share_is_removed(form: str) -> None:
    pages = bodies(*(form.replace("{n}", str(n)) for n in range(3)))
    rules = boilerplate_rules(pages)
    assert [text_without([body], rules) for body in pages] == ["正文0。", "正文1。", "正文2。"]


@pytest.mark.parametrize(
    "texts",
    [
        # The subject of one article.
        ["<p>打印机怎么用</p>", "<p>正文</p>", "<p>正文</p>"],
        ["<p>正文说到上一篇</p>", "<p>正文也说到上一篇</p>"],
        ["<p>责任编辑:张三</p>"],
    ],
)
def test_what_is_text_is_kept(texts: list[str]) -> None:
    assert boilerplate_rules(bodies(*texts)) == []


def test_a_rule_that_would_select_nothing_is_not_written() -> None:
    # XPath does not take a no-break space for white space.
    pages = bodies(*(f"<p>正文{n}。</p><p>&nbsp;责任编辑:张{n}</p>" for n in range(3)))
    for rule in boilerplate_rules(pages):
        assert all(map(rule.select, pages))
