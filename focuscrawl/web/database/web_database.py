"""Database with the tables that belong to the web views alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError as BadUrl
from sqlalchemy.exc import DBAPIError

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql.sql_connections import label, mysql_options
from focuscrawl.stores.sql.sql_tables import MYSQL_OPTIONS

metadata = MetaData()
"""The tables; each module adds its own."""
_T = TypeVar("_T")
_BUSY_MS = 5000


class WebDatabase:
    """Tables of accounts and everything that belongs to them, in SQLite or another SQL database.

    Raises StoreError for a URL that cannot be read, and where the database does not answer.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
            is_mysql = parsed.drivername == "mysql+pymysql"
            options = mysql_options() if is_mysql else {"pool_pre_ping": True}
            self._engine: Engine = create_engine(parsed, **options)
        except (BadUrl, ValueError, ImportError) as error:
            raise StoreError(
                "FOCUSCRAWL_WEB_DATABASE is no URL of a database that can be used; write one such"
                " as sqlite:///data/web.sqlite or mysql+pymysql://user:password@host/database"
            ) from error
        self.label = label(parsed)
        if parsed.drivername == "sqlite":
            if parsed.database and not parsed.database.startswith((":memory:", "file:")):
                _keep_private(parsed.database)
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "begin", _lock_sqlite)
        # One thread: the transactions are short, and SQLite has one writer at a time.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="web-database")

    def create(self) -> None:
        """Create the tables that are missing."""
        for table in metadata.tables.values():
            table.dialect_kwargs.update(MYSQL_OPTIONS)
        self.run_now(metadata.create_all)

    def run_now(self, work: Callable[..., _T], *values: Any) -> _T:
        """Call a function with a connection in a transaction, and the values; for programs without a loop."""
        try:
            with self._engine.begin() as connection:
                return work(connection, *values)
        except DBAPIError as error:
            raise StoreError(f"{self.label} refuses: {error.orig}") from error

    async def run(self, work: Callable[..., _T], *values: Any) -> _T:
        """Call a function with a connection in a transaction, and the values, in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self.run_now, work, *values)

    def close(self) -> None:
        """Close the connections."""
        self._worker.shutdown()
        self._engine.dispose()


def _keep_private(path: str) -> None:
    """Create a file that only this user reads, for it has hashes of passwords and addresses of feeds."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _lock_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
