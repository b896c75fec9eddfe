"""Atom feeds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID
from xml.etree.ElementTree import Element, fromstring

from focuscrawl.web.atom_feed import FeedEntry, feed_response

NOW = datetime(2026, 3, 5, 8, 30, tzinfo=UTC)
KEY = UUID("0123456789abcdef0123456789abcdef")
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def entry(**fields: Any) -> FeedEntry:
    plain: dict[str, Any] = {
        "key": KEY,
        "title": "标题",
        "summary": "摘要",
        "author": "李四",
        "address": "http://127.0.0.1/articles/0123456789abcdef0123456789abcdef",
        "updated": datetime(2026, 3, 6, 8, tzinfo=timezone(timedelta(hours=8))),
        "tags": ("玉米",),
    }
    return FeedEntry(**(plain | fields))


def feed_of(
    *entries: FeedEntry, title: str = "题", address: str = "http://127.0.0.1/?a&b"
) -> Element:
    response = feed_response(UUID(int=1), title, address, NOW, entries)
    assert response.headers["content-type"] == "application/atom+xml"
    assert b"<script" not in response.body
    return fromstring(bytes(response.body))


def test_has_all_that_rfc_4287_requires() -> None:
    feed = feed_of(entry(), entry(updated=NOW - timedelta(days=1), tags=()))
    assert feed.tag == f"{{{ATOM['a']}}}feed"
    for parent in (feed, *feed.findall("a:entry", ATOM)):
        for name in ("id", "title", "updated"):
            (only,) = parent.findall(f"a:{name}", ATOM)
            assert only.text
        (link,) = parent.findall("a:link", ATOM)
        assert link.get("rel") == "alternate"
    first, second = feed.findall("a:entry", ATOM)
    # Each entry has an author, or the feed would need one.
    assert first.findtext("a:author/a:name", "", ATOM) == "李四"
    assert first.findtext("a:id", "", ATOM) == "urn:uuid:01234567-89ab-cdef-0123-456789abcdef"
    assert first.findtext("a:updated", "", ATOM) == "2026-03-06T00:00:00+00:00"
    assert feed.findtext("a:updated", "", ATOM) == "2026-03-06T00:00:00+00:00"
    (category,) = first.findall("a:category", ATOM)
    assert category.get("term") == "玉米"
    assert second.findall("a:category", ATOM) == []


def test_titles_of_hostile_entries_of_none_and_of_no_entries() -> None:
    hostile = "<script>alert(1)</script>&\0\x0b\u202e\ud800]]>"
    feed = feed_of(entry(title=hostile, tags=(hostile,)), title=hostile, address=hostile)
    assert feed.findtext("a:entry/a:title", "", ATOM) == "<script>alert(1)</script>&]]>"
    assert feed_of(entry(title="")).findtext("a:entry/a:title", "", ATOM) == entry().address
    assert feed_of().findtext("a:updated", "", ATOM) == "2026-03-05T08:30:00+00:00"
