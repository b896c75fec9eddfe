"""Atom feeds."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from xml.etree.ElementTree import fromstring

from focuscrawl.web.articles.atom_feed import FeedEntry, atom_feed

NOW = datetime(2026, 3, 5, 8, 30, tzinfo=UTC)
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def entry(**fields: Any) -> FeedEntry:
    plain: dict[str, Any] = {
        "key": "0123456789abcdef0123456789abcdef",
        "title": "标题",
        "summary": "摘要",
        "author": "李四",
        "address": "http://127.0.0.1/articles/0123456789abcdef0123456789abcdef",
        "day": date(2026, 3, 4),
        "tags": ("玉米",),
    }
    return FeedEntry(**(plain | fields))


def test_has_all_that_rfc_4287_requires() -> None:
    body = atom_feed("1", "题", "http://127.0.0.1/articles?q=a&b", NOW, [entry(), entry(day=None)])
    feed = fromstring(body)
    assert feed.tag == f"{{{ATOM['a']}}}feed"
    for parent in (feed, *feed.findall("a:entry", ATOM)):
        for name in ("id", "title", "updated"):
            (only,) = parent.findall(f"a:{name}", ATOM)
            assert only.text
        (link,) = parent.findall("a:link", ATOM)
        assert link.get("rel") == "alternate"
    dated, undated = feed.findall("a:entry", ATOM)
    # Each entry has an author, or the feed would need one.
    assert dated.findtext("a:author/a:name", "", ATOM) == "李四"
    assert dated.findtext("a:id", "", ATOM) == "urn:uuid:01234567-89ab-cdef-0123-456789abcdef"
    assert dated.findtext("a:updated", "", ATOM) == "2026-03-04T00:00:00+00:00"
    assert undated.findtext("a:updated", "", ATOM) == "2026-03-05T08:30:00+00:00"
    (category,) = dated.findall("a:category", ATOM)
    assert category.get("term") == "玉米"


def test_markup_and_characters_that_xml_cannot_have() -> None:
    hostile = "<script>alert(1)</script>&\0\x0b\u202e\ud800]]>"
    body = atom_feed("1", hostile, hostile, NOW, [entry(title=hostile, tags=(hostile,))])
    assert b"<script" not in body
    title = fromstring(body).findtext("a:entry/a:title", "", ATOM)
    assert title == "<script>alert(1)</script>&]]>"


def test_is_the_same_feed_at_another_address_and_without_entries() -> None:
    first, second = (fromstring(atom_feed("1", "t", url, NOW, [])) for url in ("a", "b"))
    assert first.findtext("a:id", "", ATOM) == second.findtext("a:id", "", ATOM)
    other = fromstring(atom_feed("2", "t", "a", NOW, []))
    assert first.findtext("a:id", "", ATOM) != other.findtext("a:id", "", ATOM)
