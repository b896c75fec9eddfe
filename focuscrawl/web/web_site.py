"""State that all pages of the web views share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import cast

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
from focuscrawl.web.timed_cache import TimedCache


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
