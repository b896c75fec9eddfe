"""Slow and greedy clients of a real server: real sockets that send or read little."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from focuscrawl.web import web_server
from focuscrawl.web.web_server import ListenAddress, TimedConnection
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, port_of, running

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
            place = ListenAddress("127.0.0.1", 0, public_url)
            thread = threading.Thread(target=web_server.serve, args=(site, place, lambda _: None))
            thread.start()
            stack.callback(thread.join)
            while not (made and made[0].started):
                assert thread.is_alive()
                time.sleep(0.01)
            stack.callback(setattr, made[0], "should_exit", True)
            return port_of(made[0])

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


@pytest.mark.parametrize(
    ("first", "more"),
    [
        pytest.param(_WHOLE[:-2], b"X: y\r\n", id="a head"),
        pytest.param(_HEAD + b"Content-Length: 9000\r\n\r\n", b"a", id="a body byte by byte"),
        pytest.param(_WHOLE + _WHOLE[:-2], b"X: y\r\n", id="the head of a second request"),
        pytest.param(b"", b"", id="nothing"),
    ],
)
def test_a_request_that_does_not_end(
    first: bytes, more: bytes, serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "REQUEST_SECONDS", 0.5)
    with closing(connect(serve())) as connection:
        if more:
            assert is_ended_while_sending(connection, endless(first, more))
        else:
            assert connection.recv(1) == b""


def test_quick_requests_of_one_connection_are_answered(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "REQUEST_SECONDS", 1.0)
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
    monkeypatch.setattr(web_server, "MOST_OF_AN_ADDRESS", 2)
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


def test_too_many_connections_that_send_nothing(
    serve: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "MOST_WAITING", 2)
    # Unlike the limit of an address, this one holds behind a proxy as well.
    port = serve("https://prices.example")
    with ExitStack() as stack:
        first, *others = [stack.enter_context(closing(connect(port))) for _ in range(3)]
        # The oldest one has ended; the others are answered, and a new one is after them.
        with suppress(ConnectionResetError):
            assert first.recv(1) == b""
        for number in range(3):
            connection = (
                others[number] if number < 2 else stack.enter_context(closing(connect(port)))
            )
            connection.sendall(_WHOLE)
            assert b" 200 " in connection.recv(1000)
    until = time.monotonic() + _PATIENCE
    while TimedConnection._of_address and time.monotonic() < until:
        time.sleep(0.05)
    assert not TimedConnection._of_address
    assert not TimedConnection._waiting


@contextmanager
def timed(application: ASGIApp, buffer: int | None = None) -> Iterator[uvicorn.Server]:
    """Serve an application with timed connections whose buffer of the system has a size."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if buffer:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        options = {"http": TimedConnection, "ws": "none", "lifespan": "off"}
        with running(application, listener, **options) as server:
            yield server


def body_of(size: int, seconds: float = 0) -> ASGIApp:
    """Return an application that waits, reads the request and sends a body in one piece."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(seconds)
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-length", b"%d" % size)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"a" * size})

    return application


def received(connection: socket.socket, size: int, pause: float = 0) -> int:
    """Return how many bytes of a response arrive, at most ``size``, when they are read with pauses."""
    count = 0
    while count < size and (part := connection.recv(256 * 1024)):
        count += len(part)
        time.sleep(pause)
    return count


def test_a_large_body_over_a_slow_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "READING_SECONDS", 1.0)
    # At 25 MB a second at most, it takes twice that time.
    size = 50_000_000
    with timed(body_of(size)) as server, closing(connect(port_of(server))) as connection:
        connection.sendall(_WHOLE)
        assert received(connection, size, pause=0.01) >= size


def test_the_rest_of_a_response_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "READING_SECONDS", 0.5)
    # Less than asyncio's own mark, beyond which it tells that nobody reads.
    with timed(body_of(60_000), buffer=4096) as server, closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port_of(server)))
        connection.sendall(_WHOLE)
        assert connection.recv(1)
        until = time.monotonic() + _PATIENCE
        while server.server_state.connections and time.monotonic() < until:
            time.sleep(0.05)
        assert not server.server_state.connections


@pytest.mark.parametrize(
    "request_sent",
    [
        # As Java's client, and curl --http2, ask for HTTP/2.
        _WHOLE[:-2] + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
        # More than uvicorn reads before the application does.
        _HEAD + b"Content-Length: 200000\r\n\r\n" + b"a" * 200_000,
    ],
)
def test_whole_requests_whose_response_takes_long(
    request_sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "REQUEST_SECONDS", 0.5)
    application = body_of(10, seconds=1.5)
    with timed(application) as server, closing(connect(port_of(server))) as connection:
        connection.sendall(request_sent)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
