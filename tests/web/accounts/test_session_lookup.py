"""Who may read while the table of users changes under a running server."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import PERMISSIONS, Permission, Role
from focuscrawl.web.database import web_database
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_application import ROUTES
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, log_in, site_over

_GONE = ["DELETE FROM web_users", "DELETE FROM web_users WHERE name = 'administrator'"]
_AWAY = ["DROP TABLE web_users", "ALTER TABLE web_users RENAME role TO part", "BEGIN EXCLUSIVE"]


@pytest.fixture
def public(store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebSite]:
    """A site with users that other machines reach."""
    monkeypatch.setattr(web_database, "_BUSY_MS", 20)
    site = site_over(store_url, tmp_path, is_alone=False, has_metrics=True, key=b"x" * 32)
    with closing(site.database):
        add_users(site)
        yield site


@pytest.fixture
def users(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The database as a program of its own opens it: without foreign keys, so that sessions stay."""
    with closing(sqlite3.connect(tmp_path / "web.sqlite", isolation_level=None)) as connection:
        yield connection


def guarded() -> list[PageRoute]:
    return [
        one for one in ROUTES if one.permission is not Permission.PUBLIC and one.methods == ("GET",)
    ]


def statuses(client: TestClient) -> set[int]:
    paths = [one.path for one in guarded() if "{" not in one.path]
    return {client.get(path).status_code for path in paths}


@pytest.mark.parametrize("change", _GONE)
def test_a_public_server_whose_users_go_stays_closed(
    change: str, public: WebSite, users: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(public) as stranger, client_of(public) as client:
        log_in(client, Role.ADMINISTRATOR)
        made = client.post("/alarms/feed").text
        feed = made[made.index("/alarms/feed/") :].partition(".xml")[0] + ".xml"
        assert (client.get(feed).status_code, statuses(stranger)) == (200, {303})
        users.execute(change)
        assert [statuses(one) for one in (stranger, client)] == [{303}, {303}]
        assert (client.get(feed).status_code, client.get("/metrics").status_code) == (404, 401)
        assert client.post("/users", data={"name": "evil"}).status_code == 401
        assert stranger.get("/static/style.css").status_code == 200
    assert ("has no users" in caplog.text) == (change == _GONE[0])
    # Once, or twice where a minute begins meanwhile.
    assert caplog.text.count("has no users") <= 2


@pytest.mark.parametrize("change", _AWAY)
def test_a_public_server_whose_users_cannot_be_read_says_so(
    change: str, public: WebSite, users: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(public) as client:
        log_in(client, Role.ADMINISTRATOR)
        users.execute(change)
        for path in ("/prices.csv", "/login", "/metrics"):
            assert client.get(path).status_code == 503
    refusals = [one for one in caplog.messages if "web.sqlite refuses" in one]
    assert 1 <= len(refusals) <= 2


def test_a_server_of_this_machine_only_is_open_without_users(
    site: WebSite, client: TestClient, users: sqlite3.Connection
) -> None:
    add_users(site)
    assert client.get("/records.csv").status_code == 303
    users.execute(_GONE[0])
    assert client.get("/search").status_code == 200
    assert client.post("/users", data={"name": "evil"}).status_code == 403


def test_another_role_holds_at_once_and_an_unknown_one_has_the_least_rights(
    public: WebSite, users: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(public) as client:
        log_in(client, Role.ADMINISTRATOR)
        for role in ("operator", "superuser"):
            users.execute("UPDATE web_users SET role = ? WHERE name = 'administrator'", [role])
            given = PERMISSIONS[Role.OPERATOR if role == "operator" else Role.READER]
            for path in ("/users", "/crawls/start", "/account"):
                needed = next(one.permission for one in ROUTES if one.path == path)
                assert (client.get(path).status_code == 403) == (needed not in given), (role, path)
        users.execute("UPDATE web_users SET role = 'administrator' WHERE name = 'editor'")
        client.post("/logout")
        client.post("/login", data={"name": "editor", "password": "correct horse battery"})
        assert "administrator" in client.get("/users").text
    with caplog.at_level(logging.WARNING):
        assert "superuser" in caplog.text


def test_a_new_user_gets_nothing_of_an_earlier_one_of_the_name(
    public: WebSite, users: sqlite3.Connection
) -> None:
    with client_of(public) as client:
        log_in(client, Role.READER)
        client.post("/mine/searches", data={"q": "玉米"})
        users.execute("DELETE FROM web_users WHERE name = 'reader'")
        values = Author("console", ""), "reader", Role.READER, "hash"
        public.database.run_now(account_store.add_user, *values)
        assert client.get("/account").status_code == 303
    assert users.execute("SELECT count(*) FROM web_saved_searches").fetchone() == (0,)
