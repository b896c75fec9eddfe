"""One store of each kind, for the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_urls import make_stores

KINDS = {
    "sqlite": "",
    "mysql": "mysql_url",
    "mongodb": "mongo_url",
    "mongodb-replica-set": "mongo_replica_url",
}


SQL = ("sqlite", "mysql")
"""Kinds that the web reads; the module of a test says ``STORE_KINDS = SQL`` where it needs them."""


@pytest.fixture
def store_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of an empty store of the kind that the test is run for."""
    if KINDS[kind]:
        url: str = request.getfixturevalue(KINDS[kind])
        return url
    return f"{kind}:///{tmp_path}/store.sqlite"


@pytest.fixture
async def opened(store_url: str) -> AsyncIterator[Callable[[], Database]]:
    """Makes a further store object for the same place; all are closed at the end."""
    stores: list[Database] = []

    async def make() -> Database:
        (store,) = make_stores(store_url)
        stores.append(store)
        await store.open()
        return store

    yield make
    for store in stores:
        await store.close()


@pytest.fixture
async def store(opened: Callable[[], Database]) -> Database:
    """An open store."""
    return await opened()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that uses a store for every kind."""
    if "kind" in metafunc.fixturenames:
        kinds = [
            pytest.param(kind, marks=pytest.mark.server if fixture else ())
            for kind, fixture in KINDS.items()
            if kind in getattr(metafunc.module, "STORE_KINDS", KINDS)
        ]
        metafunc.parametrize("kind", kinds, scope="session")
