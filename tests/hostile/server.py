"""The hostile web: an HTTP proxy on 127.0.0.1, by hand, for no framework would send such answers."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import unquote

from focuscrawl.demo.site_protocol import Response, Site
from tests.hostile.case import DOMAIN, Case, ReceivedRequest, Wire, answer

ADDRESS = "127.0.0.1"
# Another loopback address: a user may name one as a seed, and no other is allowed by that.
DIRECT = "127.0.0.2"
_LARGEST_HEAD = 4 * 1024 * 1024
_STEP = 64 * 1024
_PRIVATE_NAMES = ("localhost", "localdomain", "internal", "local")


@dataclass
class HostileWeb:
    """Serves cases and honest sites by host name from a thread, until the end of ``with``.

    ``touched`` are the requests for hosts that no crawler may contact, whether by the proxy or at
    the canary's own port; ``requested`` counts the requests of each host; ``honest_at`` is when the last
    honest page was sent, by ``time.monotonic``. ``latency`` is in seconds, for honest sites only.
    """

    cases: Mapping[str, Case]
    honest: Mapping[str, Site]
    latency: float = 0.0
    touched: Counter[str] = field(default_factory=Counter)
    requested: Counter[str] = field(default_factory=Counter)
    honest_at: float = 0.0
    port: int = 0
    canary: int = 0

    def __enter__(self) -> Self:
        self._ready, self._stopping = threading.Event(), asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._hosts = {case.host: case for case in self.cases.values()}
        for case in self.cases.values():
            # Large pages are made once, and before anybody is kept waiting.
            next(case.serve(ReceivedRequest(f"http://{case.host}", "/", "", {}, 0)), None)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10), "the hostile web does not start"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(10)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a crawl: names go to the proxy, loopback addresses are requested directly."""
        proxy = f"http://{ADDRESS}:{self.port}"
        direct = f"{ADDRESS},{DIRECT},localhost,::1,127.1,2130706433,0x7f.1,0177.0.0.1,0.0.0.0,0"
        names = {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": direct}
        return names | {name.upper(): value for name, value in names.items()}

    def reset(self) -> None:
        """Forget what was requested."""
        self.touched.clear()
        self.requested.clear()
        self.honest_at = 0.0

    def direct_url(self, case: Case) -> str:
        """Return the URL of a case past the proxy."""
        return f"http://{DIRECT}:{self.port}/{case.name}/"

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        canary = await asyncio.start_server(self._canary, ADDRESS, 0)
        self.canary = canary.sockets[0].getsockname()[1]
        server = await asyncio.start_server(self._serve, ADDRESS, 0, limit=_LARGEST_HEAD, backlog=512)  # fmt: skip
        self.port = server.sockets[0].getsockname()[1]
        direct = await asyncio.start_server(self._serve, DIRECT, self.port, limit=_LARGEST_HEAD)
        self._ready.set()
        await self._stopping.wait()
        for one in (canary, server, direct):
            one.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _canary(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.touched["a connection to the canary"] += 1
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            raw = await reader.readuntil(b"\r\n\r\n")
            await self._send(writer, self._answer(raw.decode("latin-1")))
        except (OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError, ValueError):
            pass  # The client has had enough, or the server stops.
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, wire: Wire) -> None:
        for piece in wire:
            if isinstance(piece, float):
                await self._pause(writer, piece)
                continue
            for start in range(0, len(piece), _STEP):
                writer.write(piece[start : start + _STEP])
                await writer.drain()
            # Of an endless answer no piece has to wait: let others have their turn.
            await asyncio.sleep(0)

    async def _pause(self, writer: asyncio.StreamWriter, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            if writer.transport.is_closing():
                raise OSError("the client has gone")
            await asyncio.sleep(min(left, 1.0))

    def _answer(self, raw: str) -> Wire:
        first, *lines = raw.strip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}  # fmt: skip
        is_direct = target.startswith("/")
        url = f"http://{headers.get('host', '')}{target}" if is_direct else target
        if method == "CONNECT":
            self._note(target)
            return iter([answer("502 No TLS here", b"")])
        place, _, rest = url.partition("://")[2].partition("/")
        path, _, query = f"/{rest}".partition("?")
        self._note(place)
        host = place.rpartition("@")[2].partition(":")[0].lower()
        root = f"http://{place}"
        if host == DIRECT:
            name, _, path = path[1:].partition("/")
            root, path = f"{root}/{name}", f"/{path}"
            case = self.cases.get(name)
            self.requested[case.host if case else name] += 1
        else:
            case = self._case(host)
        if case is None:
            return self._honest(host, path, query, headers)
        if path == "/robots.txt" and not case.robots:
            return iter([answer("404 Not Found", b"")])
        return case.serve(
            ReceivedRequest(root, unquote(path, "latin-1"), query, headers, self.canary)
        )

    def _note(self, place: str) -> None:
        host = place.rpartition("@")[2].lower()
        name = host if host.startswith("[") else host.partition(":")[0]
        self.requested[name.removeprefix("www.")] += 1
        if name != DIRECT and _is_not_public(name):
            self.touched[host] += 1

    def _case(self, host: str) -> Case | None:
        if not host.endswith(DOMAIN):
            return None
        while host and host not in self._hosts:
            host = host.partition(".")[2]
        return self._hosts.get(host)

    def _honest(self, host: str, path: str, query: str, headers: Mapping[str, str]) -> Wire:
        site = self.honest.get(host)
        if site is None:
            yield answer("404 Not Found", b"no such host")
            return
        if path == "/robots.txt":
            yield answer("404 Not Found", b"")
            return
        if self.latency:
            yield self.latency
        yield _written(site.respond(path, query, headers))
        self.honest_at = time.monotonic()


def _is_not_public(name: str) -> bool:
    """Whether a host is an address in any spelling, or a name of this machine or network.

    The cases name public hosts by their names only.
    """
    # As sent: percent-encoded, or the bytes of UTF-8.
    plain = unquote(name).encode("latin-1", "replace").decode("utf-8", "replace")
    plain = unicodedata.normalize("NFKC", plain).rstrip(".")
    if plain.startswith("[") or plain.rpartition(".")[2] in _PRIVATE_NAMES:
        return True
    try:
        return bool(socket.inet_aton(plain))
    except (OSError, ValueError):
        return False


def _written(response: Response) -> bytes:
    headers = [f"{name}: {value}" for name, value in response.headers.items()]
    return answer(f"{response.status} Answer", response.body, *headers, kind="")
