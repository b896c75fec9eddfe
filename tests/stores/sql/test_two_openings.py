"""A SQLite store that one process opens twice, while others come and go."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_urls import database_at, sqlite_url
from tests.stores.record_examples import article, everything

_OTHER = """
import asyncio, sys
from focuscrawl.stores.database_urls import database_at
from tests.stores.record_examples import article, everything

async def run():
    store = database_at(sys.argv[1])
    await store.open()
    await store.write([article(int(sys.argv[2]))])
    print(len(await everything(store.summaries())))
    await store.close()

asyncio.run(run())
"""


async def write_elsewhere(url: str, number: int) -> int:
    """Write an article in another process, and return how many there are then."""
    command = [sys.executable, "-c", _OTHER, url, str(number)]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


async def test_a_second_opening_keeps_the_locks_of_the_first(tmp_path: Path) -> None:
    # Reading the header of the file drops all locks of a process on it, as POSIX has it: another
    # process that ends would take away the log into which this one writes.
    url = sqlite_url(tmp_path / "store.sqlite")
    first, second = database_at(url), database_at(url)
    await first.open()
    await first.write([article(1)])
    await second.open()
    await second.close()
    assert await write_elsewhere(url, 2) == 2
    await first.write([article(3)])
    assert await write_elsewhere(url, 4) == 4
    assert len(await everything(first.summaries())) == 4
    await first.close()


@pytest.mark.parametrize("has_another", [False, True])
async def test_a_file_that_was_moved_away_is_said_not_written_to(
    tmp_path: Path, has_another: bool
) -> None:
    path = tmp_path / "store.sqlite"
    store = database_at(sqlite_url(path))
    await store.open()
    await store.write([article(1)])
    path.rename(tmp_path / "old.sqlite")
    if has_another:
        path.write_bytes((tmp_path / "old.sqlite").read_bytes())
    for work in (store.write([article(2)]), everything(store.summaries())):
        with pytest.raises(StoreError, match=r"store\.sqlite was moved, deleted or replaced while"):
            await work
    (tmp_path / "old.sqlite").rename(path)
    await store.write([article(2)])
    await store.close()


async def test_an_opening_waits_for_a_program_that_creates_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    store = database_at(sqlite_url(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        opening = asyncio.create_task(store.open())
        await asyncio.sleep(0.3)
        assert not opening.done()
        other.execute("COMMIT")
    await opening
    assert await everything(store.summaries()) == []
    await store.close()
