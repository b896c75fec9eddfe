"""Another password: it ends whatever the old one gave access to."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store, passwords
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.conftest import PASSWORD, QUICK, add_users, fill, log_in

_NEW = "another password"


def by_oneself(site: WebSite, client: TestClient) -> None:
    form = {"old": PASSWORD, "new": _NEW}
    assert client.post("/account", data=form).status_code == 303


def at_the_console(site: WebSite, client: TestClient) -> None:
    author = Author("console", "")
    site.database.run_now(account_store.set_password, author, "reader", _NEW)


@pytest.mark.parametrize("change", [by_oneself, at_the_console])
def test_the_addresses_of_feeds_end(
    change: Callable[[WebSite, TestClient], None], site: WebSite, client: TestClient
) -> None:
    fill(site.store_url, [numbered(1)])
    add_users(site)

    def addresses() -> list[str]:
        return re.findall(r"/articles/feeds/[^\"<]+\.atom", client.get("/mine").text)

    log_in(client, Role.READER)
    client.post("/mine/searches", data={"tag": "Python"})
    client.post("/mine/searches", data={"tag": "网络"})
    alarms = re.search(r"/alarms/feed/[^\"<]+\.xml", client.post("/alarms/feed").text)
    assert alarms
    old = {*addresses(), alarms[0]}
    assert {client.get(address).status_code for address in old} == {200}
    change(site, client)
    assert client.post("/login", data={"name": "reader", "password": _NEW}).status_code == 303
    new = set(addresses())
    assert len(new) == 2
    assert {client.get(address).status_code for address in old} == {404}
    assert {client.get(address).status_code for address in new} == {200}


def test_the_database_does_not_wait_for_the_hash(
    site: WebSite, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_users(site)
    log_in(client, Role.READER)
    threads: list[str] = []

    def hashed(password: str) -> str:
        threads.append(threading.current_thread().name)
        return QUICK.hash(password)

    monkeypatch.setattr(passwords, "hashed", hashed)
    assert client.post("/account", data={"old": PASSWORD, "new": "short"}).status_code == 400
    by_oneself(site, client)
    (name,) = threads
    assert name.startswith("passwords")


def test_a_refused_new_password_is_no_failure(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.READER)
    for _ in range(9):
        assert client.post("/account", data={"old": PASSWORD, "new": "short"}).status_code == 400
    by_oneself(site, client)
