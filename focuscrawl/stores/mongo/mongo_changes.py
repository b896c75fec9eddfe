"""Changes of a batch as operations of MongoDB's driver."""

from __future__ import annotations

from collections.abc import Mapping

from pymongo import DeleteOne, ReplaceOne, UpdateOne

from focuscrawl.stores.mongo.mongo_files import FILES
from focuscrawl.stores.records.batch_changes import NUMBERED, BatchPlan, Prepared, RecordKind, Row

# Fields of an article while its quotes are replaced: if the program is killed meanwhile, the article is
# requested again unconditionally, and any response differs from what is stored.
HALF_WRITTEN = {
    "record_md5": "",
    "content_md5": "",
    "stamp": "",
    "is_complete": False,
    "validators": [],
}


def upserts(
    kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> list[UpdateOne | ReplaceOne[Row]]:
    """Return the operations that replace stored records, except for ``first_seen``.

    Files and additional fields of the stored records are removed.
    """
    return [
        _replacement(kind, key, entry, held.get(key, {}))
        if kind is NUMBERED
        else _upsert(kind, key, entry)
        for key, entry in todo.replaced.items()
    ]


def _upsert(kind: RecordKind, key: str, entry: Prepared) -> UpdateOne:
    given = {name: value for name, value in entry.row.items() if name != "first_seen"}
    change: Row = {"$set": given}
    if "first_seen" in entry.row:
        change["$setOnInsert"] = {"first_seen": entry.row["first_seen"]}
    if FILES not in given:
        change["$unset"] = {FILES: ""}
    return UpdateOne({kind.key: key}, change, upsert=True)


def _replacement(kind: RecordKind, key: str, entry: Prepared, before: Row) -> ReplaceOne[Row]:
    first = {"first_seen": before.get("first_seen", entry.row["first_seen"])}
    return ReplaceOne({kind.key: key}, entry.row | first, upsert=True)


def updates(kind: RecordKind, todo: BatchPlan) -> list[UpdateOne]:
    """Return the operations that set single columns of stored records."""
    return [UpdateOne({kind.key: key}, {"$set": columns}) for key, columns in todo.columns.items()]


def removals(kind: RecordKind, todo: BatchPlan) -> list[DeleteOne]:
    """Return the operations that delete records."""
    return [DeleteOne({kind.key: key}) for key in sorted(todo.erased)]
