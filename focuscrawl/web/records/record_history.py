"""History of a template record: the windows that saw its values, and what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from focuscrawl.items import FoundValue
from focuscrawl.stored_records import KeptRecord, RecordRevision


class FieldChange(NamedTuple):
    """Values of a field that one window no longer saw, and those that it saw first."""

    field: str
    removed: list[str]
    added: list[str]


class Version(NamedTuple):
    """Values of a record, and the windows that saw them.

    ``first`` and ``since`` are None where they are not known: of the oldest version. ``gone_at`` is
    set if the record went after it.
    """

    first: int | None
    last: int
    since: datetime | None
    gone_at: datetime | None
    values: list[FoundValue]
    changes: list[FieldChange]


def history_of(kept: KeptRecord, revisions: Sequence[RecordRevision]) -> list[Version]:
    """Return the versions of a record, newest first, given its earlier values by time."""
    record = kept.record
    found: list[Version] = []
    first, since = None, None
    for revision in revisions:
        found.append(
            _version(found, first, revision.window, since, revision.gone_at, revision.values)
        )
        first, since = revision.next_window, revision.replaced_at
    found.append(_version(found, first, record.window, since, kept.gone_at, record.values))
    return found[::-1]


def _version(
    before: Sequence[Version],
    first: int | None,
    last: int,
    since: datetime | None,
    gone_at: datetime | None,
    values: list[FoundValue],
) -> Version:
    changes = changes_between(before[-1].values, values) if before else []
    if last == 1:
        first = 1
    return Version(first, last, since, gone_at, values, changes)


def changes_between(before: Sequence[FoundValue], after: Sequence[FoundValue]) -> list[FieldChange]:
    """Return the fields whose values differ, in the order of the newer values."""
    old, new = _by_field(before), _by_field(after)
    found = []
    for field in {**new, **old}:
        removed = [one for one in old.get(field, ()) if one not in new.get(field, ())]
        added = [one for one in new.get(field, ()) if one not in old.get(field, ())]
        if removed or added:
            found.append(FieldChange(field, removed, added))
    return found


def _by_field(values: Sequence[FoundValue]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        found.setdefault(value.field, []).append(value.value)
    return found
