"""Databases of the first schema, and a raw look at what is in a database of any schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bson import json_util
from pymongo import MongoClient
from pymongo.database import Database
from sqlalchemy import Connection, Select, create_engine, inspect, select, table, text

from focuscrawl.stores.schema_version import ADDED, CONFIDENCE, RELEVANCE, RENAMED
from tests.conftest import mysql_connection

FOLDER = Path(__file__).with_name("old_schemas")
TABLES = (
    "articles quotes pages numbered_articles missing_numbers template_records seeds crawl_state"
).split()
BOTH = {
    ("articles", ("site", "is_complete", "published", "url_md5")),
    ("pages", ("topic", "is_relevant", "relevance", "score", "key")),
}
"""The indexes that schema version 2 adds."""


def sqlite_path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def make_old(url: str) -> None:
    """Create a database of the first schema, with rows, at the URL of a store."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(sqlite_path(url))) as connection:
            connection.executescript(_script("schema_1.sqlite.sql"))
    elif url.startswith("mysql"):
        _make_mariadb(url)
    else:
        _make_mongodb(url)


def _script(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _make_mariadb(url: str) -> None:
    with mysql_connection(url, database=None) as connection, connection.cursor() as cursor:
        name = url.rsplit("/", 1)[1]
        cursor.execute(f"CREATE DATABASE {name} CHARSET utf8mb4")
        cursor.execute(f"USE {name}")
        for statement in filter(str.strip, _script("schema_1.mariadb.sql").split(";\n")):
            cursor.execute(statement)


def _make_mongodb(url: str) -> None:
    content = json_util.loads(_script("schema_1.mongodb.json"))
    with _mongodb(url) as database:
        for name, held in content["collections"].items():
            database[name].insert_many(held["documents"])
            database.command("createIndexes", name, indexes=held["indexes"])


@contextmanager
def _mongodb(url: str) -> Iterator[Database[Any]]:
    with MongoClient(url) as client:
        yield client.get_default_database()


@contextmanager
def _sql(url: str) -> Iterator[Connection]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def rows(url: str) -> dict[str, list[Any]]:
    """Return all rows (or documents) of a database as its driver reads them, by table.

    Those of quotes are without what schema version 3 adds, and their fields have its names; those of
    articles without what version 7 adds.
    """
    if url.startswith("mongodb"):
        with _mongodb(url) as database:
            return {name: [*map(_common, database[name].find().sort("_id"))] for name in TABLES}
    with _sql(url) as connection:
        found = {name: connection.execute(_whole(name)).mappings() for name in TABLES}
        return {
            name: sorted(map(_common, listed), key=_by_values) for name, listed in found.items()
        }


def _by_values(row: Mapping[str, Any]) -> str:
    return repr([*row.values()])


def _common(row: Mapping[str, Any]) -> dict[str, Any]:
    if "price_low" not in row:
        is_new = "is_relevant" not in row
        return {name: row[name] for name in row if not (is_new and name == RELEVANCE)}
    return {RENAMED.get(name, name): row[name] for name in row if name not in {*ADDED, CONFIDENCE}}


def _whole(name: str) -> Select[Any]:
    return select(text("*")).select_from(table(name))


def indexes(url: str) -> set[tuple[str, tuple[str, ...]]]:
    """Return the tables (or collections) and the columns of all indexes."""
    if url.startswith("mongodb"):
        with _mongodb(url) as database:
            return {
                (name, tuple(index["key"]))
                for name in database.list_collection_names(filter={"type": "collection"})
                for index in database[name].list_indexes()
            }
    with _sql(url) as connection:
        inspector = inspect(connection)
        found = inspector.get_multi_indexes()
        return {
            (name, tuple(map(str, index["column_names"])))
            for (_, name), listed in found.items()
            for index in listed
        }


def columns(url: str) -> dict[str, list[str]]:
    """Return the columns of all tables of a SQL database, with their types."""
    with _sql(url) as connection:
        found = inspect(connection).get_multi_columns()
        return {
            name: [f"{c['name']} {c['type']!r} {c['nullable']}" for c in listed]
            for (_, name), listed in found.items()
        }


def version(url: str) -> str | int | None:
    """Return the version that a database holds, None for none."""
    if url.startswith("mongodb"):
        with _mongodb(url) as database:
            document = database["focuscrawl_schema"].find_one({"_id": "version"})
            return document and document["number"]
    with _sql(url) as connection:
        if not inspect(connection).has_table("focuscrawl_schema"):
            return None
        return connection.exec_driver_sql("SELECT version_num FROM focuscrawl_schema").scalar()


def mark(url: str, version: int | str | None) -> None:
    """Give an upgraded database another version: one that is newer, none (""), or no mark at all."""
    if url.startswith("mongodb"):
        with _mongodb(url) as database:
            marks = database["focuscrawl_schema"]
            if version is None:
                marks.delete_many({})
            else:
                change = {"$set": {"number": version}} if version else {"$unset": {"number": 1}}
                marks.update_one({"_id": "version"}, change)
        return
    with _sql(url) as connection:
        if version is None:
            connection.exec_driver_sql("DELETE FROM focuscrawl_schema")
        else:
            number = f"{version:04}" if version else ""
            statement = text("UPDATE focuscrawl_schema SET version_num = :number")
            connection.execute(statement, {"number": number})


def drop(url: str) -> None:
    """Remove a database from its server; a SQLite file stays."""
    if url.startswith("mongodb"):
        with _mongodb(url) as database:
            database.client.drop_database(database.name)
    elif url.startswith("mysql"):
        with mysql_connection(url, database=None) as connection:
            connection.cursor().execute(f"DROP DATABASE {url.rsplit('/', 1)[1]}")
