"""Application of the web views."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from focuscrawl.errors import ArgumentError, StoreError
from focuscrawl.web import judge_pages, record_pages, search_pages, topic_pages
from focuscrawl.web.accounts import account_pages
from focuscrawl.web.accounts.login_limits import counted_address
from focuscrawl.web.accounts.login_sessions import SessionLookup
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.alarms import alarm_pages, alarm_runner
from focuscrawl.web.articles import article_pages
from focuscrawl.web.crawls import crawl_pages, metrics_page, schedule_pages, start_pages
from focuscrawl.web.error_pages import HANDLERS, http_error
from focuscrawl.web.message_catalogue import LANGUAGES
from focuscrawl.web.page_rendering import LANGUAGE_COOKIE, help_page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices import matrix_pages, morning_pages, quote_pages, series_pages
from focuscrawl.web.prices.price_snapshots import keep_prices
from focuscrawl.web.query_values import local_path
from focuscrawl.web.quotations import quotation_pages, version_pages
from focuscrawl.web.security_headers import SecurityHeaders
from focuscrawl.web.web_site import STATIC_FILES, WebSite

# Limits of the work that requests cause at once: of one visitor, and of all.

_RETRY_SECONDS = 5


class RequestLimits(NamedTuple):
    """Numbers of requests that are worked on at once, and that wait for their turn at most."""

    working: int
    waiting: int


OF_ONE, OF_ALL = RequestLimits(6, 30), RequestLimits(64, 300)
"""A browser sends six requests at once to a server."""
LONGEST_WAIT = 20.0
"""Seconds after which a request that waits for its turn is refused."""


class TooBusyError(Exception):
    """Too many requests wait, or one has waited too long; ``status`` is the one of the response."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Turns:
    """Turns of requests within limits, in the order of their arrival."""

    def __init__(self, limits: RequestLimits, status: int) -> None:
        self._semaphore = asyncio.Semaphore(limits.working)
        self._most = sum(limits)
        self._status = status
        self._count = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request has a turn or waits for one."""
        return self._count == 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and take it; raises TooBusyError if there is none."""
        if self._count >= self._most:
            raise TooBusyError(self._status)
        self._count += 1
        try:
            await self._begin()
            try:
                yield
            finally:
                self._semaphore.release()
        finally:
            self._count -= 1

    async def _begin(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await self._semaphore.acquire()
        except TimeoutError as error:
            raise TooBusyError(self._status) from error


class WorkLimits:
    """Works on a few requests of each visitor at once, up to the last byte of their responses.

    A visitor is a user, or a network address where nobody is logged in. A server without users has
    one visitor, who is not limited.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self._of_all = Turns(OF_ALL, 503)
        self._of_one: dict[tuple[str, str], Turns] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request when it is its turn."""
        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            await self._application(scope, receive, send)
            return
        visitor = self._visitor(scope)
        own = self._of_one.setdefault(visitor, Turns(OF_ONE, 429))
        is_limited = scope["state"]["has_users"]
        first: AbstractAsyncContextManager[None] = own.turn() if is_limited else nullcontext()
        try:
            async with first, self._of_all.turn():
                await self._application(scope, receive, send)
        except TooBusyError as error:
            refusal = HTTPException(error.status, headers={"Retry-After": str(_RETRY_SECONDS)})
            response = await http_error(Request(scope, receive), refusal)
            await response(scope, receive, send)
        finally:
            # Another one's, if a refusal took longer than the work.
            if own.is_idle and self._of_one.get(visitor) is own:
                del self._of_one[visitor]

    @staticmethod
    def _visitor(scope: Scope) -> tuple[str, str]:
        name = scope["state"]["visitor"].name
        address = scope["client"][0] if scope.get("client") else ""
        return name, "" if name else counted_address(address)


# First page, and the choice of the language.

_YEAR = 365 * 24 * 3600


async def first_page(request: Request) -> Response:
    """Lead to the prices."""
    return RedirectResponse("/prices/morning", status_code=303)


async def choose_language(request: Request) -> Response:
    """Remember a language in a cookie."""
    form = await request.form()
    chosen = str(form.get("language"))
    if chosen not in LANGUAGES:
        raise ArgumentError(f"language = {chosen!r}: not one of {', '.join(LANGUAGES)}")
    response = RedirectResponse(local_path(str(form.get("next", "/"))), status_code=303)
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=_YEAR, httponly=True, samesite="lax")
    return response


# The application, with all routes.

_log = logging.getLogger(__name__)
ROUTES: tuple[PageRoute, ...] = (
    PageRoute("/", first_page, Permission.PUBLIC),
    PageRoute("/language", choose_language, Permission.PUBLIC, ("POST",)),
    PageRoute("/help", help_page, Permission.READ),
    *account_pages.ROUTES,
    *quotation_pages.ROUTES,
    *version_pages.ROUTES,
    *search_pages.ROUTES,
    *record_pages.ROUTES,
    *topic_pages.ROUTES,
    *judge_pages.ROUTES,
    *article_pages.ROUTES,
    *crawl_pages.ROUTES,
    *start_pages.ROUTES,
    *schedule_pages.ROUTES,
    *metrics_page.ROUTES,
    *series_pages.ROUTES,
    *matrix_pages.ROUTES,
    *morning_pages.ROUTES,
    *quote_pages.ROUTES,
    *alarm_pages.ROUTES,
)
"""All pages. A path without an entry does not exist."""
_MOST_BYTES = 256 * 1024
"""Size of a request, more than that of any form; parts of a larger one would fill the disk."""
BackgroundTask = Callable[[WebSite], Coroutine[Any, Any, None]]
BACKGROUND: tuple[BackgroundTask, ...] = (
    keep_prices,
    schedule_pages.run_schedules,
    alarm_runner.watch,
    search_pages.keep_texts,
)
"""Work that goes on while the server runs; a task ends with it."""


def create_application(site: WebSite, hosts: Sequence[str]) -> Starlette:
    """Return the application, which responds to the given names of its host only."""
    application = Starlette(
        routes=[
            *(route.route() for route in ROUTES),
            Mount("/static", StaticFiles(directory=STATIC_FILES), name="static"),
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
