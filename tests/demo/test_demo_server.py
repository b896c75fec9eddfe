"""The server, over real connections to 127.0.0.1."""

import asyncio
import http.client
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.errors import ArgumentError

TODAY = date(2026, 3, 5)
HOST = "bulletins.demo.test"
LIST = f"http://{HOST}/list/"


def connect(server: DemoServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)


def talk(server: DemoServer, data: bytes) -> bytes:
    """Send bytes, say that no more come, and return all that comes back until the end."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as link:
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: link.recv(65536), b""))


def status_of(reply: bytes) -> int:
    return int(reply.split()[1])


def test_proxy_form_and_host_form_give_the_same_page(server: DemoServer) -> None:
    link = connect(server)
    link.request("GET", LIST)
    by_proxy = link.getresponse().read()
    link.request("GET", "/list/", headers={"Host": HOST})
    assert link.getresponse().read() == by_proxy
    assert "收购行情" in by_proxy.decode("gb2312")


def test_pipelined_requests_are_answered_in_order(server: DemoServer) -> None:
    get = f"GET {LIST} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    reply = talk(server, get + get.replace(b"/list/", b"/none/") + get)
    statuses = [int(part[:3]) for part in reply.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [200, 404, 200]


def test_many_requests_share_a_connection_also_those_without_a_body(server: DemoServer) -> None:
    link = connect(server)
    link.connect()
    used = link.sock
    for url in list(server.web.truth())[:20]:
        link.request("GET", url)
        whole = link.getresponse()
        assert whole.status == 200
        assert len(whole.read()) == int(whole.headers["Content-Length"])
    link.request("HEAD", url)
    head = link.getresponse()
    assert (head.read(), head.headers["Content-Length"]) == (b"", whole.headers["Content-Length"])
    link.request("GET", url, headers={"if-none-match": whole.headers["ETag"]})
    unchanged = link.getresponse()
    assert (unchanged.status, unchanged.read()) == (304, b"")
    assert unchanged.headers["Content-Length"] is None
    link.request("GET", LIST)
    assert link.getresponse().status == 200
    assert link.sock is used


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("CONNECT bulletins.demo.test:443 HTTP/1.1", 502),
        ("GET https://bulletins.demo.test/ HTTP/1.1", 502),
        ("GET http://elsewhere.test/ HTTP/1.1", 404),
        ("GET / HTTP/1.1", 404),
        ("POST http://bulletins.demo.test/list/ HTTP/1.1", 405),
        ("OPTIONS * HTTP/1.1", 405),
    ],
)
def test_what_is_not_served_gets_its_status(server: DemoServer, line: str, status: int) -> None:
    assert status_of(talk(server, f"{line}\r\n\r\n".encode())) == status


def test_a_request_body_is_read_away(server: DemoServer) -> None:
    post = f"POST {LIST} HTTP/1.1\r\nContent-Length: 5\r\n\r\nGET /".encode()
    reply = talk(server, post + f"GET {LIST} HTTP/1.1\r\n\r\n".encode())
    assert [int(part[:3]) for part in reply.split(b"HTTP/1.1 ")[1:]] == [405, 200]


@pytest.mark.parametrize("version", ["HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\n"])
def test_the_connection_is_closed_for_who_wants_that(server: DemoServer, version: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as link:
        link.sendall(f"GET {LIST} {version}\r\n".encode())
        reply = b"".join(iter(lambda: link.recv(65536), b""))
    assert b"Connection: close" in reply


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff\xfe\x80" * 50 + b"\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\x07 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_garbage_is_400_and_the_server_lives_on(
    server: DemoServer, garbage: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        reply = talk(server, garbage)
    except (ConnectionResetError, BrokenPipeError):
        reply = b"HTTP/1.1 400"  # Closed before all of an endless line was sent.
    assert status_of(reply) == 400
    assert status_of(talk(server, f"GET {LIST} HTTP/1.1\r\n\r\n".encode())) == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("half", [b"", b"GET /", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"])
def test_a_client_that_leaves_half_way_does_no_harm(
    server: DemoServer, half: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    assert talk(server, half) == b""
    assert status_of(talk(server, f"GET {LIST} HTTP/1.1\r\n\r\n".encode())) == 200
    assert capfd.readouterr().err == ""


def test_many_clients_at_once(server: DemoServer) -> None:
    urls = list(server.web.truth())[:40]

    def fetch(url: str) -> int:
        return status_of(talk(server, f"GET {url} HTTP/1.1\r\n\r\n".encode()))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(fetch, urls)) == [200] * 40


def test_latency_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []

    async def note(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    with DemoServer(DemoWeb(1, 10, TODAY, latency_ms=60)) as server:
        assert status_of(talk(server, f"GET {LIST} HTTP/1.1\r\n\r\n".encode())) == 200
    assert waited == [0.06]


def test_the_days_go_on_while_it_serves(server: DemoServer) -> None:
    url = f"http://{HOST}/news/202603061.html"
    get = f"GET {url} HTTP/1.1\r\n\r\n".encode()
    assert status_of(talk(server, get)) == 404
    server.web.advance(1)
    assert status_of(talk(server, get)) == 200
    assert list(server.web.log) == [(404, url), (200, url)]


def test_stop_ends_open_connections_and_may_be_repeated() -> None:
    server = DemoServer(DemoWeb(1, 10, TODAY))
    server.stop()
    server.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as idle:
        idle.sendall(f"GET {LIST} HTTP/1.1\r\n\r\n".encode())
        assert idle.recv(1)
        server.stop()
        while idle.recv(65536):
            pass
    server.stop()
    port = server.port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=10)
    server.start()
    assert server.port == port
    assert status_of(talk(server, f"GET {LIST} HTTP/1.1\r\n\r\n".encode())) == 200
    server.stop()


def test_a_taken_or_impossible_port_gets_a_sentence(server: DemoServer) -> None:
    for port in (server.port, 99_999, -1):
        with pytest.raises(ArgumentError, match=f"port {port} "):
            DemoServer(DemoWeb(1, 10, TODAY), port).start()
