"""Engines for the SQL stores: connecting, creating what is missing, transactions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.util import immutabledict

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.database_advice import ENCODING
from focuscrawl.stores.sql.sql_creation import check_header, create_or_upgrade
from focuscrawl.stores.sql.sql_errors import BadDataError, translated
from focuscrawl.stores.sql.sql_tables import metadata
from focuscrawl.stores.sql.sql_upgrade import check_columns
from focuscrawl.system.durable_files import made_folder
from focuscrawl.system.sqlite_file import BUSY_SECONDS, switch_to_wal

# A server that says nothing for this long is taken as gone.
_CONNECT_SECONDS, _ANSWER_SECONDS = 5, 120
# The server's own limit for a table that another transaction has read is a day.
_LOCK_SECONDS = 30
_NO_SUCH_DATABASE = 1049
# What a row's other columns and the statement around them may take of a packet.
_STATEMENT_BYTES = 200_000
_COLUMNS = {table.name: table.c.keys() for table in metadata.sorted_tables}


def label(url: URL) -> str:
    """Return a URL without password and options."""
    if url.drivername == "sqlite":
        return f"sqlite:///{url.database}"
    shown = URL.create(url.drivername, url.username, None, url.host, url.port, url.database)
    return shown.render_as_string()


def mysql_url(url: str, shown: str) -> URL:
    """Read the URL of a MySQL database; ``shown`` stands for it in errors.

    Raises StoreError for one that cannot be read, and for options other than ``ssl_…``.
    """
    example = "it is like mysql+pymysql://user:password@host:3306/database"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"{shown} cannot be read; {example}; {ENCODING}") from error
    # What is left of a password with such a character stands in the place of host or database.
    if not parsed.host or "@" in parsed.host + (parsed.database or ""):
        raise StoreError(f"{shown} cannot be read; {example}; {ENCODING}")
    # The store sets the character set itself.
    options = {name: value for name, value in parsed.query.items() if name != "charset"}
    for name in options:
        if not name.startswith("ssl"):
            raise StoreError(f"{shown}: no option {name!r}; there are only ssl_ options")
    return parsed._replace(query=immutabledict(options))


def connect(url: URL, name: str) -> Engine:
    """Return an engine whose database has all tables; ``name`` is shown in errors."""
    engine = _sqlite_engine(url, name) if url.drivername == "sqlite" else _mysql_engine(url, name)
    try:
        with translated(name):
            create_or_upgrade(engine, name, partial(patient, engine, url))
            with engine.connect() as connection:
                check_columns(connection, name, _COLUMNS)
    except BadDataError as error:
        engine.dispose()
        raise StoreError(f"{name}: its tables cannot be created: {error}") from error
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def patient(engine: Engine, url: URL) -> Iterator[Engine]:
    """Yield an engine whose statements may take as long as they do, as for an index over many rows."""
    if engine.dialect.name == "sqlite":
        yield engine
        return
    other = _mysql_connections(url, mysql_options(None))
    try:
        yield other
    finally:
        other.dispose()


def _sqlite_engine(url: URL, name: str) -> Engine:
    path = Path(url.database or "")
    made_folder(path.parent, StoreError, f"name another for {path.name}")
    check_header(path, name)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "connect", note_file)
    event.listen(engine, "begin", _check_file)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def follow_file(engine: Engine) -> None:
    """Let an engine go on with the file that takes the place of a SQLite database's, as in a restore.

    Only for who shows what is there: what a crawl has written before would be missing in the other file.
    """
    event.listen(engine, "checkout", _leave_replaced_file)


def note_file(connection: Any, record: Any) -> None:
    """Note which file a new connection to SQLite has opened."""
    record.info["path"] = connection.execute("PRAGMA database_list").fetchone()[2]
    record.info["file"] = _identity(record.info["path"])


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from another one under the same name, None if there is none."""
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino
    return None


def _leave_replaced_file(_connection: Any, record: Any, _proxy: Any) -> None:
    found = _identity(record.info["path"])
    if found is None:
        raise StoreUnavailableError(f"{record.info['path']} is not there any more; put it back")
    if found != record.info["file"]:
        raise DisconnectionError


