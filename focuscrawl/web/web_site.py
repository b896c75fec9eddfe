"""State that all pages of the web views share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from starlette.requests import HTTPConnection

from focuscrawl.stores.database_urls import Database
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.prices.price_snapshots import PriceSnapshots
from focuscrawl.web.prices.response_cache import ResponseCache
from focuscrawl.web.static_assets import StaticAssets


@dataclass(slots=True)
class WebSite:
    """State that all pages share.

    ``store`` is the database of the crawls, at ``store_url``; ``database`` has the tables of the web
    views; ``data`` is the folder of the project's files. ``key`` is the secret of the server; ``is_secure`` says that browsers reach the
    server over TLS.
    """

    store: Database
    store_url: str
    database: WebDatabase
    data: Path
    key: bytes = b""
    is_secure: bool = False
    assets: StaticAssets = field(default_factory=StaticAssets)
    prices: PriceSnapshots = field(default_factory=PriceSnapshots)
    pages: ResponseCache = field(default_factory=ResponseCache)


def site_of(connection: HTTPConnection) -> WebSite:
    """Return the state of the application that a request was sent to."""
    return cast(WebSite, connection.app.state.site)
