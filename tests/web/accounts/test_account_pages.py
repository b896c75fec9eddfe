"""Logging in and out, users, and the log of changes."""

from __future__ import annotations

from starlette.testclient import TestClient

from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, client_of, log_in


def test_logs_in_and_out(site: WebSite, client: TestClient) -> None:
    add_users(site)
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


def test_a_wrong_password_and_an_unknown_user_look_the_same(
    site: WebSite, client: TestClient
) -> None:
    add_users(site)
    answers = [
        client.post("/login", data={"name": name, "password": "wrong password"})
        for name in ("reader", "nobody")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].text == answers[1].text


def test_too_many_failures_block_an_account_even_with_the_right_password(
    site: WebSite, client: TestClient
) -> None:
    add_users(site)
    for _ in range(8):
        client.post("/login", data={"name": "reader", "password": "wrong password"})
    right = {"name": "reader", "password": PASSWORD}
    assert client.post("/login", data=right).status_code == 429
    assert client.post("/login", data={**right, "name": "editor"}).status_code == 303


def test_a_change_of_role_ends_the_sessions(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    with client_of(site) as other:
        log_in(other, Role.OPERATOR)
        assert other.get("/account").status_code == 200
        client.post("/users/operator", data={"action": "role", "role": "reader"})
        assert other.get("/account").status_code == 303
    log = client.get("/log").text
    assert "user.role" in log
    assert "operator" in log


def test_the_last_administrator_stays(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    answer = client.post("/users/administrator", data={"action": "disable"})
    assert answer.status_code == 400
    assert "last administrator" in answer.text


def test_another_site_cannot_send_forms(site: WebSite, client: TestClient) -> None:
    add_users(site)
    data = {"name": "reader", "password": PASSWORD}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "http://x"}):
        assert client.post("/login", data=data, headers=headers).status_code == 403


def test_a_foreign_host_is_refused(client: TestClient) -> None:
    assert client.get("/login", headers={"Host": "evil.example"}).status_code == 400


def test_the_next_page_is_one_of_this_server(site: WebSite, client: TestClient) -> None:
    add_users(site)
    for address in ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:x"):
        data = {"name": "reader", "password": PASSWORD, "next": address}
        assert client.post("/login", data=data).headers["location"] == "/"
