"""Drafted article rules, and whole profiles as YAML."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.induction.profile_draft import draft_articles, profile_yaml
from focuscrawl.sites.page_reading import ListEntry, read_article_page, read_list
from focuscrawl.sites.site_profile import SiteProfile
from focuscrawl.system.yaml_files import parse_yaml
from tests.sites.induction.pages import LIST_URL, TITLES, article_page, list_page, rows, tree

TODAY = date(2026, 11, 1)


def entry(number: int, published: date | None = None) -> ListEntry:
    return ListEntry(f"{LIST_URL}{number}.html", TITLES[number], published, "")


def drafted(numbers: list[int]) -> SiteProfile:
    lists = draft_list(tree(list_page(rows())), LIST_URL, TODAY)
    pages = [(entry(n, date(2024, 3, 20 - n)), tree(article_page(n))) for n in numbers]
    articles = draft_articles(pages, tree(list_page(rows())), TODAY)
    text = profile_yaml("news", LIST_URL, lists, articles, TODAY)
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
    assert len(read_list(tree(list_page(rows())), LIST_URL, profile, TODAY).entries) == 4


def test_the_title_of_the_window_helps_where_the_list_has_none() -> None:
    pages = [
        (ListEntry(f"{LIST_URL}{n}.html", "", None, ""), tree(article_page(n))) for n in (0, 1)
    ]
    rules = draft_articles(pages, tree(list_page(rows())), TODAY).rules
    assert rules.title is not None
    assert rules.title.css == "h1"


def test_articles_with_the_same_text_have_a_body_too() -> None:
    same = [tree(article_page(0).replace(TITLES[0], "占位文字")) for _ in range(3)]
    pages = [
        (ListEntry(f"{LIST_URL}{n}.html", "占位文字", None, ""), page)
        for n, page in enumerate(same)
    ]
    rules = draft_articles(pages, tree(list_page(rows())), TODAY).rules
    assert rules.body is not None
    assert rules.body.css == "div.text"


def test_doubts_are_comments_of_the_profile() -> None:
    lists = draft_list(tree(list_page(rows(dates=False))), LIST_URL, TODAY)
    bare = article_page(0, with_title=False).replace("发布时间：2024-03-20", "")
    pages = [(ListEntry(f"{LIST_URL}0.html", TITLES[0], None, ""), tree(bare))]
    articles = draft_articles(pages, tree(list_page(rows())), TODAY)
    text = profile_yaml("news", LIST_URL, lists, articles, TODAY)
    for doubt in (
        "the entries show no date",
        "the article rules are made from a single article",
        "no element has the title of the article; that of the list is used",
        "articles show no date; that of the list is used",
    ):
        assert f"# Uncertain: {doubt}." in text


def test_without_an_article_the_draft_says_so() -> None:
    assert draft_articles([], tree(list_page(rows())), TODAY).doubts == ["no article could be read"]


def test_a_title_that_the_list_cuts_is_matched_with_the_heading() -> None:
    pages = [
        (ListEntry(f"{LIST_URL}{n}.html", f"{TITLES[n][:6]}…", None, ""), tree(article_page(n)))
        for n in (0, 1, 2)
    ]
    draft = draft_articles(pages, tree(list_page(rows())), TODAY)
    assert draft.rules.title is not None
    assert draft.rules.title.css == "h1"
    assert draft.rules.body is not None
    assert draft.rules.body.css == "div.text"


def test_a_heading_that_a_text_repeats_is_not_taken_for_the_text() -> None:
    body = "<div class='t'><p>{title}，今日各地的成交以质论价，后市仍需观察。</p><p>{title}。</p></div>"
    pages = [
        (
            ListEntry(f"{LIST_URL}{n}.html", f"{title[:5]}...", None, ""),
            tree(f"<div class='tt'>{title}</div>{body.format(title=title)}"),
        )
        for n, title in enumerate(TITLES)
    ]
    rules = draft_articles(pages, None, TODAY).rules
    assert rules.title is not None
    assert rules.title.css == "div.tt"


def test_titles_that_nothing_completes_are_a_doubt() -> None:
    pages = [
        (
            ListEntry(f"{LIST_URL}{n}.html", f"{TITLES[n][:6]}…", None, ""),
            tree(article_page(n, with_title=False).replace(TITLES[n], "玉米")),
        )
        for n in (0, 1)
    ]
    doubts = draft_articles(pages, tree(list_page(rows())), TODAY).doubts
    assert "the list cuts titles off, and no element has the whole title of the article" in doubts


def test_a_body_that_is_the_whole_page_is_a_doubt() -> None:
    pages = [
        (
            entry(n),
            tree(
                "".join(f"<p>第{n}篇文章的第{line}段，说的是{TITLES[n]}。</p>" for line in range(9))
            ),
        )
        for n in (0, 1)
    ]
    draft = draft_articles(pages, None, TODAY)
    assert draft.rules.body is not None
    assert draft.rules.body.css in ("body", "html")
    assert (
        "article.body is the whole page, with its menus; look at the texts, and correct it"
        in draft.doubts
    )


@pytest.mark.parametrize("name", ["12306", "off", "null", "1e5", "2026-03-04"])
def test_a_host_whose_name_is_no_text_in_yaml(name: str) -> None:
    lists = draft_list(tree(list_page(rows())), LIST_URL, TODAY)
    pages = [(entry(0), tree(article_page(0)))]
    articles = draft_articles(pages, tree(list_page(rows())), TODAY)
    text = profile_yaml(name, LIST_URL, lists, articles, TODAY)
    assert parse_yaml(text, SiteProfile, "site profile", ProfileError, "").name == name
