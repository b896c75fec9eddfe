"""State that all pages of the web views share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from subprocess import Popen
from typing import Any, TypeVar, cast

from starlette.requests import HTTPConnection

from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.text_sync import TextSync
from focuscrawl.summary.report_mail import MailTarget
from focuscrawl.summary.report_webhook import WebhookTarget
from focuscrawl.web.crawls.crawl_arguments import CrawlProject
from focuscrawl.web.crawls.crawl_drift import Cause
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.prices.price_snapshots import PriceSnapshots
from focuscrawl.web.quotations.doubtful_quotes import DoubtList

_log = logging.getLogger(__name__)

# Static files: our own, and the libraries that ``make assets`` fetches.

STATIC_FILES = Path(__file__).with_name("static")
_CHARTS, _INTERACTION = "vendor/echarts.common.min.js", "vendor/htmx.min.js"


class StaticAssets:
    """Addresses of the static files, each with a part of its hash, so that browsers may keep it.

    Without the libraries, pages work as they do without JavaScript.
    """

    def __init__(self) -> None:
        self._versions = {
            path.relative_to(STATIC_FILES).as_posix(): sha256(path.read_bytes()).hexdigest()[:12]
            for path in STATIC_FILES.rglob("*")
            if path.is_file()
        }

    def __getitem__(self, name: str) -> str:
        """Return the address of a file; raises KeyError if there is none."""
        return f"/static/{name}?v={self._versions[name]}"

    @property
    def has_charts(self) -> bool:
        """Whether ECharts is there."""
        return _CHARTS in self._versions

    @property
    def has_interaction(self) -> bool:
        """Whether htmx is there."""
        return _INTERACTION in self._versions


_T = TypeVar("_T")
_MOST_BYTES = 16 * 2**20
"""Bytes of rendered pages in memory."""


class AwaitedCache:
    """Values by key, each for a number of seconds; the least recently used ones leave.

    ``size_of`` gives the sizes of values, of which the sum is at most ``most``; without it, values are
    counted. Who asks for a value that is being made waits for the same one. Errors are not kept.
    """

    def __init__(
        self,
        seconds: float,
        most: int,
        size_of: Callable[[Any], int] = lambda value: 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._size_of = size_of
        self._clock = clock
        self._size = 0
        self._kept: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()
        self._making: dict[Hashable, asyncio.Future[Any]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """Return the value of a key, which ``make`` gives if there is none or it is too old."""
        if self._is_kept(key):
            self._kept.move_to_end(key)
            return cast(_T, self._kept[key][0])
        # Shielded, because a visitor who leaves must not end what others wait for.
        return cast(_T, await asyncio.shield(self._make(key, make)))

    def ready(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T | None:
        """Return the value of a key without waiting: too old if need be, None if there is none yet.

        Of a value that is missing or too old, a new one is being made meanwhile.
        """
        if not self._is_kept(key) and key not in self._making:
            self._make(key, make).add_done_callback(partial(_log_failure, key))
        return cast(_T, self._kept[key][0]) if key in self._kept else None

    def _make(self, key: Hashable, make: Callable[[], Awaitable[Any]]) -> asyncio.Future[Any]:
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.ensure_future(make())
            since = self._clock()
            making.add_done_callback(lambda done: self._keep(key, done, since))
        return making

    def known(self, key: Hashable) -> Any:
        """Return the value of a key if it is there already, otherwise None."""
        return self._kept[key][0] if self._is_kept(key) else None

    def _is_kept(self, key: Hashable) -> bool:
        return key in self._kept and self._clock() - self._kept[key][1] <= self._seconds

    def _keep(self, key: Hashable, done: asyncio.Future[Any], since: float) -> None:
        del self._making[key]
        if done.cancelled() or done.exception() is not None:
            return
        if key in self._kept:
            self._drop(key)
        # For one that is too large, all others would leave.
        if (size := self._size_of(done.result())) > self._most:
            return
        self._kept[key] = done.result(), since
        self._size += size
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        self._size -= self._size_of(self._kept.pop(key)[0])


def _log_failure(key: Hashable, done: asyncio.Future[Any]) -> None:
    if not done.cancelled() and (error := done.exception()):
        _log.error("%s could not be prepared", key, exc_info=error)


@dataclass(slots=True)
class WebSite:
    """State that all pages share.

    ``store`` is the database of the crawls, at ``store_url``; ``database`` has the tables of the web
    views; ``data`` is the folder of the project's files, ``files`` that of the kept ones (None for
    ``files`` in it). ``key`` is the secret of the server;
    ``is_secure`` says that browsers reach the server over TLS, ``is_alone`` that only this machine
    reaches it: then it is open to read as long as there are no users. ``problem`` says why the store could
    not be opened so far. ``sections`` are the keywords of the sections of the articles' front page,
    empty for those that the articles suggest. ``may_sign_up`` lets strangers become readers.

    Crawls are started in ``project``; ``children`` are the processes by number;
    ``causes`` is what is wrong with runs that have ended, by key.
    ``texts`` is the index of the search. Alarms are sent by ``mail`` and ``webhook``, with links to ``address``, that of the server. Prometheus
    needs ``metrics_token`` where there are users. What is due is looked after each ``tick_seconds``.
    """

    store: SQLStore
    store_url: str
    database: WebDatabase
    data: Path
    files: Path | None = None
    key: bytes = b""
    is_secure: bool = False
    is_alone: bool = False
    problem: str = ""
    assets: StaticAssets = field(default_factory=StaticAssets)
    doubts: DoubtList = field(default_factory=DoubtList)
    sections: tuple[str, ...] = ()
    article_lists: AwaitedCache = field(default_factory=partial(AwaitedCache, 60, 100))
    related_articles: AwaitedCache = field(default_factory=partial(AwaitedCache, 3600, 1000))
    recent_articles: AwaitedCache = field(default_factory=partial(AwaitedCache, 600, 2))
    suggestions: AwaitedCache = field(default_factory=partial(AwaitedCache, 600, 1000))
    may_sign_up: bool = False
    # Crawls and alarms.
    project: CrawlProject = field(default_factory=CrawlProject)
    children: dict[int, Popen[bytes]] = field(default_factory=dict)
    causes: dict[str, list[Cause]] = field(default_factory=dict)
    mail: MailTarget | None = None
    webhook: WebhookTarget | None = None
    address: str = ""
    has_metrics: bool = False
    metrics_token: str = ""
    tick_seconds: float = 15.0
    prices: PriceSnapshots = field(default_factory=PriceSnapshots)
    texts: TextSync = field(init=False)
    pages: AwaitedCache = field(
        default_factory=partial(AwaitedCache, inf, _MOST_BYTES, lambda rendered: len(rendered.body))
    )

    def __post_init__(self) -> None:
        """Give the search its index."""
        self.texts = TextSync(self.data)


def origin_of(request: HTTPConnection) -> str:
    """Return the address of this server in the browser, also where a proxy does not report TLS."""
    scheme = "https" if site_of(request).is_secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"


def site_of(connection: HTTPConnection) -> WebSite:
    """Return the state of the application that a request was sent to."""
    return cast(WebSite, connection.app.state.site)
