"""Requests that no browser sends: the server refuses them, and never fails by them."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import urlopen

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_application import ROUTES
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples
from tests.web.conftest import add_users, client_of, fill, log_in, served
from tests.web.prices.conftest import weeks

# Names of all queries and forms; those of others are left out.
_NAMES = ("q", "next", "commodity", "entity", "region", "site", "tag", "crawl", "unit", "view", "topic", "series", "from",
          "to", "since", "until", "known_on", "before", "after", "page", "spider", "kind", "rows", "days", "period", "host",
          "list", "name", "password", "role", "action", "state", "verdict", "shown", "note", "cron", "amount", "webhook",
          "webhook_url", "by_mail", "language", "argument.urls", "argument.site", "argument.topic", "title", "tags")  # fmt: skip
_ODD = ("-1", "1e9", "NaN", "9" * 18, "9" * 5000, "²", "2026-02-30", "0001-01-01", "9999-12-31", "\x00", "a\x00b", "\r\nX: y",
        "\ufffe", "%00", "%zz", "_", "${x}", "../" * 20, "/etc/passwd", "'", '"*', "NEAR(", "[" * 1000, "http://[",
        "http://x:99999/", "null", "玉米", "demo", "maize", "add", "open", "price", "* * * * *", "{'$ne': 1}")  # fmt: skip
_TEXT = st.one_of(st.sampled_from(_ODD), st.text(st.characters(exclude_categories=["Cs"])))
# Those that end the session, and those that take the rights of the one who asks.
_KEPT = ("/logout", "/account", "/users/{name}")
_TRIED = [route for route in ROUTES if route.path not in _KEPT]
_SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def administrator(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """A client that may do everything, over a store with something of each kind."""

    def launch(*_: object) -> dict[str, object]:
        raise ArgumentError("no crawl is started by this test")

    monkeypatch.setattr(crawl_processes, "_launch", launch)
    others = (record_examples.numbered(1), record_examples.page(), record_examples.seed())
    fill(store_url, [*weeks(), *others, record_examples.template_record()])
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.ADMINISTRATOR)
        yield client


def address_of(route: PageRoute, value: str) -> str:
    path = re.sub(r"\{\w+:number\}", "1", route.path)
    return re.sub(r"\{\w+\}", quote(value, safe="") or "0", path)


@_SLOW
@given(st.sampled_from(_TRIED), _TEXT, st.dictionaries(st.sampled_from(_NAMES), _TEXT))
def test_values_of_paths_queries_and_forms(
    administrator: TestClient, route: PageRoute, value: str, values: dict[str, str]
) -> None:
    address = address_of(route, value)
    if route.methods == ("GET",):
        answer = administrator.get(f"{address}?{urlencode(values)}")
    else:
        answer = administrator.post(address, data=values)
    assert answer.status_code < 500


_LINES = st.sampled_from(
    [
        b"", b"\xff\xfe", b"-1", b"9" * 5000, b"bytes=-1", b"bytes=9-5", b"bytes=a-b", b"zh;q=x", b"zh;q=1e999",
        b";q=,,*;", b'session="\\377\\400"', b"language=\xe4", b"=;=;;", b"http://[", b"null", b"gzip;q=x",
        b"Mon, 01 Jan 99999 00:00:00 GMT", b"Bearer \xff", b"application/x-www-form-urlencoded; charset=utf-16",
        b"multipart/form-data", b"text/plain", b"a=%ED%A0%80&=&&%zz",
    ]
)  # fmt: skip
_HEADERS = st.sampled_from(
    ["Accept-Language", "Accept-Encoding", "Range", "If-Modified-Since", "If-None-Match", "Cookie", "Origin", "Referer",
     "User-Agent", "Content-Type", "Authorization", "Sec-Purpose"]
)  # fmt: skip


@_SLOW
@given(st.sampled_from(_TRIED), st.dictionaries(_HEADERS, _LINES, max_size=4), _LINES)
def test_headers_and_bodies(
    administrator: TestClient, route: PageRoute, headers: dict[str, bytes], body: bytes
) -> None:
    lines = [(name.encode(), line) for name, line in headers.items()]
    address, method = address_of(route, "0"), route.methods[0]
    content = body if method == "POST" else None
    assert administrator.request(method, address, headers=lines, content=content).status_code < 500


def test_paths(administrator: TestClient) -> None:
    paths = ("/%ff", "/%00", "/a" * 5000, "/static/%00", "/static/..%2f..%2fetc/passwd", "/static/%ff", "/static/",
             "/articles/%ED%A0%80", "/articles/feeds/%00.atom", "/alarms/feed/%ff.xml", "/prices%0d%0aX:y")  # fmt: skip
    for path, method in product(paths, ("GET", "HEAD", "POST", "OPTIONS", "TRACE", "FOO")):
        assert administrator.request(method, path).status_code in (404, 405), (path, method)


def test_forms_in_parts_are_refused(administrator: TestClient) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\\ud800\r\n--x--\r\n'
    headers = {"Content-Type": "Multipart/form-data; boundary=x; charset=unicode_escape"}
    for route in ROUTES:
        if route.methods == ("POST",) and route.path not in _KEPT:
            answer = administrator.post(address_of(route, "0"), content=body, headers=headers)
            assert answer.status_code == 400, route


def test_a_client_that_leaves_within_a_form_is_no_error_of_the_server(
    site: WebSite, caplog: pytest.LogCaptureFixture
) -> None:
    add_users(site)
    with served(site) as address:
        parts = urlsplit(address)
        assert parts.hostname
        assert parts.port
        with closing(socket.create_connection((parts.hostname, parts.port))) as connection:
            connection.sendall(
                b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n"
                b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname=a"
            )
        # Connections are accepted in their order, and the end of the server waits for its requests.
        with urlopen(f"{address}/login") as answer:
            assert answer.status == 200
    assert [one.message for one in caplog.records if one.levelno >= logging.ERROR] == []
