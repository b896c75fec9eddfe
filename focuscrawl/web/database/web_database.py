"""Database with the tables that belong to the web views alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    delete,
    event,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError as BadUrl
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.exceptions import HTTPException

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql import sql_upgrade
from focuscrawl.stores.sql.creation_lock import alone
from focuscrawl.stores.sql.sql_connections import (
    begin_sqlite,
    follow_file,
    label,
    mysql_options,
    note_file,
)
from focuscrawl.stores.sql.sql_tables import MYSQL_OPTIONS
from focuscrawl.web.database.web_tables import locks, metadata, schema_version, users

SCHEMA = sql_upgrade.Schema(4, schema_version, Path(__file__).with_name("migrations"))
_T = TypeVar("_T")
_BUSY_MS, _CREATION_SECONDS = 5000, 60


class WebDatabase:
    """Tables of accounts and everything that belongs to them, in SQLite or another SQL database.

    Raises StoreError for a URL that cannot be read, and where the database does not answer.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
            is_mysql = parsed.drivername == "mysql+pymysql"
            # On SQLite, each transaction locks from its beginning.
            plain = {"pool_pre_ping": True, "execution_options": {"begin": "IMMEDIATE"}}
            options = mysql_options() if is_mysql else plain
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
                event.listen(self._engine, "connect", note_file)
                follow_file(self._engine)
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "begin", begin_sqlite)
        # One thread: the transactions are short, and SQLite has one writer at a time.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="web-database")

    def create(self) -> None:
        """Create the tables that are missing, and upgrade those of an earlier version.

        Raises StoreError for a newer version, and for a table without one of its columns.
        """
        for table in metadata.tables.values():
            table.dialect_kwargs.update(MYSQL_OPTIONS)
        with self._translated(), alone(self._engine, self.label, _CREATION_SECONDS) as connection:
            version = sql_upgrade.read_version(connection, self.label, SCHEMA)
            metadata.create_all(connection)
            if version != SCHEMA.version:
                sql_upgrade.upgrade(connection, version, SCHEMA)
            columns = {table.name: table.c.keys() for table in metadata.tables.values()}
            sql_upgrade.check_columns(connection, self.label, columns)

    def run_now(self, work: Callable[..., _T], *values: Any) -> _T:
        """Call a function with a connection in a transaction, and the values; for programs without a loop."""
        with self._translated(), self._engine.begin() as connection:
            return work(connection, *values)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
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


# Locks in the database of the web views, which hold for all servers that use it.

LONGEST = timedelta(minutes=2)
"""Time after which a lock ends by itself, as that of a server that was killed."""


@asynccontextmanager
async def locked(database: WebDatabase, subject: str) -> AsyncIterator[None]:
    """Hold the lock of a subject; raises 409 if somebody else holds it."""
    key, owner = sha256(subject.encode("utf-8", "replace")).hexdigest(), token_hex(16)
    if not await database.run(_take, key, owner):
        raise HTTPException(409)
    try:
        yield
    finally:
        await database.run(_release, key, owner)


def hold_user(connection: Connection, name: str) -> None:
    """Let nothing of a user be changed elsewhere until the transaction ends, if all who change it call this first.

    Another tab, or another server, may be about to do the same; what is not there yet cannot be locked itself.
    """
    connection.execute(select(users.c.name).where(users.c.name == name).with_for_update())


def hold_all(connection: Connection) -> None:
    """Do as :func:`hold_user` for what belongs to no user who is there; the row of the version always is."""
    connection.execute(select(schema_version).with_for_update())


def _take(connection: Connection, key: str, owner: str) -> bool:
    now = datetime.now(UTC)
    # Two that wait for the same row to go would block each other.
    hold_all(connection)
    is_over = (locks.c.subject_hash == key) & (locks.c.until < now)
    connection.execute(delete(locks).where(is_over))
    row = {"subject_hash": key, "owner": owner, "until": now + LONGEST}
    try:
        connection.execute(locks.insert().values(row))
    except IntegrityError:
        return False
    return True


def _release(connection: Connection, key: str, owner: str) -> None:
    # Another one's by now, if it lasted too long.
    is_own = (locks.c.subject_hash == key) & (locks.c.owner == owner)
    connection.execute(delete(locks).where(is_own))
