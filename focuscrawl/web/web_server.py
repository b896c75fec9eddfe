"""Server of the web views: the address to listen at, and what has to be there before it does."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import uvicorn

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.account_store import has_users
from focuscrawl.web.timed_connections import TimedConnection
from focuscrawl.web.web_application import create_application
from focuscrawl.web.web_site import WebSite

_LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_SHORTEST_SECRET = 32
_SECRET = "FOCUSCRAWL_WEB_SECRET"
_BACKLOG = 128


class Place(NamedTuple):
    """Address to listen at; ``public_url`` is that in the browser, "" if it is the same."""

    host: str
    port: int
    public_url: str = ""

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the server over TLS."""
        return urlsplit(self.public_url).scheme == "https"


def serve(site: WebSite, place: Place, say: Callable[[str], None]) -> None:
    """Serve a site until Ctrl-C; ``say`` gets its address once connections are accepted.

    Raises ArgumentError for an address that cannot be used, or not without users and a secret.
    """
    site.database.create()
    hosts = _hosts(place)
    site.is_alone = _is_loopback(place.host) and not place.public_url
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
        say(f"Serving {site.store.label} at {place.public_url or f'http://{shown}:{port}/'}")
        if not site.database.run_now(has_users):
            say("Read only, since there are no users; scrapy users add NAME --role administrator")
        say("Ctrl-C ends it")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([listener])
    site.database.close()


def _hosts(place: Place) -> list[str]:
    if place.public_url:
        return [*_LOCAL_HOSTS, urlsplit(place.public_url).hostname or ""]
    if _is_loopback(place.host):
        return list(_LOCAL_HOSTS)
    if place.host in ("0.0.0.0", "::"):
        raise ArgumentError(
            f"--host {place.host} listens at all addresses; name the one that browsers use: "
            "--public-url https://NAME"
        )
    return [*_LOCAL_HOSTS, f"[{place.host}]" if ":" in place.host else place.host]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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


def _listener(place: Place) -> socket.socket:
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
