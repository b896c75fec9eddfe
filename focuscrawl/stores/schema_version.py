"""The version of the schema, one number for all kinds of databases, and what its changes renamed."""

from __future__ import annotations

from focuscrawl.errors import StoreError

# Fields of quotes that were renamed, in databases and spill files of older versions.

RENAMED = {
    "condition": "goods_condition",
    "change": "price_change",
    "change_high": "price_change_high",
    "start": "text_start",
    "end": "text_end",
}
"""New names by old ones, since schema version 3."""
ADDED = {"province": 64, "city": 64, "county": 64, "entity_type": 16}
"""Fields that schema version 3 added, and their longest values in characters."""
CONFIDENCE = "confidence"
"""The field that schema version 5 added; it may be empty."""

RELEVANCE = "relevance"
"""The field of articles that schema version 7 added; it may be empty."""


SCHEMA_VERSION = 8
"""The version that this program reads and writes; a database of an older one is upgraded."""
SCHEMA_TABLE = "focuscrawl_schema"
"""The table (or collection) that holds the version of a database."""
UPGRADE_SECONDS = 3600
"""Seconds that a program waits for another one that upgrades the same database."""


def checked_version(
    found: object, name: str, newest: int = SCHEMA_VERSION, table: str = SCHEMA_TABLE
) -> int:
    """Return a version found in a database, 0 for none; ``name`` is shown in errors.

    Raises StoreError for a version newer than ``newest``, and for text that is no number.
    """
    text = str(found)
    if not text.isdecimal():
        raise StoreError(
            f"{name} has no readable schema version in {table}, but {text!r}; restore it from "
            "a copy, or name another database"
        )
    if int(text) > newest:
        raise StoreError(
            f"{name} has schema version {text.lstrip('0')}, this version of focuscrawl reads up to "
            f"{newest}; update focuscrawl, or name another database"
        )
    return int(text)