def _check_file(connection: Connection) -> None:
    """Raise StoreError if the file under the database's name is no longer the one that is open.

    SQLite would go on writing to a file that nobody finds again.
    """
    if connection.info["file"] != _identity(connection.info["path"]):
        raise StoreError(
            f"{label(connection.engine.url)} was moved, deleted or replaced while it was open; put it back,"
            " and run the same command again"
        )


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, and too late to lock what is read first.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
    switch_to_wal(connection)
    # FULL also outlives a power cut; with one commit a batch it costs little.
    connection.execute("PRAGMA synchronous = FULL")


def begin_sqlite(connection: Connection) -> None:
    """Begin a transaction as the option ``begin`` says."""
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")


def _mysql_engine(url: URL, name: str) -> Engine:
    if not url.database:
        raise StoreError(f"{name} names no database; add one: {name.rstrip('/')}/focuscrawl")
    options = mysql_options()
    _ensure_database(url, name, options)
    return _mysql_connections(url, options)


def mysql_options(answer_seconds: int | None = _ANSWER_SECONDS) -> dict[str, Any]:
    """Return the options of an engine for MySQL: strict, and never waiting without end."""
    return {
        "connect_args": {
            "charset": "utf8mb4",
            "connect_timeout": _CONNECT_SECONDS,
            "read_timeout": answer_seconds,
            "write_timeout": answer_seconds,
            # Without strict mode a server cuts what is too long, and says nothing.
            "init_command": "SET SESSION sql_mode = 'STRICT_TRANS_TABLES', "
            f"lock_wait_timeout = {_LOCK_SECONDS}",
        },
        "pool_pre_ping": True,
        # Locks rows, not the gaps between them, so that several machines can write at once.
        "isolation_level": "READ COMMITTED",
    }


def _mysql_connections(url: URL, options: dict[str, Any]) -> Engine:
    engine = create_engine(url, **options)
    event.listen(engine, "do_connect", _connect_quickly)
    return engine


def _connect_quickly(_dialect: Any, _record: Any, arguments: Any, options: Any) -> Any:
    # Loaded here, for a store without MySQL need not pay for its driver.
    from focuscrawl.stores.sql.mysql_connection import QuickConnection

    return QuickConnection(*arguments, **options)


def _ensure_database(url: URL, name: str, options: dict[str, Any]) -> None:
    """Create the database if the server says that it does not exist."""
    if _answers(url, name, options):
        return
    server = create_engine(url._replace(database=None), **options)
    quoted = server.dialect.identifier_preparer.quote_identifier(url.database or "")
    try:
        with translated(name), server.begin() as connection:
            connection.execute(text(f"CREATE DATABASE IF NOT EXISTS {quoted} CHARSET utf8mb4"))
    except (StoreError, BadDataError) as error:
        raise StoreError(
            f"{name}: there is no database {url.database!r} and the user may not create it; "
            "create it, or grant the right"
        ) from error
    finally:
        server.dispose()


def exists(url: URL, name: str) -> bool:
    """Return whether a database is there, without creating it."""
    if url.drivername == "sqlite":
        return Path(url.database or "").is_file()
    return not url.database or _answers(url, name, mysql_options())


def _answers(url: URL, name: str, options: dict[str, Any]) -> bool:
    engine = create_engine(url, **options)
    try:
        with translated(name), engine.connect():
            return True
    except StoreError as error:
        origin = getattr(error.__cause__, "orig", None)
        if origin is not None and origin.args and origin.args[0] == _NO_SUCH_DATABASE:
            return False
        raise
    finally:
        engine.dispose()


def packet_size(engine: Engine, name: str) -> int | None:
    """Return the most bytes that the server takes in a statement's values, None for any."""
    if engine.dialect.name == "sqlite":
        return None
    with translated(name), engine.connect() as connection:
        limit: int = connection.execute(text("SELECT @@max_allowed_packet")).scalar_one()
    return limit - min(_STATEMENT_BYTES, limit // 4)


def writing(engine: Engine) -> AbstractContextManager[Connection]:
    """Return the context of a transaction that locks what it reads, so that it can write it."""
    return engine.execution_options(begin="IMMEDIATE").begin()
