"""State that all pages of the web views share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from starlette.requests import HTTPConnection

from focuscrawl.stores.database_urls import Database
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.quotations.doubtful_quotes import DoubtList
from focuscrawl.web.static_assets import StaticAssets
from focuscrawl.web.timed_cache import TimedCache


@dataclass(slots=True)
class WebSite:
    """State that all pages share.

    ``store`` is the database of the crawls, at ``store_url``; ``database`` has the tables of the web
    views; ``data`` is the folder of the project's files. ``key`` is the secret of the server; ``is_secure`` says that browsers reach the
    server over TLS. ``problem`` says why the store could not be opened so far.
    ``sections`` are the keywords of the sections of the articles' front page.
    """

    store: Database
    store_url: str
    database: WebDatabase
    data: Path
    key: bytes = b""
    is_secure: bool = False
    problem: str = ""
    assets: StaticAssets = field(default_factory=StaticAssets)
    doubts: DoubtList = field(default_factory=DoubtList)
    sections: tuple[str, ...] = ()
    article_lists: TimedCache = field(default_factory=partial(TimedCache, 60, 100))
    related_articles: TimedCache = field(default_factory=partial(TimedCache, 3600, 1000))


def site_of(connection: HTTPConnection) -> WebSite:
    """Return the state of the application that a request was sent to."""
    return cast(WebSite, connection.app.state.site)
