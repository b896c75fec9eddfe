"""Locks that hold for all servers: of one database, in SQLite and MySQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from focuscrawl.items import Record
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_database import LONGEST, WebDatabase, locked
from focuscrawl.web.database.web_tables import locks
from focuscrawl.web.web_site import WebSite
from tests.conftest import mysql_connection
from tests.web.conftest import add_users, client_of, fill, log_in, run_async
from tests.web.quotations.test_decision_pages import ONE, post, shown

_SECONDS = 30


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def web_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database of web views."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "web.sqlite")
    url = str(request.getfixturevalue("mysql_url"))
    with mysql_connection(url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {url.rpartition('/')[2]}")
    return url


@pytest.fixture
def databases(web_url: str) -> Iterator[list[WebDatabase]]:
    """One database, as two servers have it."""
    with closing(WebDatabase(web_url)) as one, closing(WebDatabase(web_url)) as other:
        one.create()
        yield [one, other]


def test_one_of_two_servers_gets_the_lock(databases: list[WebDatabase]) -> None:
    one, other = databases

    async def run() -> None:
        async with locked(one, "quote"):
            async with locked(other, "another quote"):
                pass
            with pytest.raises(HTTPException, match="409"):
                async with locked(other, "quote"):
                    raise AssertionError
        async with locked(other, "quote"):
            pass

    run_async(run())


def test_a_lock_that_nobody_released_ends_and_is_not_released_twice(
    databases: list[WebDatabase],
) -> None:
    one, other = databases

    async def run() -> None:
        async with locked(one, "quote"):
            over = locks.update().values(until=datetime.now(UTC) - LONGEST - timedelta(seconds=1))
            one.run_now(lambda connection: connection.execute(over))
            entered = asyncio.Event()
            leave = asyncio.Event()

            async def hold() -> None:
                async with locked(other, "quote"):
                    entered.set()
                    await leave.wait()

            holder = asyncio.create_task(hold())
            await entered.wait()
        with pytest.raises(HTTPException, match="409"):
            async with locked(one, "quote"):
                raise AssertionError
        leave.set()
        await holder

    run_async(run())


def test_two_editors_at_two_servers(
    databases: list[WebDatabase], store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, [ONE])
    sites = [WebSite(database_at(store_url), store_url, one, tmp_path) for one in databases]
    add_users(sites[0])
    writes, goes_on = threading.Event(), threading.Event()
    write = sites[0].store.write

    async def slow_write(records: Sequence[Record]) -> Any:
        writes.set()
        await asyncio.to_thread(goes_on.wait, _SECONDS)
        return await write(records)

    monkeypatch.setattr(sites[0].store, "write", slow_write)
    with client_of(sites[0]) as first, client_of(sites[1]) as second:
        for client in (first, second):
            log_in(client, Role.EDITOR)
        state = shown(second)
        with ThreadPoolExecutor(1) as threads:
            deciding = threads.submit(post, first, "confirmed", shown=state)
            assert writes.wait(_SECONDS)
            try:
                assert post(second, "refused", shown=state).status_code == 409
            finally:
                goes_on.set()
            assert deciding.result(_SECONDS).status_code == 303
        assert_is_confirmed(second)


def assert_is_confirmed(client: TestClient) -> None:
    assert client.get(f"/prices/quotes/{ONE.url_md5}/3.json").json()["verdict"] == "confirmed"
