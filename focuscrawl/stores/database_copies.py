"""Databases whose records can be copied to another one as they are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from focuscrawl.errors import StoreError
from focuscrawl.stores.records.batch_changes import KINDS, STATES, Kind, Prepared, Row
from focuscrawl.stores.records.numbered_rows import TERMS
from focuscrawl.stores.store_protocol import StoreConnection

COPIED = (*KINDS, STATES)
"""Every kind of record that is copied, in order."""
LONG_TEXTS = ("text", "body_html", "body_text")
_LEFT_OUT = {f"terms_{name}" for name in TERMS}
Line = tuple[str, str]
"""The key of a record and the MD5 of all that it holds."""


class CopyStore(StoreConnection, Protocol):
    """A database that reads and writes records with all columns, including their timestamps."""

    def copies(self, kind: Kind, after: str | None = None) -> AsyncGenerator[list[Prepared], None]:
        """Stream the records of a kind by key, those after ``after``, in batches of bounded size."""

    def digests(self, kind: Kind, after: str | None = None) -> AsyncGenerator[list[Line], None]:
        """Stream the keys and MD5s of what is kept of a kind, as :func:`line_of` makes them."""

    async def digests_of(self, kind: Kind, keys: Sequence[str]) -> list[Line]:
        """Return the keys and MD5s of those of the records that are held."""

    async def begin_many(self, kind: Kind) -> None:
        """Put off what is quicker done once for many records than for each."""

    async def end_many(self, kind: Kind) -> None:
        """Do what was put off. After a crash, open() does."""

    async def copy(self, kind: Kind, entries: Sequence[Prepared], held: Collection[str]) -> None:
        """Write records as they are; ``held`` are the keys of those that they replace.

        Raises RefusedRecordsError for records that cannot be kept, the others are stored.
        """

    async def count(self, kind: Kind) -> int:
        """Return how many records of a kind are held."""


async def open_existing(store: StoreConnection) -> None:
    """Open a database to read it. Raises StoreError if it is not there: opening would create it."""
    if not await store.exists():
        raise StoreError(f"there is no database {store.label}; name one that a crawl has filled")
    await store.open()


def line_of(entry: Prepared) -> Line:
    """Return the key of a record, and the MD5 over all its columns and its parts.

    That is the same whichever database it is from. Search terms are left out, for they follow from
    the rest. Long texts count by their own MD5, so that a database may take that.
    """
    row = {name: value for name, value in entry.row.items() if name not in _LEFT_OUT}
    row |= {name: md5(row[name]) for name in LONG_TEXTS if name in row}
    return line_of_row(entry.key, row, entry.parts)


def line_of_row(key: str, row: Mapping[str, Any], parts: Sequence[Row]) -> Line:
    """Return what :func:`line_of` does, of a row with the MD5s of its long texts instead of these."""
    whole = json.dumps([row, parts], ensure_ascii=False, sort_keys=True, default=_text)
    return key, md5(whole)


def md5(text: str) -> str:
    """Return the MD5 of a text in UTF-8, as 32 hex digits."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
