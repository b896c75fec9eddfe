"""Limits of failed logins, and their place in the log of changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store, login_limits
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_tables import changes, failed_logins, known_addresses
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, log_in

Attempt = Callable[..., int]


@pytest.fixture
def attempt(site: WebSite, client: TestClient) -> Attempt:
    """Try to log in from an address, and return the status."""
    add_users(site)

    def attempt(address: str, name: str = "reader", password: str = "wrong password") -> int:
        # As behind a proxy.
        application: Any = client.app

        async def from_address(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                scope["client"] = (address, 1)
            await application(scope, receive, send)

        client._transport.app = from_address  # type: ignore[attr-defined]
        try:
            return client.post("/login", data={"name": name, "password": password}).status_code
        finally:
            client._transport.app = application  # type: ignore[attr-defined]

    return attempt


def test_nobody_blocks_the_account_of_another(site: WebSite, attempt: Attempt) -> None:
    assert [attempt("10.0.0.1") for _ in range(9)] == [401] * 8 + [429]
    assert attempt("10.0.0.1", password=PASSWORD) == 429
    assert attempt("10.0.0.2", password=PASSWORD) == 303
    # An administrator helps at the console.
    author, new = Author("console", ""), "another password"
    site.database.run_now(account_store.set_password, author, "reader", new)
    assert attempt("10.0.0.1", password=new) == 303


def test_an_address_tries_few_accounts(attempt: Attempt) -> None:
    tried = [attempt("10.0.0.1", f"user{n // 5}") for n in range(31)]
    assert tried == [401] * 30 + [429]
    assert attempt("10.0.0.1", "editor", PASSWORD) == 429


def test_all_addresses_of_a_network_of_ipv6_are_one(attempt: Attempt) -> None:
    tried = [attempt(f"2001:db8::{n}") for n in range(9)]
    assert tried == [401] * 8 + [429]


def test_guesses_from_everywhere_are_limited_but_not_for_who_was_here_before(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_limits, "BY_NAME", 20)
    assert attempt("10.9.9.9", password=PASSWORD) == 303
    assert [attempt(f"10.0.0.{n}") for n in range(21)] == [401] * 20 + [429]
    assert attempt("10.8.8.8", password=PASSWORD) == 429
    assert attempt("10.9.9.9", password=PASSWORD) == 303
    # Which is no licence to guess for those at the known address, and does not reset the limit.
    assert [attempt("10.9.9.9") for _ in range(9)] == [401] * 8 + [429]
    assert attempt("10.0.1.1") == 429
    assert attempt("10.0.1.1", "editor", PASSWORD) == 303


def test_all_failures_together_are_limited(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_limits, "OF_ALL", 5)
    assert attempt("10.9.9.9", password=PASSWORD) == 303
    assert [attempt(f"10.0.0.{n}", f"user{n}") for n in range(6)] == [401] * 5 + [429]
    assert attempt("10.9.9.9", password=PASSWORD) == 303


def test_limits_end_and_an_address_is_forgotten(
    site: WebSite, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_limits, "BY_NAME", 8)
    attempt("10.9.9.9", password=PASSWORD)
    for _ in range(9):
        attempt("10.0.0.1")
    run, now = site.database.run_now, datetime.now(UTC)

    def age(time: timedelta) -> None:
        old = failed_logins.update().values(failed_at=now - time)
        run(lambda connection: connection.execute(old))

    # The account has its limit for longer than the address.
    age(timedelta(minutes=16))
    assert attempt("10.0.0.1", "editor", PASSWORD) == 303
    assert attempt("10.0.0.2", password=PASSWORD) == 429
    used = known_addresses.update().values(used_at=now - timedelta(days=91))
    run(lambda connection: connection.execute(used))
    assert attempt("10.9.9.9", password=PASSWORD) == 429
    age(timedelta(hours=25))
    assert attempt("10.0.0.2", password=PASSWORD) == 303
    left = run(
        lambda connection: connection.scalar(select(func.count()).select_from(failed_logins))
    )
    assert left == 0


def logged(site: WebSite, action: str) -> list[tuple[str, str, str]]:
    query = select(changes.c.name, changes.c.address, changes.c.subject)
    query = query.where(changes.c.action == action)
    return [tuple(row) for row in site.database.run_now(lambda one: one.execute(query).all())]


def test_a_few_failed_logins_are_logged_without_what_strangers_typed(
    site: WebSite, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_limits, "MOST_LOGGED", 2)
    for number, name in enumerate(("reader", "my secret password", "reader")):
        attempt(f"10.0.0.{number}", name)
    found = [("", "10.0.0.0", "reader"), ("", "10.0.0.1", "")]
    assert logged(site, "user.login_failed") == found


def test_logouts_and_wrong_old_passwords_are_logged(site: WebSite, client: TestClient) -> None:
    add_users(site)
    client.post("/logout")
    log_in(client, Role.READER)
    client.post("/account", data={"old": "wrong password", "new": "another password"})
    client.post("/logout")
    own = [("reader", "testclient", "reader")]
    assert logged(site, "user.password_failed") == own
    assert logged(site, "user.logout") == own


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_the_network_of_an_ipv6_address_counts(address: str, counted: str) -> None:
    assert login_limits.counted_address(address) == counted
