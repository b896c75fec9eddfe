"""The copy of a SQLite file is kept until its upgrade has succeeded, and only until then."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql.sql_creation import copy_path
from focuscrawl.stores.store_urls import make_stores
from tests.stores.old_databases import BOTH, indexes, make_old, rows, version


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A SQLite file of the first schema."""
    path = tmp_path / "a.sqlite"
    make_old(url_of(path))
    return path


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def reopen(path: Path) -> None:
    asyncio.run(_reopen(path))


async def _reopen(path: Path) -> None:
    (store,) = make_stores(url_of(path))
    try:
        await store.open()
    finally:
        await store.close()


def test_no_copy_is_left_after_an_upgrade(path: Path) -> None:
    """Nor of what a kill left of an earlier one; a new file has none."""
    copy = copy_path(path)
    part = copy.with_name(f"{copy.name}.part")
    part.write_bytes(b"SQLite format 3\0 and half a page")
    copy.write_bytes(b"of an earlier attempt")
    reopen(path)
    assert [*path.parent.iterdir()] == [path]
    reopen(path.with_name("new.sqlite"))
    assert {file.name for file in path.parent.iterdir()} == {path.name, "new.sqlite"}


def test_a_copy_is_kept_when_the_upgrade_fails(path: Path) -> None:
    """It has what is in the log only, too."""
    copy = copy_path(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("INSERT INTO crawl_state VALUES ('late', '{}')")
        other.execute("CREATE TABLE pages_by_topic (a)")
        before = rows(url_of(path))
        with pytest.raises(StoreError, match="already a table named pages_by_topic") as caught:
            reopen(path)
    assert str(caught.value).endswith(f"nothing was upgraded, and a copy is kept: {copy}")
    assert "\n" not in str(caught.value)
    assert not BOTH & indexes(url_of(path))
    assert version(url_of(path)) is None
    assert rows(url_of(path)) == rows(url_of(copy)) == before
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE pages_by_topic")
    reopen(path)
    assert indexes(url_of(path)) >= BOTH
    assert not copy.exists()


def test_a_copy_that_cannot_be_written_stops_the_upgrade(path: Path) -> None:
    copy_path(path).mkdir()
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match="is not upgraded, for no copy of it can be made"
    ) as caught:
        reopen(path)
    assert "make its folder writable" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not BOTH & indexes(url_of(path))
    assert not copy_path(path).with_name(f"{copy_path(path).name}.part").exists()
    copy_path(path).rmdir()
    reopen(path)
    assert path.read_bytes() != before


def test_a_foreign_file_is_refused_without_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY)")
    with pytest.raises(StoreError) as caught:
        reopen(path)
    assert str(caught.value) == (
        f"{url_of(path)} has a table 'pages' of another program (without the column "
        "'content_md5'); name another database"
    )
    assert [*tmp_path.iterdir()] == [path]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("pages",)]


FULL = """
import asyncio, resource, signal, sys
from focuscrawl.errors import StoreError
from focuscrawl.stores.store_urls import make_stores

async def main():
    (store,) = make_stores(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, resource.RLIM_INFINITY))
    try:
        await store.open()
    except StoreError as error:
        print(error)
    await store.close()

asyncio.run(main())
"""


def test_a_disk_without_space_for_the_copy(path: Path) -> None:
    assert path.stat().st_size > 65_536
    before = rows(url_of(path))
    command = [sys.executable, "-c", FULL, url_of(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "is not upgraded, for no copy of it can be made" in done.stdout
    assert "free 0.1 MB on its disk" in done.stdout
    assert done.stdout.count("\n") == 1
    assert [*path.parent.iterdir()] == [path]
    assert rows(url_of(path)) == before
    reopen(path)
    assert rows(url_of(path)) == before
    assert indexes(url_of(path)) >= BOTH
