"""Databases whose records can be copied to another one as they are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Collection, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from focuscrawl.stores.plans import KINDS, STATES, Kind, Prepared

COPIED = (*KINDS, STATES)
"""Every kind of record that is copied, in order."""
# As JSON, a long text would take longer than all else.
_LONG = 500


@runtime_checkable
class CopyStore(Protocol):
    """A database that gives and takes records with all columns, times of their own included."""

    @property
    def label(self) -> str:
        """The store's URL without password, to be shown to the user."""

    async def open(self) -> None:
        """Connect, and create what is missing. May be called again, to connect anew."""

    async def close(self) -> None:
        """Let go of connections."""

    def copies(
        self, kind: Kind, after: str | None = None, *, terms: bool = True
    ) -> AsyncGenerator[list[Prepared], None]:
        """Stream the records of a kind by key, those after ``after``, in batches of bounded size.

        Without ``terms`` the search terms are left out.
        """

    async def copies_of(self, kind: Kind, keys: Sequence[str]) -> list[Prepared]:
        """Return those of the records that are held, in the order of the keys, without terms."""

    async def expect_many(self, kind: Kind) -> None:
        """Put off what is quicker done once for many records than for each, until open()."""

    async def copy(self, kind: Kind, entries: Sequence[Prepared], held: Collection[str]) -> None:
        """Write records as they are; ``held`` are the keys of those that they replace.

        Raises RefusedRecordsError for records that cannot be kept, the others are stored.
        """

    async def count(self, kind: Kind) -> int:
        """Return how many records of a kind are held."""


def digest(entry: Prepared) -> str:
    """Return the MD5 over all columns of a record and its parts, whichever database it is from.

    Search terms are left out, for they follow from the rest.
    """
    long, rest = [], {}
    for name, value in entry.row.items():
        if name.startswith("terms_"):
            continue
        if isinstance(value, str) and len(value) > _LONG:
            long.append(name)
        else:
            rest[name] = value
    text = json.dumps([rest, entry.parts], ensure_ascii=False, sort_keys=True, default=_text)
    whole = hashlib.md5(text.encode(), usedforsecurity=False)
    for name in sorted(long):
        value = entry.row[name].encode()
        whole.update(b"\n%s %d\n" % (name.encode(), len(value)))
        whole.update(value)
    return whole.hexdigest()


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
