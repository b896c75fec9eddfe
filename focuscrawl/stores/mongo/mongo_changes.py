"""Changes of a batch in MongoDB, as operations of its driver."""

from __future__ import annotations

from collections.abc import Mapping

from pymongo import DeleteOne, ReplaceOne, UpdateOne

from focuscrawl.stores.mongo.mongo_files import FILES
from focuscrawl.stores.records.batch_changes import NUMBERED, Kind, Plan, Prepared, Row

# What an article looks like while its quotes are replaced: should the program die then, the
# article is asked for again without conditions, and whatever comes differs from what is held.
HALF_WRITTEN = {
    "record_md5": "",
    "content_md5": "",
    "stamp": "",
    "is_complete": False,
    "validators": [],
}


def upserts(kind: Kind, todo: Plan, held: Mapping[str, Row]) -> list[UpdateOne | ReplaceOne[Row]]:
    """Return the changes that put records in the place of what is held, ``first_seen`` left as it is.

    Where a file or a field of its own was, that goes.
    """
    return [
        _replacement(kind, key, entry, held.get(key, {}))
        if kind is NUMBERED
        else _upsert(kind, key, entry)
        for key, entry in todo.replaced.items()
    ]


def _upsert(kind: Kind, key: str, entry: Prepared) -> UpdateOne:
    given = {name: value for name, value in entry.row.items() if name != "first_seen"}
    change: Row = {"$set": given, "$setOnInsert": {"first_seen": entry.row["first_seen"]}}
    if FILES not in given:
        change["$unset"] = {FILES: ""}
    return UpdateOne({kind.key: key}, change, upsert=True)


def _replacement(kind: Kind, key: str, entry: Prepared, before: Row) -> ReplaceOne[Row]:
    first = {"first_seen": before.get("first_seen", entry.row["first_seen"])}
    return ReplaceOne({kind.key: key}, entry.row | first, upsert=True)


def updates(kind: Kind, todo: Plan) -> list[UpdateOne]:
    """Return the changes that set single columns of what is held."""
    return [UpdateOne({kind.key: key}, {"$set": columns}) for key, columns in todo.columns.items()]


def removals(kind: Kind, todo: Plan) -> list[DeleteOne]:
    """Return the changes that remove what is erased."""
    return [DeleteOne({kind.key: key}) for key in sorted(todo.erased)]
