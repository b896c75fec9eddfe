"""Conversion between numbered articles or missing numbers and the rows that all stores share.

Unlike those of other records, their texts are stored unchanged, including NUL: only lone surrogates,
which no database can encode, become U+FFFD.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from focuscrawl.items import MissingNumber, NumberedArticle, content_md5
from focuscrawl.stores.records.batch_changes import MISSING, NUMBERED, Prepared, Row, instant
from focuscrawl.stores.schema_version import RELEVANCE

_SURROGATES = re.compile("[\ud800-\udfff]")
TERMS = ("title", "tags", "description", "body")
"""The parts of an article that have a column ``terms_…`` for the search."""
LONG_COLUMNS = ("body_html", "body_text", "extra")
"""Columns that may be very long, left out by readers that do not need them."""
_CONTENT = (
    *("url", "site", "series", "number", "title", "description", "tags", "author", "published"),
    *LONG_COLUMNS,
)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def whole_text(text: str) -> str:
    """Replace lone surrogates by U+FFFD, and nothing else."""
    return _SURROGATES.sub("\ufffd", text)


def plain_json(value: Any) -> Any:
    """Return a value after a round trip through JSON. Raises ValueError or TypeError."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return json.loads(whole_text(text))


def prepare_numbered(article: NumberedArticle) -> Prepared:
    """Convert a numbered article to the row that is stored, with its search terms."""
    row: Row = {
        "url_md5": article.url_md5,
        "url": whole_text(article.url),
        "site": whole_text(article.site),
        "series": whole_text(article.series),
        "number": int(article.number),
        "title": whole_text(article.title),
        "description": whole_text(article.description),
        "tags": [whole_text(tag) for tag in article.tags],
        "author": whole_text(article.author),
        "published": article.published,
        "body_html": whole_text(article.body_html),
        "body_text": whole_text(article.body_text),
        "extra": plain_json(article.extra),
        "fetched_at": instant(article.fetched_at),
        "first_seen": instant(article.fetched_at),
        RELEVANCE: article.relevance,
    }
    return Prepared(NUMBERED, row["url_md5"], article.url, with_terms(with_md5s(row)))


def with_md5s(row: Row) -> Row:
    """Add the MD5s of the content to the row of a numbered article."""
    seen = row["title"], row["description"], " ".join(row["tags"]), row["author"], row["body_text"]
    row["content_md5"] = content_md5(*seen)
    row["record_md5"] = numbered_md5(row)
    return row


def with_terms(row: Row) -> Row:
    """Add the search terms to the row of a numbered article."""
    # Imported here because it loads a dictionary that most crawls do not need.
    from focuscrawl.search.search_index import search_terms

    parts = row["title"], "\n".join(row["tags"]), row["description"], row["body_text"]
    for name, text in zip(TERMS, parts, strict=True):
        row[f"terms_{name}"] = search_terms(text, is_headline=name in ("title", "tags"))
    return row


def numbered_md5(row: Mapping[str, Any]) -> str:
    """Return the MD5 of the whole content of a numbered article."""
    content = [row[name] for name in _CONTENT]
    whole = json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()


def prepare_missing(number: MissingNumber) -> Prepared:
    """Convert a missing number to the row that is stored."""
    row: Row = {
        "url_md5": number.url_md5,
        "url": whole_text(number.url),
        "site": whole_text(number.site),
        "series": whole_text(number.series),
        "number": int(number.number),
        "reason": whole_text(number.reason),
        "tries": int(number.tries),
        "tried_at": instant(number.tried_at),
        "due_at": instant(number.due_at),
        "found_at": number.found_at and instant(number.found_at),
        "first_seen": instant(number.tried_at),
    }
    return Prepared(MISSING, row["url_md5"], number.url, row)


def stored_numbered(row: Mapping[str, Any]) -> NumberedArticle:
    """Build a numbered article from its row; fields missing in the row are empty."""
    return NumberedArticle(
        url=row["url"],
        site=row["site"],
        series=row["series"],
        number=row["number"],
        title=row["title"],
        description=row["description"],
        tags=row["tags"],
        author=row["author"],
        published=row["published"],
        body_html=row.get("body_html", ""),
        body_text=row.get("body_text", ""),
        extra=row.get("extra", {}),
        fetched_at=row["fetched_at"],
        relevance=row.get(RELEVANCE),
    )


def stored_missing(row: Mapping[str, Any]) -> MissingNumber:
    """Build a missing number from its row."""
    return MissingNumber(
        url=row["url"],
        site=row["site"],
        series=row["series"],
        number=row["number"],
        reason=row["reason"],
        tries=row["tries"],
        tried_at=row["tried_at"],
        due_at=row["due_at"],
        found_at=row["found_at"],
    )


def adopted(found: Mapping[str, Any], first_seen: datetime = _BEGINNING) -> Row:
    """Return the row of a numbered article that another program stored.

    ``first_seen`` replaces missing times. A field with one of our names but another type of value is
    moved to ``extra`` unchanged, like the fields with other names.
    """
    row: Row = {}
    extra = dict(found.get("extra") or {})
    for name, (form, default) in _FORMS.items():
        value = found.get(name)
        row[name] = None if value is None else form(value)
        if value is not None and (row[name] is None or _has_more(name, value)):
            extra[name] = value
        if row[name] is None:
            row[name] = default()
    row["fetched_at"] = row["fetched_at"] or row["first_seen"] or first_seen
    row["first_seen"] = row["first_seen"] or row["fetched_at"]
    return row | {"url_md5": found["url_md5"], "extra": extra}


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _whole_number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _strings(value: Any) -> Sequence[str] | None:
    is_list = isinstance(value, list) and all(isinstance(tag, str) for tag in value)
    return value if is_list else None


def _day(value: Any) -> date | None:
    return value.date() if isinstance(value, datetime) else None


def _has_more(name: str, value: Any) -> bool:
    """Return whether a field for a day holds a time of day."""
    return name == "published" and value.time() != time.min


def _moment(value: Any) -> datetime | None:
    return value.astimezone(UTC) if isinstance(value, datetime) else None


def _real(value: Any) -> float | None:
    return value if isinstance(value, float) else None


def _nothing() -> None:
    return None


_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[], Any]]] = {
    **dict.fromkeys(("url", "site", "series", "title"), (_string, str)),
    **dict.fromkeys(("description", "author", "body_html", "body_text"), (_string, str)),
    "number": (_whole_number, int),
    "tags": (_strings, list),
    "published": (_day, _nothing),
    **dict.fromkeys(("fetched_at", "first_seen"), (_moment, _nothing)),
    RELEVANCE: (_real, _nothing),
}
