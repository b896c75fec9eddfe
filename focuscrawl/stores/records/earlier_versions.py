"""Earlier versions of articles and earlier values of template records.

Both are written in the transaction that replaces them. A version of an article is packed into one small
column, with its quotes as they were read from it, so that prices can be shown as they were known on a
day.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import Any, get_type_hints

from focuscrawl.items import FoundValue, Quote, check_code
from focuscrawl.stored_records import ArticleRevision, RecordRevision
from focuscrawl.stores.records.batch_changes import (
    RECORD_REVISIONS,
    REVISIONS,
    BatchPlan,
    Prepared,
    Row,
)

KEPT = 20
"""Earlier values that are kept of a record, the newest ones."""
_LARGEST = 2**20
"""Packed bytes of a version; a larger one is not kept, for a statement and a document have limits."""
_NAMES = tuple(entry.name for entry in fields(Quote))
_TYPES = get_type_hints(Quote)


def revised_keys(todo: BatchPlan, held: Mapping[str, Row]) -> list[str]:
    """Return the keys of the complete articles whose title or text a batch replaces by others.

    A first reading of further pages, or another reading of the prices, is no change of the site.
    """
    return sorted(
        key
        for key, entry in todo.replaced.items()
        if (before := held.get(key))
        and before["is_complete"]
        and before["content_md5"] not in ("", entry.row["content_md5"])
    )


def prepare_revision(article: Row, quotes: Sequence[Row], replacement: Row) -> Prepared | None:
    """Return the record of the stored version of an article that ``replacement`` replaces."""
    packed = _packed(article["text"], quotes)
    if len(packed) > _LARGEST:
        return None
    # The same after a crash between the two writes of a database without transactions.
    known = f"{article['url_md5']} {article['content_md5']} {article['fetched_at'].isoformat()}"
    row: Row = {
        "key": check_code(known),
        "article_md5": article["url_md5"],
        "title": article["title"],
        "published": article["published"],
        "replaced_at": replacement["fetched_at"],
        "packed": packed,
    }
    return Prepared(REVISIONS, row["key"], article["url"], row)


def stored_revision(row: Mapping[str, Any]) -> ArticleRevision:
    """Build an earlier version of an article from its row."""
    text, columns = json.loads(zlib.decompress(row["packed"]))
    return ArticleRevision(
        article_md5=row["article_md5"],
        title=row["title"],
        published=row["published"],
        replaced_at=row["replaced_at"],
        text=text,
        quotes=list(_unpacked(columns)),
    )


def _packed(text: str, quotes: Sequence[Row]) -> bytes:
    # Column by column, since similar values beside each other take less space.
    columns = {name: [quote[name] for quote in quotes] for name in _NAMES} if quotes else {}
    whole = json.dumps([text, columns], ensure_ascii=False, separators=(",", ":"), default=str)
    return zlib.compress(whole.encode(), 9)


def _unpacked(columns: Mapping[str, Sequence[Any]]) -> Iterable[Quote]:
    # A version that was packed before a field existed lacks it.
    for values in zip(*columns.values(), strict=True):
        found = zip(columns, values, strict=True)
        yield Quote(**{name: _value(_TYPES[name], v) for name, v in found if name in _TYPES})


def _value(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if kind in (Decimal, Decimal | None):
        return Decimal(value)
    return date.fromisoformat(value) if kind == date | None else value


def record_revisions_of(todo: BatchPlan, held: Mapping[str, Row]) -> list[Prepared]:
    """Return the stored values that a batch replaces by others, or after the record was gone.

    A change of the page that leaves the values as they are is none, nor is another confidence.
    """
    return [
        _revision(held[key], todo.replaced[key].row)
        for key in sorted(todo.replaced.keys() & held.keys())
        if held[key]["gone_at"] is not None or _values(held[key]) != _values(todo.replaced[key].row)
    ]


def surplus(rows: Iterable[Row]) -> list[str]:
    """Return the keys of those that are too many; takes all earlier values of records, newest first."""
    seen = Counter[str]()
    found = []
    for row in rows:
        seen[row["record_key"]] += 1
        if seen[row["record_key"]] > KEPT:
            found.append(row["key"])
    return found


def stored_record_revision(row: Mapping[str, Any]) -> RecordRevision:
    """Build the earlier values of a record from their row."""
    names = "record_key", "window", "next_window", "replaced_at", "gone_at"
    values = [FoundValue.from_json(value) for value in row["fields"]]
    return RecordRevision(**{name: row[name] for name in names}, values=values)


def _revision(before: Row, replacement: Row) -> Prepared:
    # The same after a crash between the two writes of a database without transactions.
    known = f"{before['key']} {before['window']} {before['fetched_at'].isoformat()}"
    row: Row = {
        "key": check_code(known),
        "record_key": before["key"],
        "window": before["window"],
        "next_window": replacement["window"],
        "replaced_at": replacement["fetched_at"],
        "gone_at": before["gone_at"],
        "fields": before["fields"],
    }
    return Prepared(RECORD_REVISIONS, row["key"], replacement["url"], row)


def _values(row: Row) -> list[tuple[str, str]]:
    # Their order is that of their confidences.
    return sorted((value["field"], value["value"]) for value in row["fields"])
