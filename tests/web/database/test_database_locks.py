"""Locks that hold for all servers: of one database, in SQLite and MySQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from focuscrawl.items import Record
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_database import LONGEST, WebDatabase, locked
from focuscrawl.web.database.web_tables import locks
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, fill, log_in, run_async
from tests.web.quotations.test_decision_pages import ONE, post, shown

_SECONDS = 30


def as_two_servers_have_it(url: str) -> tuple[WebDatabase, WebDatabase]:
    one, other = WebDatabase(url), WebDatabase(url)
    one.create()
    return one, other


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def test_one_of_two_servers_gets_the_lock(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = sqlite_url(tmp_path / "web.sqlite")
    one, other = as_two_servers_have_it(
        request.getfixturevalue("mysql_web_url") if kind == "mysql" else url
    )

    async def is_refused(database: WebDatabase) -> None:
        with pytest.raises(HTTPException, match="409"):
            async with locked(database, "quote"):
                raise AssertionError

    async def run() -> None:
        async with locked(one, "quote"):
            async with locked(other, "another quote"):
                pass
            await is_refused(other)
        async with locked(other, "quote"):
            await is_refused(one)
        # One that nobody released ends, and is not released by its first owner afterwards.
        async with AsyncExitStack() as later:
            async with locked(one, "quote"):
                end = datetime.now(UTC) - LONGEST - timedelta(seconds=1)
                over = locks.update().values(until=end)
                one.run_now(lambda connection: connection.execute(over))
                await later.enter_async_context(locked(other, "quote"))
            await is_refused(one)

    with closing(one), closing(other):
        run_async(run())


def test_two_editors_at_two_servers(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, [ONE])
    sites = [
        WebSite(database_at(store_url), store_url, database, tmp_path)
        for database in as_two_servers_have_it(sqlite_url(tmp_path / "web.sqlite"))
    ]
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
        quote = second.get(f"/prices/quotes/{ONE.url_md5}/3.json").json()
        assert quote["verdict"] == "confirmed"
    for site in sites:
        site.database.close()
