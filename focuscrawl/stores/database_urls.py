"""Databases by their URLs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, unquote

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_advice import ENCODING
from focuscrawl.stores.database_copies import CopyStore
from focuscrawl.stores.store_protocol import (
    StoreReader,
    StoreSearcher,
    StoreWriter,
)

if TYPE_CHECKING:
    from focuscrawl.stores.sql.sql_store import SQLStore

KNOWN_KINDS = (
    "sqlite:///file.sqlite",
    "mysql+pymysql://user:password@host:3306/database",
    "mongodb://user:password@host:27017/database",
    "excel:///file.xlsx",
)
_MYSQL = "mysql+pymysql"
_ALIASES = {"mysql": _MYSQL, "mariadb": _MYSQL, "mariadb+pymysql": _MYSQL}
# File systems allow 255 bytes; copies, logs and marks beside a file have longer names.
_LONGEST_NAME = 200
_TRANSFERRED = "sqlite:///data/transferred.sqlite"
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Database(
    StoreWriter,
    StoreReader,
    StoreSearcher,
    CopyStore,
    Protocol,
):
    """What every database can do; functions take the smaller protocol that they need."""


def database_at(url: str) -> Database:
    """Return the database of a URL, not yet opened.

    Raises StoreError for an unknown kind, and for a URL that cannot be read.
    """
    kind = _kind(url)
    if kind == "sqlite":
        return _sqlite(_path(expanded(url)))
    if kind == _MYSQL:
        return _mysql(expanded(url))
    if kind in ("mongodb", "mongodb+srv"):
        return _mongodb(expanded(url))
    raise StoreError(f"unknown kind of store {kind!r}; known are {', '.join(KNOWN_KINDS)}")


def sql_store_at(url: str) -> SQLStore:
    """Return the SQL database of a URL, not yet opened: the only kind that the web views read.

    Raises StoreError as :func:`database_at` does, and for MongoDB, with the command that copies it.
    """
    from focuscrawl.stores.sql.sql_store import SQLStore

    store = database_at(url)
    if isinstance(store, SQLStore):
        return store
    raise StoreError(
        f"the web views read SQLite, MySQL and MariaDB, not {store.label}; copy it: scrapy transfer"
        f" '{_shown(url)}' {_TRANSFERRED}, then: scrapy serve --store {_TRANSFERRED}"
    )


def workbook_at(url: str) -> Path | None:
    """Return the path of an ``excel:`` URL, and None for the URL of a database.

    Raises StoreError for a URL that cannot be read.
    """
    return _path(expanded(url)) if _kind(url) == "excel" else None


def _kind(url: str) -> str:
    kind, colon, _ = url.partition("://")
    if not colon:
        hint = ENCODING if "@" in url else f"known are {', '.join(KNOWN_KINDS)}"
        raise StoreError(f"{_shown(url)!r} is not a store; {hint}")
    return _ALIASES.get(kind.lower(), kind.lower())


def located(url: str) -> str:
    """Make the path in a SQLite URL absolute, for a process in another folder; others stay."""
    return sqlite_url(_path(expanded(url))) if url.lower().startswith("sqlite:") else url


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{quote(str(path))}"


def expanded(url: str) -> str:
    """Replace ``${VAR}`` by the value from the environment, percent-encoded in user and password."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in os.environ:
            raise StoreError(
                f"the store {_shown(url)} needs the environment variable {name}; set it"
            )
        is_credential = "@" in url[match.end() :] and not url.startswith(("sqlite:", "excel:"))
        return quote(os.environ[name], safe="") if is_credential else os.environ[name]

    return _VARIABLE.sub(value, url)


def _shown(url: str) -> str:
    """Return a URL without anything that could be a password, or a part of one with a comma."""
    scheme, colon, rest = url.rpartition("://") if url.count("://") == 1 else ("", "", url)
    credentials, at, place = rest.rpartition("@")
    if at and not colon:
        return f"***@{place}"
    user, has_more, _ = (credentials if at else rest).partition(":")
    return f"{scheme}{colon}{user}{':***' if has_more else ''}{at}{place if at else ''}"


def _path(url: str) -> Path:
    kind, _, rest = url.partition("://")
    path = unquote(rest.removeprefix("/"))
    if not rest.startswith("/") or not path or path.endswith("/"):
        raise StoreError(
            f"{url} names no file; write {kind}:///folder/file for one in the current folder, "
            f"{kind}:////folder/file for one from the root"
        )
    if "\0" in path:
        raise StoreError(f"{url} contains a NUL character (%00); name another file")
    if len(os.fsencode(Path(path).name)) > _LONGEST_NAME:
        raise StoreError(
            f"the file name of {url} is longer than {_LONGEST_NAME} bytes; name another file"
        )
    if kind == "excel" and Path(path).suffix.lower() != ".xlsx":
        raise StoreError(f"{url} is not a workbook; name a file that ends in .xlsx")
    # Absolute, since the label of the store names its spill file.
    return Path(path).absolute()


# Each driver is imported only for a store that needs it: they take longer than everything else.


def _sqlite(path: Path) -> Database:
    from sqlalchemy.engine import URL

    from focuscrawl.stores.sql.sql_store import SQLStore

    return SQLStore(URL.create("sqlite", database=str(path)))


def _mysql(url: str) -> Database:
    from focuscrawl.stores.sql.sql_connections import mysql_url
    from focuscrawl.stores.sql.sql_store import SQLStore

    return SQLStore(mysql_url(_MYSQL + url[url.index("://") :], _shown(url)))


def _mongodb(url: str) -> Database:
    from focuscrawl.stores.mongo.mongo_store import MongoStore

    return MongoStore(url)
