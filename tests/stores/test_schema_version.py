"""Databases of the first schema are upgraded when they are opened, whatever happens meanwhile."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.database_copies import COPIED
from focuscrawl.stores.mongo import mongo_setup
from focuscrawl.stores.schema_version import SCHEMA_VERSION, checked_version
from focuscrawl.stores.sql import sql_connections
from focuscrawl.stores.sql.sql_upgrade import STORES
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.stores.conftest import StoreOpener, limited_user
from tests.stores.old_databases import (
    BOTH,
    columns,
    drop,
    indexes,
    make_old,
    mark,
    rows,
    sqlite_path,
    version,
)
from tests.stores.record_examples import everything

# Before any revision; MariaDB commits each.
SQL_CREATION = ["CREATE TABLE record_revisions", "CREATE INDEX revisions_by_record"]
BY_RECORD = "record_revisions", ("record_key", "replaced_at", "key")
SQL_STEPS = [
    *("articles_unfinished", "pages_by_topic", "INSERT INTO focuscrawl_schema"),
    *("TO price_change", "TO text_end", "ADD COLUMN province", "ADD COLUMN entity_type"),
    *("numbered_by_date", "numbered_by_site"),
]
MONGODB_STEPS = [
    *("'site_1_is_complete_1", "'topic_1_is_relevant_1", "'number': 2"),
    *("'$rename'", "'number': 3"),
    *("'published_1_url_md5_1'", "'site_1_published_1_url_md5_1'", "'number': 4"),
    *("'record_key_1_replaced_at_1_key_1'", "'number': 5"),
    *("'crawl_1_key_1'", "'number': 6"),
]
SQLITE_STEPS = ["os.rename", "os.remove"]
PROGRAM = [sys.executable, "-m", "tests.stores.upgrade_program"]
SECONDS = 120


SERVERS = {"mysql": "mysql_url", "mongodb": "mongo_url"}


@pytest.fixture(
    params=["sqlite", *(pytest.param(name, marks=pytest.mark.server) for name in SERVERS)]
)
def old_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database of the first schema."""
    server = SERVERS.get(request.param)
    url = request.getfixturevalue(server) if server else f"sqlite:///{tmp_path}/store.sqlite"
    make_old(url)
    return url


async def reopen(url: str) -> None:
    (store,) = make_stores(url)
    try:
        await store.open()
    finally:
        await store.close()


def is_current(url: str) -> bool:
    return version(url) in (SCHEMA_VERSION, f"{SCHEMA_VERSION:04}")


def files(url: str) -> list[str]:
    path = sqlite_path(url)
    return sorted(file.name.removeprefix(path.name) for file in path.parent.glob(f"{path.name}*"))


async def test_an_old_database_is_upgraded_and_keeps_its_rows(
    old_url: str, open_store: StoreOpener
) -> None:
    """It is like a new one then, and old quotes have their values under the new names."""
    before = rows(old_url)
    assert sum(map(len, before.values())) == 31
    assert not BOTH & indexes(old_url)
    new_url = f"{old_url}_new"
    await reopen(old_url)
    await reopen(new_url)
    try:
        assert is_current(old_url)
        assert indexes(old_url) == indexes(new_url) >= BOTH
        assert version(old_url) == version(new_url)
        if not old_url.startswith("mongodb"):
            assert columns(old_url) == columns(new_url)
    finally:
        drop(new_url)
    assert rows(old_url) == before
    store = await open_store(old_url)
    quotes = [stored.quote for stored in await everything(store.quotes())]
    assert {(q.price_change, q.price_change_high) for q in quotes} == {
        (Decimal("-0.005"), Decimal("0.01"))
    }
    assert {(q.text_start, q.text_end) for q in quotes} == {(3, 20)}
    assert {(q.province, q.city, q.county, q.entity_type) for q in quotes} == {("", "", "", "")}
    unfinished = [entry.published for entry in await store.unfinished("demo")]
    assert unfinished == [None, date(2026, 3, 4)]
    assert {page.relevance for page in await everything(store.pages("corn"))} == {0.5, 0.93}
    assert [found.number for found in await store.search("教程")] == [1, 2]
    assert {found.kind for found in await store.search("玉米价格行情")} == {"article"}
    assert await store.get_state("crawl") == {"next": "页 2", "n": 3}


async def test_old_databases_of_all_kinds_hold_the_same(
    tmp_path: Path, mysql_url: str, mongo_url: str
) -> None:
    lines = []
    for url in (f"sqlite:///{tmp_path}/a.sqlite", mysql_url, mongo_url):
        make_old(url)
        (store,) = make_stores(url)
        await store.open()
        lines.append([await everything(store.digests(kind)) for kind in COPIED])
        await store.close()
    assert lines[0] == lines[1] == lines[2]
    assert [kind.table for kind, found in zip(COPIED, lines[0], strict=True) if not found] == [
        "price_decisions", "items", "page_verdicts", "article_revisions", "record_revisions", "crawl_runs"
    ]  # fmt: skip


