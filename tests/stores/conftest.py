"""One store of each kind, for the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection

KINDS = {
    "sqlite": "",
    "mysql": "mysql_url",
    "mongodb": "mongo_url",
    "mongodb-replica-set": "mongo_replica_url",
}


ENGINES = ("sqlite", "mysql", "mongodb")
"""Kinds for which tests are run unless their module says ``STORE_KINDS`` (KINDS, or SQL)."""
SQL = ("sqlite", "mysql")
"""Kinds that the web reads."""


Opener = Callable[[], Awaitable[Database]]
StoreOpener = Callable[[str], Awaitable[Database]]


@contextmanager
def limited_user(url: str, granted: str = "ALL", *, but: str = "") -> Iterator[str]:
    """The URL for a user of a MariaDB database with some rights only."""
    parts = make_url(url)
    limited = parts.set(username="limited", password="geheim")
    with mysql_connection(url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE USER 'limited'@'%' IDENTIFIED BY 'geheim'")
        try:
            if granted:
                cursor.execute(f"GRANT {granted} ON {parts.database}.* TO 'limited'@'%'")
            if but:
                cursor.execute(f"REVOKE {but} ON {parts.database}.* FROM 'limited'@'%'")
            yield limited.render_as_string(hide_password=False)
        finally:
            cursor.execute("DROP USER 'limited'@'%'")


@pytest.fixture
def store_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of an empty store of the kind that the test is run for."""
    if KINDS[kind]:
        url: str = request.getfixturevalue(KINDS[kind])
        return url
    return f"{kind}:///{tmp_path}/store.sqlite"


@pytest.fixture
async def open_store() -> AsyncIterator[StoreOpener]:
    """Opens the store of a URL; all are closed at the end."""
    stores: list[Database] = []

    async def opened(url: str) -> Database:
        stores.extend(make_stores(url))
        await stores[-1].open()
        return stores[-1]

    yield opened
    for store in stores:
        await store.close()


@pytest.fixture
def opened(store_url: str, open_store: StoreOpener) -> Opener:
    """Makes a further open store object for the same place."""
    return partial(open_store, store_url)


@pytest.fixture
async def store(opened: Opener) -> Database:
    """An open store."""
    return await opened()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that uses a store for every kind."""
    if "kind" in metafunc.fixturenames:
        kinds = [
            pytest.param(kind, marks=pytest.mark.server if fixture else ())
            for kind, fixture in KINDS.items()
            if kind in getattr(metafunc.module, "STORE_KINDS", ENGINES)
        ]
        metafunc.parametrize("kind", kinds, scope="session")
