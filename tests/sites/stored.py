"""Articles that the stores already hold."""

from __future__ import annotations

from datetime import UTC, datetime

from focuscrawl.sites.page_reading import ListEntry
from focuscrawl.stored_records import KnownArticle


def stored(entry: ListEntry, **changes: object) -> KnownArticle:
    """Return the complete stored article of an entry."""
    known = {
        "url": entry.url, "url_md5": entry.url_md5, "title": entry.title, "content_md5": "",
        "published": entry.published, "stamp": entry.stamp, "is_complete": True, "is_gone": False,
        "page_urls": [entry.url], "validators": {}, "first_seen": datetime(2017, 2, 20, tzinfo=UTC),
    }  # fmt: skip
    return KnownArticle(**known | changes)  # type: ignore[arg-type]
