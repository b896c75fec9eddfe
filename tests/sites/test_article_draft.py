"""Titles of articles: the list has precedence unless it cuts them off."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from focuscrawl.sites.article_draft import ArticleDraft
from focuscrawl.sites.page_reading import ArticlePage, ListEntry

URL = "http://news.example/1.html"


@pytest.mark.parametrize(
    ("listed", "heading", "stored"),
    [
        ("山东玉米价格…", "山东玉米价格稳中有涨", "山东玉米价格稳中有涨"),
        ("山东玉米价格...", "", "山东玉米价格..."),
        ("山东玉米价格...", "新闻中心", "山东玉米价格..."),
        ("山东玉米价格", "山东玉米价格(图)", "山东玉米价格"),
        ("", "山东玉米价格", "山东玉米价格"),
    ],
)
def test_a_whole_title_replaces_one_that_is_cut(listed: str, heading: str, stored: str) -> None:
    draft = ArticleDraft.of(ListEntry(URL, listed, None, ""), "news")
    draft.add(ArticlePage(heading, "正文", None, ""), URL, [])
    assert draft.finish(datetime(2026, 11, 1, tzinfo=UTC)).title == stored


def test_the_title_of_the_window_completes_one_that_no_heading_does() -> None:
    draft = ArticleDraft.of(ListEntry(URL, "山东玉米价格...", None, ""), "news")
    page = ArticlePage("某某网", "正文", None, "", window="山东玉米价格稳中有涨_某某网")
    draft.add(page, URL, [])
    assert draft.title == "山东玉米价格稳中有涨"


PART = "山东各地玉米收购价格有涨有跌，企业按质论价，成交一般，货源不多。"


@pytest.mark.parametrize(
    ("second", "text", "pages"),
    [
        ("河北的价格稳定。", f"{PART}\n河北的价格稳定。", 2),
        (PART, PART, 1),
        (f"{PART}后半。", f"{PART}后半。", 2),
    ],
)
def test_a_page_that_repeats_another_is_left_out_and_the_whole_replaces_its_parts(
    second: str, text: str, pages: int
) -> None:
    draft = ArticleDraft(URL, "s", "标题", "", None)
    for page in (PART, second):
        draft.add(ArticlePage("", page, None, ""), f"{URL}?{page}", [])
    article = draft.finish(datetime(2026, 3, 5, tzinfo=UTC))
    assert (article.text, len(article.page_urls)) == (text, pages)
