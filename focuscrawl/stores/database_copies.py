"""Databases whose records can be copied unchanged from one to another."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from focuscrawl.errors import StoreError
from focuscrawl.items import check_code
from focuscrawl.stores.records.batch_changes import (
    KINDS,
    RECORD_REVISIONS,
    REVISIONS,
    RUNS,
    STATES,
    Prepared,
    RecordKind,
    Row,
)
from focuscrawl.stores.records.numbered_rows import TERMS
from focuscrawl.stores.store_protocol import StoreConnection

COPIED = (*KINDS, STATES, REVISIONS, RECORD_REVISIONS, RUNS)
"""All kinds of record that are copied, in order."""
LONG_TEXTS = ("text", "body_html", "body_text", "item")
_LEFT_OUT = {f"terms_{name}" for name in TERMS}
Line = tuple[str, str]
"""The key of a record and the MD5 of its content."""


class CopyStore(StoreConnection, Protocol):
    """A database that reads and writes records with all columns, including their timestamps."""

    def copies(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Prepared], None]:
        """Stream the records of a kind with keys after ``after``, by key, in batches of bounded size."""

    def digests(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Line], None]:
        """Stream the keys and MD5s of the records of a kind, as :func:`line_of` returns them."""

    async def digests_of(self, kind: RecordKind, keys: Sequence[str]) -> list[Line]:
        """Return the keys and MD5s of the stored ones of the given records."""

    async def begin_many(self, kind: RecordKind) -> None:
        """Postpone work that is faster once for many records than for each."""

    async def end_many(self, kind: RecordKind) -> None:
        """Do the postponed work; after a crash, open() does it."""

    async def copy(
        self, kind: RecordKind, entries: Sequence[Prepared], held: Collection[str]
    ) -> None:
        """Write records unchanged; ``held`` has the keys of those that they replace.

        Raises RefusedRecordsError for records that cannot be stored; the others are.
        """

    async def count(self, kind: RecordKind) -> int:
        """Return the number of stored records of a kind."""


async def open_existing(store: StoreConnection) -> None:
    """Open a database to read it. Raises StoreError if it does not exist: opening would create it."""
    if not await store.exists():
        raise StoreError(f"there is no database {store.label}; name one that a crawl has filled")
    await store.open()


def line_of(entry: Prepared) -> Line:
    """Return the key of a record, and the MD5 of all its columns and its parts.

    The MD5 does not depend on the database. Search terms are left out, since they follow from the
    rest. Long texts are replaced by their own MD5, which some databases can compute themselves.
    """
    row = {name: value for name, value in entry.row.items() if name not in _LEFT_OUT}
    row |= {name: check_code(row[name]) for name in LONG_TEXTS if name in row}
    return line_of_row(entry.key, row, entry.parts)


def line_of_row(key: str, row: Mapping[str, Any], parts: Sequence[Row]) -> Line:
    """Return the same as :func:`line_of`, for a row with MD5s in place of its long texts."""
    whole = json.dumps([row, parts], ensure_ascii=False, sort_keys=True, default=_text)
    return key, check_code(whole)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
