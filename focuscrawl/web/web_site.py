"""State that all pages of the web views share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any, TypeVar, cast

from starlette.requests import HTTPConnection

from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.summary.report_mail import MailTarget
from focuscrawl.summary.report_webhook import WebhookTarget
from focuscrawl.web.crawls.crawl_drift import Cause
from focuscrawl.web.crawls.operation.crawl_project import CrawlProject
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.prices.figures.price_snapshots import PriceSnapshots
from focuscrawl.web.prices.response_cache import ResponseCache
from focuscrawl.web.quotations.doubtful_quotes import DoubtList
from focuscrawl.web.static_assets import StaticAssets

# Cache of values that take long to get and may be a minute old.

_T = TypeVar("_T")


@dataclass(slots=True)
class _SiteEntry:
    task: asyncio.Task[Any]
    since: float


class TimedCache:
    """Values by key, each kept for a number of seconds; of more than ``most``, the oldest leave.

    Who asks for a value that is being computed waits for the same one. Errors are not kept.
    """

    def __init__(
        self, seconds: float, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._entries: dict[Hashable, _SiteEntry] = {}

    async def get(self, key: Hashable, compute: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Return the value of a key, which ``compute`` gives if there is none or it is too old."""
        entry = self._current(key)
        if entry is None:
            self._entries.pop(key, None)
            entry = _SiteEntry(asyncio.create_task(compute()), self._clock())
            self._entries[key] = entry
            while len(self._entries) > self._most:
                self._entries.pop(next(iter(self._entries)))
        # Shielded, because a visitor who leaves must not end what others wait for.
        return await asyncio.shield(cast(Awaitable[_T], entry.task))

    def known(self, key: Hashable) -> Any:
        """Return the value of a key if it is there already, otherwise None."""
        entry = self._current(key)
        return entry.task.result() if entry and entry.task.done() else None

    def _current(self, key: Hashable) -> _SiteEntry | None:
        entry = self._entries.get(key)
        if entry is None or self._clock() - entry.since > self._seconds:
            return None
        task = entry.task
        has_failed = task.done() and (task.cancelled() or task.exception() is not None)
        return None if has_failed else entry


@dataclass(slots=True)
class WebSite:
    """State that all pages share.

    ``store`` is the database of the crawls, at ``store_url``; ``database`` has the tables of the web
    views; ``data`` is the folder of the project's files. ``key`` is the secret of the server;
    ``is_secure`` says that browsers reach the server over TLS, ``is_alone`` that only this machine
    reaches it: then it is open to read as long as there are no users. ``problem`` says why the store could
    not be opened so far. ``sections`` are the keywords of the sections of the articles' front page.

    Crawls are started in ``project``; ``children`` are the processes by number;
    ``causes`` is what is wrong with runs that have ended, by key.
    Alarms are sent by ``mail`` and ``webhook``. Prometheus needs ``metrics_token`` where there are
    users. What is due is looked after each ``tick_seconds``.
    """

    store: SQLStore
    store_url: str
    database: WebDatabase
    data: Path
    key: bytes = b""
    is_secure: bool = False
    is_alone: bool = False
    problem: str = ""
    assets: StaticAssets = field(default_factory=StaticAssets)
    doubts: DoubtList = field(default_factory=DoubtList)
    sections: tuple[str, ...] = ()
    article_lists: TimedCache = field(default_factory=partial(TimedCache, 60, 100))
    related_articles: TimedCache = field(default_factory=partial(TimedCache, 3600, 1000))
    # Crawls and alarms.
    project: CrawlProject = field(default_factory=CrawlProject)
    children: dict[int, Popen[bytes]] = field(default_factory=dict)
    causes: dict[str, list[Cause]] = field(default_factory=dict)
    mail: MailTarget | None = None
    webhook: WebhookTarget | None = None
    has_metrics: bool = False
    metrics_token: str = ""
    tick_seconds: float = 15.0
    prices: PriceSnapshots = field(default_factory=PriceSnapshots)
    pages: ResponseCache = field(default_factory=ResponseCache)


def origin_of(request: HTTPConnection) -> str:
    """Return the address of this server in the browser, also where a proxy does not tell of TLS."""
    scheme = "https" if site_of(request).is_secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"


def site_of(connection: HTTPConnection) -> WebSite:
    """Return the state of the application that a request was sent to."""
    return cast(WebSite, connection.app.state.site)
