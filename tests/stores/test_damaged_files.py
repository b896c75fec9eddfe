"""SQLite files that are damaged or of a newer version: one sentence, and the file stays as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import FocuscrawlError, FrontierError, StoreError
from focuscrawl.frontier import SqliteFrontier
from focuscrawl.stores.schema_version import SCHEMA_VERSION
from focuscrawl.stores.store_urls import make_stores
from tests.frontier.frontier_runs import link
from tests.stores.record_examples import article

# Where in the header (bytes from, to) no other value makes a file of a later or another program.
FIXED = [(0, 16), (16, 18), (18, 20), (21, 24), (44, 48), (56, 60), (72, 92)]


async def use_store(path: Path) -> None:
    (store,) = make_stores(f"sqlite:///{path}")
    try:
        await store.open()
        await store.write([article(1)])
    finally:
        await store.close()


async def use_frontier(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.push([link(number) for number in range(100)])
    frontier.close()


Use = Callable[[Path], Awaitable[None]]
USES: list[Use] = [use_store, use_frontier]


def header_bytes() -> Iterator[int]:
    for first, end in FIXED:
        yield from range(first, end)


async def complaint_of(use: Use, path: Path) -> str:
    """Return the sentence that a use ends in, an empty one if it does not."""
    try:
        await use(path)
    except (StoreError, FrontierError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("use", USES)
async def test_each_byte_of_the_header(tmp_path: Path, use: Use) -> None:
    path = tmp_path / "a.sqlite"
    await use(path)
    whole = path.read_bytes()
    for position in range(100):
        damaged = bytearray(whole)
        damaged[position] ^= 0xA5
        path.write_bytes(damaged)
        told = await complaint_of(use, path)
        assert "\n" not in told
        if position in set(header_bytes()):
            assert "damaged" in told, position
            assert "restore it from a copy" in told
            assert path.read_bytes() == bytes(damaged)


@pytest.mark.parametrize("use", USES)
async def test_pages_after_the_header(tmp_path: Path, use: Use) -> None:
    path = tmp_path / "a.sqlite"
    await use(path)
    content = bytearray(path.read_bytes())
    content[100:1500] = b"\xa5" * 1400
    path.write_bytes(content)
    with pytest.raises(FocuscrawlError, match="damaged") as caught:
        await use(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == bytes(content)


async def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    await use_store(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"has schema version {SCHEMA_VERSION + 1}, this version"):
        await use_store(path)
    assert path.read_bytes() == before


async def test_a_store_without_a_version_is_used(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    await use_store(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE focuscrawl_schema")
        connection.execute("PRAGMA user_version = 0")
    await use_store(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
