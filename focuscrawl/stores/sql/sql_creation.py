"""Tables and indexes of a SQL database, created or upgraded by one program at a time."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import DBAPIError

from focuscrawl.errors import StoreError
from focuscrawl.stores.records.batch_changes import ITEMS
from focuscrawl.stores.schema_version import SCHEMA_VERSION, UPGRADE_SECONDS
from focuscrawl.stores.sql import search_indexes
from focuscrawl.stores.sql.creation_lock import alone
from focuscrawl.stores.sql.sql_errors import BadDataError, translated
from focuscrawl.stores.sql.sql_tables import metadata
from focuscrawl.stores.sql.sql_upgrade import (
    check_columns,
    check_first_schema,
    has_tables,
    read_version,
    upgrade,
    write_version,
)
from focuscrawl.system.durable_files import sync_folder
from focuscrawl.system.sqlite_file import is_damaged

# Views over the quotes that answer an analyst's questions: prices by day, and the latest ones.

_log = logging.getLogger(__name__)
# https://mariadb.com/kb/en/mariadb-error-codes/: access denied to a database, a table, for a privilege
_DENIED = {(1044,), (1142,), (1227,)}


COLUMNS = (
    "date commodity province city county entity entity_type price price_low price_high move"
    " previous_date quotes article_url"
).split()
"""Columns of both views. Prices are in yuan per ton; ``move`` is the change since ``previous_date``."""

# Where the day begins first, so that nobody misses today's prices: servers often run in UTC.
_TODAY = {"sqlite": "date('now', '+14 hours')", "mysql": "DATE(UTC_TIMESTAMP() + INTERVAL 14 HOUR)"}
_LISTED = ", ".join(COLUMNS)
_MARK = "places_to_date"
"""A name in the definition of ``daily_prices`` that those of older versions lack."""
_SUMS = "date, commodity, entity, entity_type, total, quotes, low, high, article_md5"
# A place of an entity counts as the only smaller one within it: 山东潍坊 as 寿光, if no other county of
# 潍坊 is known of the entity. Counties first, then cities, then provinces. By windows, since SQLite makes
# no index for a join of the places, and would compare each quote with all of them.
_PLACES = f"""
    by_place AS (
        SELECT date, commodity, entity, province, city, county, MAX(entity_type) AS entity_type,
            SUM((price_yuan_per_ton_low + price_yuan_per_ton_high) / 2) AS total,
            COUNT(*) AS quotes, MIN(price_yuan_per_ton_low) AS low,
            MAX(price_yuan_per_ton_high) AS high, MIN(article_md5) AS article_md5
        FROM quotes
        WHERE is_primary = 1 AND flag = '' AND entity <> '' AND date <= {{today}}
            AND article_md5 NOT IN (SELECT url_md5 FROM articles WHERE gone_at IS NOT NULL)
        GROUP BY date, commodity, entity, province, city, county
    ),
    with_counties AS (
        SELECT {_SUMS}, province, city,
            CASE WHEN city <> '' AND MIN(NULLIF(county, '')) OVER own = MAX(county) OVER own
                THEN MAX(county) OVER own ELSE county END AS county
        FROM by_place
        WINDOW own AS (PARTITION BY entity, province, city)
    ),
    with_cities AS (
        SELECT {_SUMS}, province, CASE WHEN is_one THEN the_city ELSE city END AS city,
            CASE WHEN is_one THEN the_county ELSE county END AS county
        FROM (
            SELECT {_SUMS}, province, city, county,
                MAX(city) OVER own AS the_city, MAX(county) OVER own AS the_county,
                province <> '' AND MIN(NULLIF(city, '')) OVER own = MAX(city) OVER own
                AND MIN(CASE WHEN city <> '' THEN county END) OVER own = MAX(county) OVER own
                    AS is_one
            FROM with_counties
            WINDOW own AS (PARTITION BY entity, province)
        ) AS of_provinces
    ),
    {_MARK} AS (
        SELECT {_SUMS}, CASE WHEN is_one THEN the_province ELSE province END AS province,
            CASE WHEN is_one THEN the_city ELSE city END AS city,
            CASE WHEN is_one THEN the_county ELSE county END AS county
        FROM (
            SELECT {_SUMS}, province, city, county, MAX(province) OVER own AS the_province,
                MAX(city) OVER own AS the_city, MAX(county) OVER own AS the_county,
                MIN(NULLIF(province, '')) OVER own = MAX(province) OVER own
                AND MIN(CASE WHEN province <> '' THEN city END) OVER own = MAX(city) OVER own
                AND MIN(CASE WHEN province <> '' THEN county END) OVER own = MAX(county) OVER own
                    AS is_one
            FROM with_cities
            WINDOW own AS (PARTITION BY entity)
        ) AS of_entities
    )
