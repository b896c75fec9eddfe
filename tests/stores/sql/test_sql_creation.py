"""Three programs that open the same empty database at the same moment: each finds it ready."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
from contextlib import closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from pymongo import MongoClient

from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.stores.record_examples import article, everything

PROGRAMS, ROUNDS, SECONDS = 3, 5, 120


async def _visit(url: str, number: int) -> int:
    (store,) = make_stores(url)
    try:
        await store.open()
        return (await store.write([article(number)])).new
    finally:
        await store.close()


def _program(urls: list[str], number: int, barrier: Barrier, results: Queue[str]) -> None:
    for url in urls:
        barrier.wait(SECONDS)
        try:
            results.put(f"{asyncio.run(_visit(url, number))} new")
        except Exception as error:
            results.put(repr(error))


async def check(urls: list[str]) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(PROGRAMS), context.Queue()
    programs = [
        context.Process(target=_program, args=(urls, number, barrier, results))
        for number in range(PROGRAMS)
    ]
    for program in programs:
        program.start()
    found = [results.get(timeout=SECONDS) for _ in range(PROGRAMS * len(urls))]
    for program in programs:
        program.join(SECONDS)
    assert found == ["1 new"] * len(found)
    for url in urls:
        (store,) = make_stores(url)
        await store.open()
        assert len(await everything(store.articles())) == PROGRAMS
        await store.close()


async def test_sqlite(tmp_path: Path) -> None:
    await check([f"sqlite:///{tmp_path}/{number}.sqlite" for number in range(ROUNDS)])


async def test_sqlite_waits_for_a_program_that_creates_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        opening = asyncio.create_task(_visit(f"sqlite:///{path}", 1))
        await asyncio.sleep(0.3)
        assert not opening.done()
        other.execute("COMMIT")
    assert await opening == 1


async def test_mysql(mysql_url: str) -> None:
    urls = [f"{mysql_url}_{number}" for number in range(ROUNDS)]
    try:
        await check(urls)
    finally:
        with mysql_connection(mysql_url, database=None) as connection:
            for url in urls:
                connection.cursor().execute(f"DROP DATABASE IF EXISTS {url.rsplit('/', 1)[1]}")


@pytest.mark.parametrize("server", ["mongo_url", "mongo_replica_url"])
async def test_mongodb(request: pytest.FixtureRequest, server: str) -> None:
    base: str = request.getfixturevalue(server)
    urls = [f"{base}_{number}" for number in range(ROUNDS)]
    try:
        await check(urls)
    finally:
        with MongoClient(base) as client:
            for url in urls:
                client.drop_database(url.rsplit("/", 1)[1])
