"""Articles of lists from their rows, which may lack the long texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from focuscrawl.search.search_results import SUMMARY, TITLE, ListedArticle, WholeArticle


def listed_article(row: Mapping[str, Any]) -> ListedArticle:
    """Build an article of a list from its row, numbered or not."""
    text = row.get("description") or row.get("body_text") or row.get("text") or ""
    values = _shared(row) | {"title": row["title"][:TITLE], "summary": text[:SUMMARY]}
    return ListedArticle(**values)


def whole_article(row: Mapping[str, Any]) -> WholeArticle:
    """Build an article with its text from its row, numbered or not."""
    return WholeArticle(
        **_shared(row),
        title=row["title"],
        summary=row.get("description", ""),
        text=row["text"] if "text" in row else row["body_text"],
        gone_at=row.get("gone_at"),
        is_complete=bool(row.get("is_complete", True)),
    )


def _shared(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "url_md5": row["url_md5"],
        "url": row["url"],
        "site": row["site"],
        "series": row.get("series", ""),
        "author": row.get("author", "")[:TITLE],
        "tags": tuple(row.get("tags", ())),
        "published": row["published"],
        "first_seen": row["first_seen"],
    }