"""  # noqa: S608 - names above
_OWNER = "commodity, province, city, county, entity"
# Articles are joined by the groups, of which there are fewer than quotes.
_DAILY = f"""
    WITH {_PLACES}
    SELECT daily.date, daily.commodity, daily.province, daily.city, daily.county, daily.entity,
        daily.entity_type, daily.price, daily.price_low, daily.price_high,
        ROUND(daily.price - LAG(daily.price) OVER history, 2) AS move,
        LAG(daily.date) OVER history AS previous_date,
        daily.quotes, articles.url AS article_url
    FROM (
        SELECT date, {_OWNER}, MAX(entity_type) AS entity_type,
            ROUND(SUM(total) / SUM(quotes), 2) AS price,
            MIN(low) AS price_low, MAX(high) AS price_high,
            SUM(quotes) AS quotes, MIN(article_md5) AS article_md5
        FROM {_MARK}
        GROUP BY date, {_OWNER}
    ) AS daily
    JOIN articles ON articles.url_md5 = daily.article_md5
    WINDOW history AS (
        PARTITION BY daily.commodity, daily.province, daily.city, daily.county, daily.entity
        ORDER BY daily.date
    )
"""  # noqa: S608 - names above
_LATEST = f"""
    SELECT {_LISTED}
    FROM (
        SELECT {_LISTED}, ROW_NUMBER() OVER (PARTITION BY {_OWNER} ORDER BY date DESC) AS age
        FROM daily_prices
    ) AS aged
    WHERE age = 1
"""  # noqa: S608 - the names of columns above
VIEWS = {"daily_prices": _DAILY, "latest_prices": _LATEST}
"""Queries of the views, by name, in the order in which they build on each other.

