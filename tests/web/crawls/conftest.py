"""The pages over each kind of store."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.stores.database_urls import sqlite_url
from tests.stores.conftest import KINDS, SQL


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of the store that the site shows, of the kind of the test, SQLite without one."""
    kind = request.getfixturevalue("kind") if "kind" in request.fixturenames else "sqlite"
    if KINDS[kind]:
        url: str = request.getfixturevalue(KINDS[kind])
        return url
    return sqlite_url(tmp_path / "store.sqlite")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that names a kind for every kind."""
    if "kind" in metafunc.fixturenames:
        kinds = [
            pytest.param(kind, marks=pytest.mark.server if KINDS[kind] else ()) for kind in SQL
        ]
        metafunc.parametrize("kind", kinds)
