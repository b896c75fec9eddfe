"""An HTTP/1.1 server for the demo web: forward proxy and plain server in one, on 127.0.0.1."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from email.utils import formatdate
from http import HTTPStatus
from types import TracebackType
from typing import Self

from focuscrawl.demo.demo_web import DemoWeb
from focuscrawl.demo.site_protocol import Response, plain
from focuscrawl.errors import ArgumentError

ADDRESS = "127.0.0.1"

_LARGEST_HEAD = 32 * 1024
_LARGEST_BODY = 1024 * 1024
_IDLE_SECONDS = 30


class _BadRequestError(Exception):
    """Bytes that are not a valid request for this server."""


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    headers: dict[str, str]
    keep_alive: bool
    body: bytes = b""

    @property
    def url(self) -> str:
        """The absolute URL, from the proxy form of the target or from the Host header."""
        if self.target.startswith("/"):
            return f"http://{self.headers.get('host', '')}{self.target}"
        return self.target


class DemoServer:
    """Serves a :class:`DemoWeb` from its own thread, until ``stop`` or the end of ``with``."""

    def __init__(self, web: DemoWeb, port: int = 0) -> None:
        self.web = web
        self.port = port
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._ready = threading.Event()
        self._failure: OSError | OverflowError | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The URL to use as proxy."""
        return f"http://{ADDRESS}:{self.port}"

    @property
    def proxy_environment(self) -> dict[str, str]:
        """The environment variables that make a crawler use this proxy for all requests."""
        return {"http_proxy": self.url, "https_proxy": self.url, "no_proxy": ""}

    def start(self) -> None:
        """Start serving and set ``port`` to the actual port. Raises ArgumentError for a port in use.

        After ``stop``, the server may be restarted on the same port.
        """
        self._stopping, self._ready, self._failure = asyncio.Event(), threading.Event(), None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure:
            self._thread.join()
            raise ArgumentError(
                f"port {self.port} is in use or not permitted; give another one, or 0 for any free port"
            ) from self._failure

    def stop(self) -> None:
        """Stop serving; harmless when not running."""
        if self._loop and self._thread and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            server = await asyncio.start_server(
                self._serve, ADDRESS, self.port, limit=_LARGEST_HEAD, backlog=512
            )
        except (OSError, OverflowError) as error:
            self._failure = error
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError):
            pass  # The client disconnected or is idle, or the server stops.
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            request = await _read_request(reader)
        except _BadRequestError as error:
            await _send(writer, plain(400, str(error)), keep_alive=False, with_body=True)
            return False
        if self.web.latency_ms:
            await asyncio.sleep(self.web.latency_ms / 1000)
        response = self._respond(request)
        if response.fault == "hang":
            # Waits until the client disconnects, or the server stops.
            await reader.read()
            return False
        keep_alive = request.keep_alive and request.method != "CONNECT" and not response.fault
        await _send(writer, response, keep_alive=keep_alive, with_body=request.method != "HEAD")
        return keep_alive

    def _respond(self, request: _Request) -> Response:
        if request.method == "CONNECT" or request.target.startswith("https:"):
            return plain(502, "the demo web has no https: use http URLs")
        if request.method == "POST":
            return self.web.respond(request.url, request.headers, request.body)
        if request.method not in ("GET", "HEAD"):
            return plain(405, "the demo web supports GET and HEAD", Allow="GET, HEAD")
        return self.web.respond(request.url, request.headers)


async def _read_request(reader: asyncio.StreamReader) -> _Request:
    try:
        async with asyncio.timeout(_IDLE_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise _BadRequestError("the request head is too long") from None
    request = _parse_head(head)
    return replace(request, body=await _read_body(reader, request.headers))


def _parse_head(head: bytes) -> _Request:
    first, *lines = head.decode("latin-1").strip("\r\n").split("\r\n")
    words = first.split(" ")
    if (
        len(words) != 3
        or not words[1].isprintable()
        or not words[1]
        or not words[2].startswith("HTTP/1.")
    ):
        raise _BadRequestError("the request line is not 'METHOD target HTTP/1.1'")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise _BadRequestError("a header line has no colon")
        headers[name.strip().lower()] = value.strip()
    wish = headers.get("connection", headers.get("proxy-connection", "")).lower()
    keep_alive = wish == "keep-alive" or (words[2] != "HTTP/1.0" and wish != "close")
    return _Request(words[0], words[1], headers, keep_alive)


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise _BadRequestError("a chunked request body is not supported")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length) > _LARGEST_BODY:
        raise _BadRequestError("Content-Length is not a number, or too large")
    return await reader.readexactly(int(length))


async def _send(
    writer: asyncio.StreamWriter, response: Response, *, keep_alive: bool, with_body: bool
) -> None:
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    lines.append(f"Date: {formatdate(usegmt=True)}")
    lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}")
    if response.status != HTTPStatus.NOT_MODIFIED:
        lines.append(f"Content-Length: {len(response.body)}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    body = response.body[: len(response.body) // 2] if response.fault else response.body
    writer.write(head.encode("latin-1") + (body if with_body else b""))
    await writer.drain()