``{today}`` stands for the latest day that has prices: a later date is an error.
"""


def are_there(connection: Connection) -> bool:
    """Return whether a database has the views of this version, as far as the user may know."""
    inspector = inspect(connection)
    if not {*inspector.get_view_names()} >= VIEWS.keys():
        return False
    try:
        return _MARK in (inspector.get_view_definition("daily_prices") or "")
    except DBAPIError as error:
        # A user without SHOW VIEW may hardly replace them.
        if _is_denied(error):
            return True
        raise


def create(connection: Connection, name: str) -> None:
    """Create or replace the views; ``name`` is that of the database in messages.

    On a server whose user may not, they are left out, with a warning. Raises StoreError if another
    program has a table or a view of the same name.
    """
    _check_foreign(connection, name)
    today = _TODAY[connection.dialect.name]
    for view, template in VIEWS.items():
        query = template.replace("{today}", today)
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"DROP VIEW IF EXISTS {view}")
            connection.exec_driver_sql(f"CREATE VIEW {view} AS {query}")
        elif not _created_on_server(connection, view, query):
            _log.warning("%s has no view %s; grant the user CREATE VIEW and DROP", name, view)
            return


def _check_foreign(connection: Connection, name: str) -> None:
    inspector = inspect(connection)
    for view in VIEWS.keys() & {*inspector.get_table_names(), *inspector.get_view_names()}:
        if [column["name"] for column in inspector.get_columns(view)] != COLUMNS:
            raise StoreError(
                f"{name} has a table or view {view!r} of another program; rename it, or name another "
                "database"
            )


def _created_on_server(connection: Connection, view: str, query: str) -> bool:
    # With the rights of whoever reads them: the user who creates them may be removed.
    statement = f"CREATE OR REPLACE SQL SECURITY INVOKER VIEW {view} AS {query}"
    try:
        connection.exec_driver_sql(statement)
    except DBAPIError as error:
        if _is_denied(error):
            return False
        raise
    return True


def _is_denied(error: DBAPIError) -> bool:
    return error.orig is not None and error.orig.args[:1] in _DENIED


# A copy of a SQLite file, kept beside it until an upgrade has succeeded.


def copy_path(database: Path) -> Path:
    """Return the path of the copy from before the upgrade to this program's version.

    With the version in its name, for an older program must not remove what a newer one needs.
    """
    return database.with_name(f"{database.name}.before-schema-{SCHEMA_VERSION}")


def keep_copy(database: Path, name: str) -> None:
    """Copy a database that no other program writes to; an earlier copy is removed first.

    A program that is killed leaves a whole copy, or ``COPY.part``. Raises StoreError if there is no
    space, or the folder is not writable; ``name`` is shown in errors.
    """
    copy = copy_path(database)
    part = copy.with_name(f"{copy.name}.part")
    try:
        # A failed upgrade has changed nothing, so its copy only takes space.
        for old in (copy, part):
            old.unlink(missing_ok=True)
        _copy(database, part)
        os.replace(part, copy)
        sync_folder(copy.parent)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        megabytes = database.stat().st_size / 1e6
        raise StoreError(
            f"{name} is not upgraded, for no copy of it can be made ({error}); free "
            f"{megabytes:,.1f} MB on its disk, and make its folder writable"
        ) from error


def _copy(database: Path, part: Path) -> None:
    # By SQLite's backup, for what was committed last may be in the write-ahead log.
    with (
        closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(part)) as target,
    ):
        source.backup(target)
    with part.open("rb") as file:
        os.fsync(file.fileno())


def discard_copy(database: Path) -> None:
    """Remove the copy of a database whose upgrade has succeeded, and what a kill left of one."""
    copy = copy_path(database)
    for path in (copy, copy.with_name(f"{copy.name}.part")):
        # Where it cannot be removed it does no harm.
        with suppress(OSError):
            path.unlink()


@contextmanager
def copy_named(database: Path) -> Iterator[None]:
    """Name the copy in the error of an upgrade that failed."""
    try:
        yield
    except (StoreError, BadDataError) as error:
        raise StoreError(
            f"{error}; nothing was upgraded, and a copy is kept: {copy_path(database)}"
        ) from error


_CREATION_SECONDS = 60


def check_header(path: Path, name: str) -> None:
    """Raise StoreError for a file that is damaged or no database; the file stays as it is."""
    if path.is_dir():
        raise StoreError(f"{name} is a folder; name a file")
    try:
        damaged = is_damaged(path)
    except OSError as error:
        raise StoreError(
            f"{name} cannot be read ({error.strerror}); check its permissions"
        ) from error
    if damaged:
        raise StoreError(
            f"{name} cannot be used: the file is damaged, or not a SQLite database; restore it from "
            "a copy, or move it away and crawl again"
        )


def create_or_upgrade(
    engine: Engine, name: str, patient: Callable[[], AbstractContextManager[Engine]]
) -> None:
    """Create the tables and indexes that a database lacks, and upgrade one of an older version.

    Programs that begin at once wait for each other. ``patient`` gives an engine whose statements have
    no time limit; ``name`` is shown in errors. Raises StoreError for a newer version. Driver errors
    are the caller's to translate.
    """
    with engine.connect() as connection:
        is_current = read_version(connection, name) == SCHEMA_VERSION
        is_upgrade = not is_current and has_tables(connection)
    if not is_current or not _is_complete(engine):
        with patient() as patient_engine:
            seconds = UPGRADE_SECONDS if is_upgrade else _CREATION_SECONDS
            with alone(patient_engine, name, seconds) as held:
                _create_or_upgrade(held, name)
                # On SQLite the index has a transaction of its own, which locks, too.
                if engine.dialect.name != "sqlite":
                    _make_searchable(patient_engine)
            _make_searchable(patient_engine)
    if engine.dialect.name == "sqlite":
        discard_copy(_file(engine))


def _create_or_upgrade(connection: Connection, name: str) -> None:
    # Another program may have been quicker.
    version = read_version(connection, name)
    if version < SCHEMA_VERSION:
        # A common name, which other programs give to tables of theirs.
        check_columns(connection, name, {ITEMS.table: metadata.tables[ITEMS.table].c.keys()})
    if version == SCHEMA_VERSION or not has_tables(connection):
        metadata.create_all(connection)
        if version != SCHEMA_VERSION:
            write_version(connection, SCHEMA_VERSION)
        create(connection, name)
        return
    if not version:
        # Before a copy is made, and before a server commits tables that it creates.
        check_first_schema(connection, name)
    _log.info("upgrading %s from schema version %d to %d", name, version or 1, SCHEMA_VERSION)
    with _copy_kept(connection, name):
        metadata.create_all(connection)
        upgrade(connection, version)
        create(connection, name)


@contextmanager
def _copy_kept(connection: Connection, name: str) -> Iterator[None]:
    if connection.dialect.name != "sqlite":
        yield
        return
    file = _file(connection.engine)
    keep_copy(file, name)
    with copy_named(file), translated(name):
        yield
        # Here, since the commit may fail as well: a full disk is often noticed only then.
        connection.exec_driver_sql("COMMIT")


def _file(engine: Engine) -> Path:
    return Path(engine.url.database or "")


def _make_searchable(engine: Engine) -> None:
    if not search_indexes.is_there(engine):
        search_indexes.create(engine)


def _is_complete(engine: Engine) -> bool:
    known = set(inspect(engine).get_table_names())
    with engine.connect() as connection:
        has_views = are_there(connection)
    return known >= set(metadata.tables) and has_views and search_indexes.is_there(engine)