def killed_at(url: str, step: str) -> None:
    done = subprocess.run(
        [*PROGRAM, url, step, "kill"], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9, done.stderr


def steps_of(url: str) -> list[str]:
    if url.startswith("mongodb"):
        return MONGODB_STEPS
    return [*SQL_STEPS, *(SQLITE_STEPS if url.startswith("sqlite") else ())]


async def test_an_upgrade_killed_at_each_of_its_steps(old_url: str) -> None:
    before = rows(old_url)
    creation = [] if old_url.startswith("mongodb") else SQL_CREATION
    for step in [*creation, *steps_of(old_url)]:
        killed_at(old_url, step)
        assert rows(old_url) == before
    await reopen(old_url)
    assert is_current(old_url)
    assert indexes(old_url) >= {*BOTH, BY_RECORD}
    assert rows(old_url) == before
    if old_url.startswith("sqlite"):
        assert files(old_url) == [""]


@pytest.mark.parametrize("is_killed", [False, True], ids=["goes on", "is killed"])
def test_of_two_programs_one_upgrades_and_the_other_waits(old_url: str, is_killed: bool) -> None:
    """Of a killed one, the other finishes the upgrade."""
    before = rows(old_url)
    with start(old_url, "CREATE INDEX pages_by_topic", "pause") as first:
        assert first.stdout.readline() == "paused\n"
        with start(old_url, "", "pause") as second:
            assert "waiting for another program" in second.stderr.readline()
            assert second.poll() is None
            if is_killed:
                first.kill()
            else:
                told, log = first.communicate("go on\n", timeout=SECONDS)
                assert told == "done\n"
                assert "upgrading" in log or "gets schema version" in log
                # MongoDB upgrades version by version, each with a line of its own.
                is_mongodb = old_url.startswith("mongodb")
                assert log.count("\n") == (SCHEMA_VERSION - 1 if is_mongodb else 1)
            told, log = second.communicate(timeout=SECONDS)
            assert told.endswith("done\n"), log
            if not is_killed:
                assert told == "done\n"
                assert "upgrading" not in log
                assert "gets schema version" not in log
    assert is_current(old_url)
    assert indexes(old_url) >= BOTH
    assert rows(old_url) == before


def start(url: str, step: str, action: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*PROGRAM, url, step, action], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


async def test_a_database_without_a_version_gets_it_and_a_newer_one_is_refused(
    old_url: str,
) -> None:
    await reopen(old_url)
    before = rows(old_url), indexes(old_url)
    mark(old_url, None)
    assert version(old_url) is None
    await reopen(old_url)
    assert is_current(old_url)
    mark(old_url, SCHEMA_VERSION + 1)
    newer = version(old_url)
    with pytest.raises(StoreError) as caught:
        await reopen(old_url)
    assert str(caught.value).endswith(
        f" has schema version {SCHEMA_VERSION + 1}, this version of focuscrawl reads up to "
        f"{SCHEMA_VERSION}; update focuscrawl, or name another database"
    )
    assert version(old_url) == newer
    mark(old_url, "")
    with pytest.raises(StoreError, match="has no readable schema version in focuscrawl_schema"):
        await reopen(old_url)
    assert (rows(old_url), indexes(old_url)) == before


@pytest.mark.parametrize("text", ["1b3c", "", "None", "\N{SUPERSCRIPT TWO}"])
def test_text_that_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(StoreError) as caught:
        checked_version(text, "a")
    assert str(caught.value) == (
        f"a has no readable schema version in focuscrawl_schema, but {text!r}; restore it from a "
        "copy, or name another database"
    )


@pytest.mark.server
async def test_an_open_transaction_of_another_program_is_named(
    mysql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_connections, "_LOCK_SECONDS", 1)
    make_old(mysql_url)
    with mysql_connection(mysql_url) as reader, reader.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("SELECT * FROM quotes")
        with pytest.raises(StoreUnavailableError, match="keeps a transaction open on its tables"):
            await reopen(mysql_url)
    await reopen(mysql_url)
    assert is_current(mysql_url)


@pytest.mark.server
async def test_a_foreign_table_on_a_server_is_refused_before_ours_are_made(mysql_url: str) -> None:
    name = mysql_url.rsplit("/", 1)[1]
    with mysql_connection(mysql_url, database=None) as connection:
        connection.cursor().execute(f"CREATE DATABASE {name}")
        connection.cursor().execute(f"CREATE TABLE {name}.pages (id INTEGER)")
    with pytest.raises(StoreError, match="has a table 'pages' of another program"):
        await reopen(mysql_url)
    assert [*columns(mysql_url)] == ["pages"]


async def test_a_foreign_table_of_items_is_refused_before_an_upgrade(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    make_old(url)
    await reopen(url)
    mark(url, SCHEMA_VERSION - 1)
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("DROP TABLE items")
        connection.execute("CREATE TABLE items (sku TEXT)")
    with pytest.raises(StoreError, match="has a table 'items' of another program"):
        await reopen(url)


def test_both_chains_of_revisions_end_at_this_version() -> None:
    assert ScriptDirectory(str(STORES.revisions)).get_heads() == [f"{SCHEMA_VERSION:04}"]
    assert [*mongo_setup._STEPS] == [*range(2, SCHEMA_VERSION + 1)]


@pytest.mark.server
@pytest.mark.parametrize("missing", ["ALTER, INDEX", "CREATE"])
async def test_a_user_who_may_not_change_tables_is_told_so(mysql_url: str, missing: str) -> None:
    make_old(mysql_url)
    before = rows(mysql_url)
    with (
        limited_user(mysql_url, but=missing) as url,
        pytest.raises(StoreError, match="lacks a privilege on a table; grant it ALL"),
    ):
        await reopen(url)
    assert rows(mysql_url) == before
    assert not is_current(mysql_url)
    await reopen(mysql_url)
    assert is_current(mysql_url)
    assert indexes(mysql_url) >= BOTH
    assert rows(mysql_url) == before
