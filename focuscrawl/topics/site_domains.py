"""Look-up of values by domain, subdomain and folder, since portals use all three for their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar
from urllib.parse import unquote, urlsplit

Value = TypeVar("Value")

_PLACE = re.compile(r"(?P<host>[^\s/:?#@]+)(?P<path>/[^\s?#]*)?")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def canonical_place(text: str) -> str:
    """Normalise ``example.com`` or ``example.com/folder``: ASCII host, no escapes, no trailing slash.

    Raises ValueError with one sentence for any other text.
    """
    match = _PLACE.fullmatch(text.strip())
    host = _ascii_host(match["host"]) if match else ""
    if match is None or not _HOST.fullmatch(host):
        raise ValueError(f"{text!r} is not a domain; write example.com or example.com/folder/")
    return host + unquote(match["path"] or "").rstrip("/")


def _ascii_host(host: str) -> str:
    host = host.lower().strip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


class Places(Generic[Value]):
    """Values by place. A domain includes its subdomains, a folder everything below it.

    If several places include a URL, the most specific one applies: the longest domain, then the
    longest path.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._by_host: dict[str, list[tuple[str, Value]]] = {}
        # Longest first, so that the first matching path is the most specific one.
        for place in sorted(values, key=lambda place: (-len(place), place)):
            host, slash, path = place.partition("/")
            self._by_host.setdefault(host, []).append((slash + path, values[place]))

    def __getitem__(self, url: str) -> Value:
        """Return the value of the most specific place; raises KeyError if no place includes ``url``."""
        try:
            parts = urlsplit(url)
            host = _ascii_host(parts.hostname or "")
        except ValueError:
            raise KeyError(url) from None
        asked = f"{unquote(parts.path)}/"
        for domain in _domains(host):
            for path, value in self._by_host.get(domain, ()):
                if not path or asked.startswith(f"{path}/"):
                    return value
        raise KeyError(url)

    def __contains__(self, url: str) -> bool:
        try:
            self[url]
        except KeyError:
            return False
        return True


def _domains(host: str) -> Iterable[str]:
    """Yield the host, then the domains above it."""
    while host:
        yield host
        host = host.partition(".")[2]
