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
