"""The demo web: sites by host name on one day, with faults on demand."""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Collection, Mapping, MutableMapping
from datetime import date, timedelta
from typing import NamedTuple, TextIO
from urllib.parse import SplitResult, urlsplit

from focuscrawl.demo.bulletins.bulletin_site import EARLIEST_DAY, BulletinSite
from focuscrawl.demo.bulletins.bulletin_site import HOST as BULLETINS_HOST
from focuscrawl.demo.site_protocol import ArticleTruth, Response, Site, TakesForms, plain
from focuscrawl.errors import ArgumentError

__all__ = ["DemoWeb", "LoggedRequest", "Response", "Site"]

_LONGEST_LOG = 100_000
_LONGEST_LATENCY_MS = 60_000
_HOSTS_NAMED = 3


class LoggedRequest(NamedTuple):
    """One answered request."""

    status: int
    url: str


class DemoWeb:
    """All hosts of the demo web on one day.

    ``days`` is the number of days that the lists go back from ``today``. ``fail_every=N`` makes every
    Nth response a 503 with ``Retry-After: 1``; the paths in ``broken_pages`` always return 500. The
    server applies ``latency_ms``. ``log`` has the last 100,000 requests; ``log_file`` gets one line
    per request. To add a host, put a :class:`Site` into ``sites``; ``more_sites`` is a mapping that
    may create its sites on first access.
    """

    def __init__(
        self,
        seed: int = 1,
        days: int = 400,
        today: date | None = None,
        *,
        latency_ms: float = 0,
        fail_every: int = 0,
        broken_pages: Collection[str] = (),
        log_file: TextIO | None = None,
        more_sites: Mapping[str, Site] | None = None,
    ) -> None:
        self.today = today or date.today()
        most = (self.today - EARLIEST_DAY).days + 1
        if most < 1:
            raise ArgumentError(f"today={self.today} is too early: give {EARLIEST_DAY} or later")
        if not 1 <= days <= most:
            raise ArgumentError(f"days={days} is out of range: give 1 to {most}")
        if not 0 <= latency_ms <= _LONGEST_LATENCY_MS:
            raise ArgumentError(f"a latency of {latency_ms} ms: give 0 to {_LONGEST_LATENCY_MS}")
        if fail_every < 0:
            raise ArgumentError(
                f"to fail every {fail_every} requests: give 1 or more, or 0 for never"
            )
        self.latency_ms = latency_ms
        self.fail_every = fail_every
        self.broken_pages = frozenset(broken_pages)
        self.log: deque[LoggedRequest] = deque(maxlen=_LONGEST_LOG)
        self.log_file = log_file
        own: dict[str, Site] = {BULLETINS_HOST: BulletinSite(seed, days, self.today)}
        # ChainMap only reads its later mappings, although their declared type is mutable.
        self.sites: MutableMapping[str, Site] = ChainMap(own, more_sites or {})  # type: ignore[arg-type]
        self._requests = 0

    def advance(self, days: int = 1) -> None:
        """Move ahead by ``days``: the lists grow at the top and keep their end."""
        self.today += timedelta(days=days)
        for site in self.sites.values():
            site.turn_to(self.today)

    def truth(self) -> dict[str, ArticleTruth]:
        """Return the content of each listed article of all sites, by URL."""
        return {url: known for site in self.sites.values() for url, known in site.truth().items()}

    def hosts_in_words(self) -> str:
        """Return the URLs of the first sites, and the number of the others."""
        first = [f"http://{host}/" for host in sorted(self.sites)[:_HOSTS_NAMED]]
        rest = len(self.sites) - len(first)
        return " ".join(first) + (f" and {rest} more" if rest else "")

    def respond(self, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        """Respond to a GET of an absolute http URL, or to a POST with a body; header names are lower case."""
        self._requests += 1
        response = self._answer(url, headers, body)
        self.log.append(LoggedRequest(response.status, url))
        if self.log_file:
            print(response.status, url, file=self.log_file, flush=True)
        return response

    def _answer(self, url: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        if self.fail_every and self._requests % self.fail_every == 0:
            return plain(503, "out of order for a moment", Retry_After="1")
        parts = _split(url)
        site = self.sites.get(parts.hostname or "") if parts else None
        if parts is None or site is None:
            hosts = self.hosts_in_words()
            return plain(404, f"no such host; use this server as http proxy for {hosts}")
        if parts.path in self.broken_pages:
            return plain(500, "broken on purpose")
        path = parts.path or "/"
        if body is None:
            return site.respond(path, parts.query, headers)
        if not isinstance(site, TakesForms):
            return plain(405, "this site of the demo web supports GET and HEAD", Allow="GET, HEAD")
        return site.submit(path, parts.query, headers, body)


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
