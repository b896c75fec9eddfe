"""Server of the web views: the address to listen at, and what has to be there before it does."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from focuscrawl.errors import ArgumentError
from focuscrawl.system.local_hosts import is_local
from focuscrawl.web.accounts.account_store import has_users
from focuscrawl.web.accounts.login_limits import counted_address
from focuscrawl.web.web_application import create_application
from focuscrawl.web.web_site import WebSite

# Connections of HTTP that are ended when their other side is too slow, or holds too many of them.

REQUEST_SECONDS = 30.0
"""Time for a whole request to arrive, head and body, which has 256 KB at most."""
READING_SECONDS = 60.0
"""Time in which the other side has to take a little of a response that waits for it, or the rest."""
_LEAST_TAKEN = 32 * 1024
"""Bytes of this little: half a kilobyte a second, so that nobody keeps a connection byte by byte."""
MOST_OF_AN_ADDRESS = 128
"""Connections of one address at once; an office behind one address needs dozens."""
MOST_WAITING = 512
"""Connections at once whose request has not arrived; the one that has waited longest ends for one more."""
_ARRIVING = {h11.IDLE, h11.SEND_BODY, h11.ERROR}


class TimedConnection(H11Protocol):
    """A connection of uvicorn, whose own time limit begins only after a response."""

    # Counted here: thousands of connections would be looked through for each new one.
    _of_address: ClassVar[Counter[str]] = Counter()
    _waiting: ClassVar[dict[TimedConnection, None]] = {}
    _address = ""
    _request_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None
    _unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        # Those of a proxy are those of all visitors, and the proxy has limits of its own.
        self._address = counted_address(self.client[0]) if self.client else ""
        self._of_address[self._address] += 1
        count = self._of_address[self._address]
        if not self.config.proxy_headers and count > MOST_OF_AN_ADDRESS:
            transport.abort()
            return
        # Any byte that is not taken counts: the last ones of a response would stay forever.
        transport.set_write_buffer_limits(high=0)
        self._await_request()

    def _await_request(self) -> None:
        self._waiting[self] = None
        if len(self._waiting) > MOST_WAITING:
            oldest = next(iter(self._waiting))
            oldest._stop_request_timer()
            oldest.transport.abort()
        self._request_timer = self.loop.call_later(REQUEST_SECONDS, self._end_request)

    def _end_request(self) -> None:
        # The rest of a large request waits here, and not at the other side.
        if self.flow.read_paused:
            self._await_request()
        else:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time runs from the first one of a request to the last one, however many."""
        super().data_received(data)
        if self.conn.their_state not in _ARRIVING:
            self._stop_request_timer()
        elif self._request_timer is None:
            self._await_request()

    def pause_writing(self) -> None:
        """Wait for a client that takes nothing of a response."""
        super().pause_writing()
        self._await_reading()

    def _await_reading(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._reading_timer = self.loop.call_later(READING_SECONDS, self._end_reading)

    def _end_reading(self) -> None:
        if self._unread - self.transport.get_write_buffer_size() >= _LEAST_TAKEN:
            self._await_reading()
        else:
            self.transport.abort()

    def resume_writing(self) -> None:
        """Go on writing to a client that has taken something."""
        super().resume_writing()
        self._stop_reading_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limits of a connection that has ended."""
        self._stop_request_timer()
        self._stop_reading_timer()
        self._of_address[self._address] -= 1
        if not self._of_address[self._address]:
            del self._of_address[self._address]
        super().connection_lost(exc)

    def _stop_request_timer(self) -> None:
        self._waiting.pop(self, None)
        if self._request_timer:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_reading_timer(self) -> None:
        if self._reading_timer:
            self._reading_timer.cancel()


_LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_SHORTEST_SECRET = 32
_SECRET = "FOCUSCRAWL_WEB_SECRET"
_BACKLOG = 128


class ListenAddress(NamedTuple):
    """Address to listen at; ``public_url`` is that in the browser, "" if it is the same."""

    host: str
    port: int
    public_url: str = ""

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the server over TLS."""
        return urlsplit(self.public_url).scheme == "https"


def serve(site: WebSite, place: ListenAddress, say: Callable[[str], None]) -> None:
    """Serve a site until Ctrl-C; ``say`` gets its address once connections are accepted.

    Raises ArgumentError for an address that cannot be used, or not without users and a secret.
    """
    site.database.create()
    hosts = _hosts(place)
    site.is_alone = is_local(place.host) and not place.public_url
    if not site.is_alone:
        _check_guarded(site)
    listener = _listener(place)
    config = uvicorn.Config(
        create_application(site, hosts), log_level="warning", server_header=False, lifespan="on",
        # Without a proxy, whoever sends a request could choose its address.
        proxy_headers=bool(place.public_url),
        http=TimedConnection, ws="none",
    )  # fmt: skip
    with listener:
        port = listener.getsockname()[1]
        shown = f"[{place.host}]" if ":" in place.host else place.host
        site.address = place.public_url or f"http://{shown}:{port}"
        say(f"Serving {site.store.label} at {place.public_url or f'{site.address}/'}")
        if not site.database.run_now(has_users):
            say("Read only, since there are no users; scrapy users add NAME --role administrator")
        say("Ctrl-C ends it")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([listener])
    site.database.close()


def _hosts(place: ListenAddress) -> list[str]:
    if place.public_url:
        return [*_LOCAL_HOSTS, urlsplit(place.public_url).hostname or ""]
    if is_local(place.host):
        return list(_LOCAL_HOSTS)
    if place.host in ("0.0.0.0", "::"):
        raise ArgumentError(
            f"--host {place.host} listens at all addresses; name the one that browsers use: "
            "--public-url https://NAME"
        )
    return [*_LOCAL_HOSTS, f"[{place.host}]" if ":" in place.host else place.host]


def _check_guarded(site: WebSite) -> None:
    if not site.database.run_now(has_users):
        raise ArgumentError(
            "other machines can reach this address, but there are no users; first run "
            "scrapy users add NAME --role administrator"
        )
    if len(site.key) < _SHORTEST_SECRET:
        raise ArgumentError(
            f"other machines can reach this address; set the environment variable {_SECRET} to "
            f"{_SHORTEST_SECRET} or more random characters, which stay the same"
        )


def _listener(place: ListenAddress) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
        return socket.create_server((place.host, place.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python adds the address to the text of the system.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ArgumentError(
            f"cannot listen at {place.host} port {place.port} ({reason}); "
            "name another: --port, --host"
        ) from error
