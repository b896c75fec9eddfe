"""Earlier versions of articles that their sites have changed, packed into one small column.

A version is kept with its quotes, as they were read from it, so that prices can be shown as they were
known on a day. It is written in the transaction that replaces it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import Any, get_type_hints

from focuscrawl.items import Quote, check_code
from focuscrawl.stored_records import ArticleRevision
from focuscrawl.stores.records.batch_changes import REVISIONS, BatchPlan, Prepared, Row

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
