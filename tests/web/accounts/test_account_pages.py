"""Logging in and out, passwords, users, and the log of changes."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from httpx2 import ASGITransport, AsyncClient
from starlette.testclient import TestClient

from focuscrawl.errors import StoreError
from focuscrawl.web.accounts import account_pages, passwords
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_tables import sessions
from focuscrawl.web.web_application import create_application
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.conftest import (
    HOST,
    PASSWORD,
    QUICK,
    add_users,
    client_of,
    fill,
    log_in,
    run_async,
)

_NEW = "another password"


def test_logs_in_and_out(site: WebSite, client: TestClient) -> None:
    add_users(site)
    # A wrong password and an unknown user look the same.
    answers = [
        client.post("/login", data={"name": name, "password": "wrong password"})
        for name in ("reader", "nobody")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].text.replace('"reader"', '"nobody"') == answers[1].text
    assert client.get("/users").headers["location"] == "/login?next=%2Fusers"
    answer = client.post(
        "/login", data={"name": "administrator", "password": PASSWORD, "next": "/users"}
    )
    assert answer.headers["location"] == "/users"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "editor" in client.get("/users").text
    client.post("/logout")
    assert client.get("/users").status_code == 303
    # The next page is one of this server.
    for address in ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:x"):
        data = {"name": "reader", "password": PASSWORD, "next": address}
        assert client.post("/login", data=data).headers["location"] == "/"


def test_a_login_does_not_lead_to_a_login(site: WebSite, client: TestClient) -> None:
    add_users(site)
    # The link in the head keeps the page that was requested.
    link = re.compile(r'<a href="(/login[^"]*)">登录')
    assert link.findall(client.get("/login?next=/alarms").text) == ["/login?next=%2Falarms"]
    failed = client.post("/login", data={"name": "x", "password": "x", "next": "/alarms"})
    assert link.findall(failed.text) == ["/login?next=%2Falarms"]
    assert link.findall(client.post("/sign-up").text) == ["/login"]
    for address in ("/login", "/login?next=/login", "/sign-up?next=%2Farticles"):
        assert 'name="next" value="/"' in client.get("/login", params={"next": address}).text
        data = {"name": "reader", "password": PASSWORD, "next": address}
        assert client.post("/login", data=data).headers["location"] == "/"


def test_an_administrator_changes_users(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    with client_of(site) as other:
        log_in(other, Role.OPERATOR)
        assert other.get("/account").status_code == 200
        client.post("/users/operator", data={"action": "role", "role": "reader"})
        assert other.get("/account").status_code == 303
        log_in(other, Role.OPERATOR)
        client.post("/users/operator", data={"action": "disable"})
        assert other.get("/account").status_code == 303
        form = {"name": "operator", "password": PASSWORD}
        assert other.post("/login", data=form).status_code == 401
    log = client.get("/log").text
    assert "user.role" in log
    assert "operator" in log
    answer = client.post("/users/administrator", data={"action": "disable"})
    assert answer.status_code == 400
    assert "最后一个管理员" in answer.text


def test_an_administrator_resets_a_password(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    with client_of(site) as other:
        log_in(other, Role.READER)
        short = client.post("/users/reader", data={"action": "password", "password": "short"})
        assert (short.status_code, other.get("/account").status_code) == (400, 200)
        for _ in range(9):
            other.post("/login", data={"name": "reader", "password": "wrong password"})
        form = {"action": "password", "password": _NEW}
        assert other.post("/users/reader", data=form).status_code == 403
        assert client.post("/users/reader", data=form).headers["location"] == "/users"
        # The session has ended, and the failures are forgotten.
        assert other.get("/account").status_code == 303
        assert other.post("/login", data={"name": "reader", "password": _NEW}).status_code == 303
    assert client.post("/users/nobody", data=form).status_code == 400
    log = client.get("/log").text
    assert "user.password" in log
    assert _NEW not in log


def test_nobody_signs_up_unless_the_operator_allows_it(site: WebSite, client: TestClient) -> None:
    add_users(site)
    assert "/sign-up" not in client.get("/login").text
    assert client.get("/sign-up").status_code == 404
    form = {"name": "wang", "password": PASSWORD}
    assert client.post("/sign-up", data=form).status_code == 404
    site.may_sign_up = True
    assert "/sign-up?next=%2Farticles" in client.get("/login?next=/articles").text
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/sign-up", data=form, headers=foreign).status_code == 403
    answer = client.post("/sign-up", data=form | {"next": "/articles", "role": "administrator"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/articles")
    assert client.get("/mine").status_code == 200
    assert client.get("/users").status_code == 403
    with client_of(site) as administrator:
        log_in(administrator, Role.ADMINISTRATOR)
        assert "user.add" in administrator.get("/log").text


def test_signing_up_as_somebody_else_or_often_is_refused(site: WebSite, client: TestClient) -> None:
    add_users(site)
    site.may_sign_up = True

    def sign_up(name: str, password: str = PASSWORD) -> int:
        answer = client.post("/sign-up", data={"name": name, "password": password})
        client.cookies.clear()
        return answer.status_code

    # What is refused at once counts for no limit.
    assert [sign_up("li", "short") for _ in range(9)] == [400] * 9
    odd = ("reader", "Reader", "ｒｅａｄｅｒ", "(sign-up)", "li\u202e", "")
    assert [sign_up(name) for name in odd] == [400] * 6
    assert [sign_up(name) for name in ("李四", "王五", "赵六")] == [303, 303, 429]
    # Who has an account logs in all the same.
    assert client.post("/login", data={"name": "李四", "password": PASSWORD}).status_code == 303


def test_without_users_nobody_signs_up(site: WebSite, client: TestClient) -> None:
    site.may_sign_up = True
    answer = client.post("/sign-up", data={"name": "wang", "password": PASSWORD})
    assert answer.status_code == 400
    assert "第一个用户必须是管理员" in answer.text


def test_another_site_cannot_send_forms(site: WebSite, client: TestClient) -> None:
    add_users(site)
    data = {"name": "reader", "password": PASSWORD}
    origins = ("http://x", "null", "http://[", "http://127.0.0.1:81", "http://x@127.0.0.1")
    others = [{"Sec-Fetch-Site": "", "Origin": origin} for origin in origins]
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, *others):
        assert client.post("/login", data=data, headers=headers).status_code == 403


def test_a_foreign_host_is_refused(client: TestClient) -> None:
    assert client.get("/login", headers={"Host": "evil.example"}).status_code == 400


def test_passwords_tried_at_once_are_limited_as_well(site: WebSite) -> None:
    add_users(site)

    async def attack() -> list[int]:
        transport = ASGITransport(create_application(site, ["127.0.0.1"]))
        async with AsyncClient(transport=transport, base_url=HOST) as client:
            forms = [{"name": "reader", "password": f"wrong password {n}"} for n in range(20)]
            answers = await asyncio.gather(*(client.post("/login", data=form) for form in forms))
        return [answer.status_code for answer in answers]

    found = run_async(attack())
    assert sorted(found) == [401] * 8 + [429] * 12


def test_an_old_password_is_not_guessed_either(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.READER)
    # A refused new password is no failure.
    for old, expected in ((PASSWORD, [400] * 9), ("wrong password", [400] * 8 + [429])):
        form = {"old": old, "new": "short"}
        assert [client.post("/account", data=form).status_code for _ in range(9)] == expected


def test_a_new_password_ends_the_addresses_of_feeds(site: WebSite, client: TestClient) -> None:
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
    assert client.post("/account", data={"old": PASSWORD, "new": _NEW}).status_code == 303
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
    client.post("/account", data={"old": PASSWORD, "new": _NEW})
    (name,) = threads
    assert name.startswith("passwords")


def test_a_large_body_is_refused_before_anybody_logs_in(client: TestClient) -> None:
    file = {"name": ("file", b"x" * 300_000)}
    assert client.post("/login", files=file).status_code == 413

    def endless() -> Iterator[bytes]:
        while True:
            yield b"name=" + b"x" * 10_000

    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/login", content=islice(endless(), 100), headers=kind).status_code == 413


def test_a_long_number_in_a_path_is_no_page(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    for path in ("/crawls/schedules/", "/alarms/rules/", "/crawls/processes/"):
        for digits in (10, 5000):
            assert client.get(f"{path}{'9' * digits}").status_code == 404


def test_the_page_of_an_error_of_ours_has_all_headers(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_pages, "local_path", lambda address: address / 0)
    answer = client.get("/login")
    assert answer.status_code == 500
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_strangers_learn_nothing_of_a_database_that_is_away(
    site: WebSite, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("mysql at 10.0.0.7 refuses: access denied for 'admin'")

    monkeypatch.setattr(site.database, "run_now", fail)
    answer = client.get("/prices")
    assert answer.status_code == 503
    assert "10.0.0.7" not in answer.text
    assert answer.headers["retry-after"]


@pytest.mark.parametrize(
    ("began", "used", "is_valid"),
    # The last one began before the clock was set back.
    [(6, 0.4, True), (1, 0.6, False), (7.1, 0, False), (-300, -300, False)],
)
def test_a_session_ends(
    began: float, used: float, is_valid: bool, site: WebSite, client: TestClient
) -> None:
    add_users(site)
    log_in(client, Role.READER)
    now = datetime.now(UTC)
    times = {"began_at": now - timedelta(days=began), "used_at": now - timedelta(days=used)}
    site.database.run_now(lambda connection: connection.execute(sessions.update().values(times)))
    assert (client.get("/account").status_code == 200) == is_valid


def test_a_login_over_tls_and_its_end(site: WebSite) -> None:
    add_users(site)
    site.is_secure = True
    with client_of(site) as client:
        form = {"name": Role.READER, "password": PASSWORD}
        given = [client.post("/login", data=form).headers["set-cookie"] for _ in range(2)]
        first, second = ({"Cookie": cookie.partition(";")[0]} for cookie in given)
        assert first != second
        name, *flags = given[0].split("; ")
        assert name.startswith("__Host-session=")
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(flags)
        assert "Domain" not in given[0]
        assert client.get("/account", headers=first).status_code == 200
        client.post("/logout", headers=first)
        assert client.get("/account", headers=first).status_code == 303
        # The next login ends the session that it comes with.
        client.post("/login", data=form, headers=second)
        assert client.get("/account", headers=second).status_code == 303
