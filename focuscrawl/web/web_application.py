"""Application of the web views."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from focuscrawl.errors import StoreError
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.accounts import account_pages
from focuscrawl.web.accounts.session_lookup import SessionLookup
from focuscrawl.web.alarms import alarm_routes
from focuscrawl.web.articles import article_routes
from focuscrawl.web.crawls import crawl_routes
from focuscrawl.web.error_pages import HANDLERS
from focuscrawl.web.front import front_pages
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices import price_pages
from focuscrawl.web.prices.figures.price_snapshots import keep_prices
from focuscrawl.web.quotations import decision_pages, quotation_pages, version_pages
from focuscrawl.web.records import record_exports, record_pages
from focuscrawl.web.security_headers import SecurityHeaders
from focuscrawl.web.static_assets import FOLDER
from focuscrawl.web.topics import topic_pages
from focuscrawl.web.web_site import WebSite
from focuscrawl.web.work_limits import WorkLimits

_log = logging.getLogger(__name__)
ROUTES: tuple[PageRoute, ...] = (
    *front_pages.ROUTES,
    *account_pages.ROUTES,
    *quotation_pages.ROUTES,
    *decision_pages.ROUTES,
    *version_pages.ROUTES,
    *record_exports.ROUTES,
    *record_pages.ROUTES,
    *topic_pages.ROUTES,
    *article_routes.ROUTES,
    *crawl_routes.ROUTES,
    *price_pages.ROUTES,
    *alarm_routes.ROUTES,
)
"""All pages. A path without an entry does not exist."""
_RETRY_SECONDS = 5
_MOST_BYTES = 256 * 1024
"""Size of a request, more than that of any form; parts of a larger one would fill the disk."""
BackgroundTask = Callable[[WebSite], Coroutine[Any, Any, None]]
BACKGROUND: tuple[BackgroundTask, ...] = (
    keep_prices,
    *crawl_routes.BACKGROUND,
    *alarm_routes.BACKGROUND,
)
"""Work that goes on while the server runs; a task ends with it."""


def create_application(site: WebSite, hosts: Sequence[str]) -> Starlette:
    """Return the application, which responds to the given names of its host only."""
    application = Starlette(
        routes=[
            *(route.route() for route in ROUTES),
            Mount("/static", StaticFiles(directory=FOLDER), name="static"),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5),
            Middleware(SessionLookup, site=site),
            Middleware(WorkLimits),
        ],
        exception_handlers=HANDLERS,
        lifespan=_lifespan,
        max_body_size=_MOST_BYTES,
    )
    application.state.site = site
    return application


@asynccontextmanager
async def _lifespan(application: Starlette) -> AsyncIterator[None]:
    site: WebSite = application.state.site
    async with AsyncExitStack() as stack:
        stack.push_async_callback(site.store.close)
        tasks = [asyncio.create_task(task(site)) for task in BACKGROUND]
        if not await _open(site):
            tasks.append(asyncio.create_task(_open_later(site)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _open(site: WebSite) -> bool:
    try:
        await site.store.open()
        if isinstance(site.store, SQLStore):
            site.store.follow_file()
        site.problem = ""
    except StoreError as error:
        if str(error) != site.problem:
            _log.warning("%s", error)
        site.problem = str(error)
    return not site.problem


async def _open_later(site: WebSite) -> None:
    """Open the store when it is there; until then, pages that need it say why they cannot be shown."""
    while True:
        await asyncio.sleep(_RETRY_SECONDS)
        if await _open(site):
            return
