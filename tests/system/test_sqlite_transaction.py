"""Transactions of SQLite: all or nothing, and the error that ended them."""

from __future__ import annotations

import sqlite3

import pytest

from focuscrawl.system.sqlite_file import transaction


def insert(connection: sqlite3.Connection, statements: list[str]) -> None:
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)


def test_all_or_nothing() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE numbers (number)")
    with transaction(connection):
        connection.execute("INSERT INTO numbers VALUES (1)")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        insert(connection, ["INSERT INTO numbers VALUES (2)", "INSERT INTO others VALUES (3)"])
    assert connection.execute("SELECT number FROM numbers").fetchall() == [(1,)]
