"""Sizes of rows, for statements that a server accepts and for reading in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, Text, TypeDecorator, cast, func, literal

_AT_ONCE = 8 * 2**20
"""Bytes of rows read at a time; a single larger row is read alone."""


def sent_size(row: Mapping[str, Any], limit: int) -> int:
    """Return the number of bytes that the texts of a row take in a MySQL statement.

    Below ``limit`` this is an upper bound, which is faster to compute.
    """
    texts = [text for text in map(_sent, row.values()) if text]
    # Each byte of a binary value may be escaped.
    binary = 2 * sum(len(value) for value in row.values() if isinstance(value, bytes))
    most = 4 * sum(map(len, texts)) + binary
    if most <= limit:
        return most
    # Imported here, so that other stores do not load the driver of MySQL.
    from focuscrawl.stores.sql.mysql_connection import escaped

    return binary + sum(len(escaped(text).encode()) for text in texts)


def _sent(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else ""


def size_of(columns: Iterable[ColumnElement[Any]], dialect: str) -> ColumnElement[int]:
    """Return the total bytes of the columns whose texts may have any length."""
    total: ColumnElement[int] = literal(0)
    for column in columns:
        if _is_long(column):
            # SQLite's length() of a text counts characters, and ends at the first NUL.
            value = cast(column, LargeBinary) if dialect == "sqlite" else column
            total = total + func.length(value)
    return total


def _is_long(column: ColumnElement[Any]) -> bool:
    kind = column.type
    kind = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
    return isinstance(kind, (Text, LargeBinary))


def groups(
    keys: Sequence[str], sizes: Mapping[str, int], most: int, at_once: int = _AT_ONCE
) -> Iterator[list[str]]:
    """Split keys into groups of at most ``most`` rows and ``at_once`` bytes; a larger row is alone."""
    group: list[str] = []
    held = 0
    for key in keys:
        size = sizes.get(key, 0)
        if group and (len(group) == most or held + size > at_once):
            yield group
            group, held = [], 0
        group.append(key)
        held += size
    if group:
        yield group
