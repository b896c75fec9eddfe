"""Files of databases that are replaced while the server runs, as in a restore."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts.account_store import add_user, has_users
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_database import WebDatabase
from tests.stores.record_examples import article
from tests.web.conftest import fill


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """The URL of a store with one article, whose copy has another title."""
    for name, title in (("store", "before"), ("copy", "restored")):
        fill(sqlite_url(tmp_path / f"{name}.sqlite"), [article(title=title)])
    return sqlite_url(tmp_path / "store.sqlite")


def put_back(copy: Path, path: Path) -> None:
    """Replace a database by its copy; what others still write to it is elsewhere."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.replace(copy, path)


def test_a_restored_store_is_shown(client: TestClient, tmp_path: Path) -> None:
    path = f"/articles/{article().url_md5}"
    assert "before" in client.get(path).text
    store = tmp_path / "store.sqlite"
    away = store.rename(tmp_path / "away.sqlite")
    answer = client.get(path)
    assert answer.status_code == 503
    assert "put it back" in answer.text
    assert not store.exists()
    away.rename(store)
    assert "before" in client.get(path).text
    put_back(tmp_path / "copy.sqlite", store)
    assert "restored" in client.get(path).text


def test_restored_users_hold_at_once(tmp_path: Path) -> None:
    path, copy = tmp_path / "web.sqlite", tmp_path / "web-copy.sqlite"
    with closing(WebDatabase(sqlite_url(path))) as database:
        database.create()
        assert not database.run_now(has_users)
        with closing(WebDatabase(sqlite_url(copy))) as other:
            other.create()
            other.run_now(add_user, Author("test", ""), "boss", Role.ADMINISTRATOR, "hash")
        put_back(copy, path)
        assert database.run_now(has_users)
