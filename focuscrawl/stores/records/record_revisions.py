"""Earlier values of template records, written in the transaction that replaces them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from focuscrawl.items import FoundValue, check_code
from focuscrawl.stored_records import RecordRevision
from focuscrawl.stores.records.batch_changes import RECORD_REVISIONS, BatchPlan, Prepared, Row

KEPT = 20
"""Earlier values that are kept of a record, the newest ones."""


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
