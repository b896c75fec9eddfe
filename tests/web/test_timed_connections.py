"""Slow and greedy clients of a real server: real sockets that send or read little."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
import uvicorn

from focuscrawl.web import timed_connections, web_server
from focuscrawl.web.web_server import Place
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users

_PATIENCE = 20
_HEAD = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
_WHOLE = b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def serve(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """Start ``scrapy serve``'s own server, and return its port."""
    add_users(site)
    with ExitStack() as stack:

        def serve(public_url: str = "") -> int:
            made: list[uvicorn.Server] = []

            class KnownServer(uvicorn.Server):
                def __init__(self, config: Any) -> None:
                    super().__init__(config)
                    made.append(self)

            monkeypatch.setattr(web_server.uvicorn, "Server", KnownServer)
            site.key = b"x" * 32
            place = Place("127.0.0.1", 0, public_url)
            thread = threading.Thread(target=web_server.serve, args=(site, place, lambda _: None))
            thread.start()
            stack.callback(thread.join)
            while not (made and made[0].started):
                assert thread.is_alive()
                time.sleep(0.01)
            stack.callback(setattr, made[0], "should_exit", True)
            return int(made[0].servers[0].sockets[0].getsockname()[1])

        yield serve


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)


def is_ended_while_sending(connection: socket.socket, parts: Iterator[bytes]) -> bool:
    """Send a part now and then, until the server has ended the connection."""
    until = time.monotonic() + _PATIENCE
    try:
        while time.monotonic() < until:
            connection.sendall(next(parts))
            time.sleep(0.05)
    except OSError:
        return True
    return False


def endless(first: bytes, more: bytes) -> Iterator[bytes]:
    yield first
    while True:
        yield more


def test_a_head_that_does_not_end(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "REQUEST_SECONDS", 0.5)
    with closing(connect(serve())) as connection:
        assert is_ended_while_sending(connection, endless(_WHOLE[:-2], b"X: y\r\n"))


def test_a_body_that_comes_byte_by_byte(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "REQUEST_SECONDS", 0.5)
    head = _HEAD + b"Content-Length: 9000\r\n\r\n"
    with closing(connect(serve())) as connection:
        assert is_ended_while_sending(connection, endless(head, b"a"))


def test_a_connection_that_sends_nothing(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "REQUEST_SECONDS", 0.5)
    with closing(connect(serve())) as connection:
        assert connection.recv(1) == b""


def test_a_second_request_that_does_not_end(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "REQUEST_SECONDS", 0.5)
    with closing(connect(serve())) as connection:
        connection.sendall(_WHOLE)
        assert b" 200 " in connection.recv(1000)
        assert is_ended_while_sending(connection, endless(_WHOLE[:-2], b"X: y\r\n"))


def test_a_response_that_nobody_reads(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "READING_SECONDS", 0.5)
    port = serve()
    with closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(_PATIENCE)
        connection.connect(("127.0.0.1", port))
        # More responses than the buffers of the system hold.
        assert is_ended_while_sending(connection, endless(_WHOLE, 100 * _WHOLE))


def test_quick_requests_of_one_connection_are_answered(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_connections, "REQUEST_SECONDS", 1.0)
    with closing(connect(serve())) as connection:
        until = time.monotonic() + 2
        while time.monotonic() < until:
            connection.sendall(_WHOLE)
            got = b""
            while b"</html>" not in got:
                got += connection.recv(65536)
            assert b" 200 " in got


@pytest.mark.parametrize(("public_url", "answered"), [("", 2), ("https://prices.example", 4)])
def test_connections_of_one_address(
    public_url: str,
    answered: int,
    serve: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timed_connections, "MOST_OF_AN_ADDRESS", 2)
    port, count = serve(public_url), 0
    with ExitStack() as stack:
        for _ in range(4):
            connection = stack.enter_context(closing(connect(port)))
            try:
                connection.sendall(_WHOLE)
                count += b" 200 " in connection.recv(1000)
            except OSError:
                continue
    assert count == answered
