"""Changes of a batch in a SQL database: reading stored rows, upserting, replacing parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select
from sqlalchemy.dialects import mysql, sqlite

from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    DECISIONS,
    BatchPlan,
    Prepared,
    RecordKind,
    Row,
)
from focuscrawl.stores.records.price_verdicts import apply_verdicts, marked_quotes
from focuscrawl.stores.sql.sql_tables import metadata


def held_rows(connection: Connection, kind: RecordKind, keys: set[str]) -> dict[str, Row]:
    """Return the columns of the stored records that a plan depends on, by key.

    On a server they are locked, in the same order for all writers, so that none of them can block
    each other, and what a plan is made of cannot change until it is carried out.
    """
    columns = metadata.tables[kind.table].c
    key = columns[kind.key]
    query = select(*(columns[name] for name in kind.held)).where(key.in_(keys)).order_by(key)
    rows = connection.execute(query.with_for_update()).mappings()
    return {row[kind.key]: dict(row) for row in rows}


def carry_out(
    connection: Connection, kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> None:
    """Write the changes of a plan; ``held`` has the records that are stored.

    The driver's error says if another writer has inserted one of the others meanwhile.
    """
    # In the same order for all writers, and without a query for parts that cannot exist: otherwise
    # two writers on MySQL might block each other.
    table = metadata.tables[kind.table]
    entries = [todo.replaced[key] for key in sorted(todo.replaced)]
    new = [entry.row for entry in entries if entry.key not in held]
    old = [entry.row for entry in entries if entry.key in held]
    if new:
        connection.execute(table.insert(), new)
    if old:
        upsert(connection, table, old, keep="first_seen")
    if entries:
        if kind is ARTICLES:
            apply_verdicts(entries, _decisions_on(connection, entries))
        _replace_parts(connection, kind, entries, held)
    if todo.erased:
        connection.execute(table.delete().where(table.c[kind.key].in_(sorted(todo.erased))))
    for key, columns in sorted(todo.columns.items()):
        connection.execute(table.update().where(table.c[kind.key] == key).values(columns))


def mark_quotes(connection: Connection, entries: Sequence[Prepared]) -> None:
    """Set the flags of the stored quotes that decisions are about."""
    quotes = metadata.tables["quotes"]
    for entry in entries:
        where, columns = marked_quotes(entry)
        same = [quotes.c[name] == value for name, value in where.items()]
        connection.execute(quotes.update().where(*same).values(columns))


def _decisions_on(connection: Connection, entries: Sequence[Prepared]) -> list[Row]:
    decisions = metadata.tables[DECISIONS.table]
    keys = [entry.key for entry in entries]
    query = select(decisions).where(decisions.c.article_md5.in_(keys))
    return [dict(row) for row in connection.execute(query).mappings()]


def copy_rows(kind: RecordKind, connection: Connection, entries: Sequence[Prepared]) -> None:
    """Write records with all columns, replacing stored ones."""
    upsert(connection, metadata.tables[kind.table], [entry.row for entry in entries])
    # Of all entries: in a retry after a lost connection, parts may exist that did not before.
    _replace_parts(connection, kind, entries, {entry.key for entry in entries})


def _replace_parts(
    connection: Connection, kind: RecordKind, entries: Sequence[Prepared], held: Collection[str]
) -> None:
    if not kind.parts:
        return
    parts = metadata.tables[kind.parts]
    old = [entry.key for entry in entries if entry.key in held]
    if old:
        connection.execute(parts.delete().where(parts.c[kind.owner].in_(old)))
    rows = [row for entry in entries for row in entry.parts]
    if rows:
        connection.execute(parts.insert(), rows)


def upsert(
    connection: Connection, table: Table, rows: list[dict[str, Any]], keep: str = ""
) -> None:
    """Insert rows, or replace those with the same key except for the column ``keep``."""
    names = [column.name for column in table.c if not column.primary_key and column.name != keep]
    if connection.dialect.name == "mysql":
        statement = mysql.insert(table)
        replaced = {name: statement.inserted[name] for name in names}
        connection.execute(statement.on_duplicate_key_update(replaced), rows)
    else:
        insert = sqlite.insert(table)
        given = {name: insert.excluded[name] for name in names}
        key = list(table.primary_key)
        connection.execute(insert.on_conflict_do_update(index_elements=key, set_=given), rows)
