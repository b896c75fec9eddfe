"""Pages for errors: an unknown address, a missing permission, a store that does not answer."""

from __future__ import annotations

import logging
from functools import lru_cache
from time import monotonic
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from focuscrawl.errors import ArgumentError, FocuscrawlError, StoreError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.message_catalogue import catalogue
from focuscrawl.web.page_rendering import page
from focuscrawl.web.security_headers import HEADERS, NOT_KEPT
from focuscrawl.web.web_site import site_of

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 10
_T = TypeVar("_T")


def existing(found: _T | None) -> _T:
    """Return what was looked up; raises HTTPException 404 where nothing was found."""
    if found is None:
        raise HTTPException(404)
    return found


def log_problem(text: str) -> None:
    """Log what keeps the server from its work, once a minute however many requests meet it."""
    _log_of_minute(text, int(monotonic()) // 60)


@lru_cache(maxsize=16)
def _log_of_minute(text: str, _minute: int) -> None:
    _log.warning("%s", masked(text))


async def http_error(request: Request, error: Exception) -> Response:
    """Return the page of an error of HTTP."""
    assert isinstance(error, HTTPException)
    response = _error_page(request, error.status_code, "")
    response.headers.update(error.headers or {})
    return response


async def wrong_value(request: Request, error: Exception) -> Response:
    """Return the page for a value that cannot be used."""
    return _error_page(request, 400, str(error))


async def store_away(request: Request, error: Exception) -> Response:
    """Return the page for a store that does not answer; it loads itself again.

    The reason names the server of the database, which is not for strangers.
    """
    log_problem(str(error))
    is_told = request.state.visitor.may(Permission.READ)
    return _error_page(request, 503, (site_of(request).problem or str(error)) if is_told else "")


async def server_error(request: Request, error: Exception) -> Response:
    """Return the page for an error of ours, which the log has with its traceback."""
    _log.error("%s %r failed", request.method, request.url.path, exc_info=error)
    response = _error_page(request, 500, "")
    # This page is made outside of the middleware that adds them.
    response.headers.update(HEADERS | NOT_KEPT)
    return response


def _error_page(request: Request, status: int, reason: str) -> Response:
    key = f"errors.{status}" if f"errors.{status}" in catalogue() else "errors.other"
    values = {"key": key, "status": status, "reason": masked(reason)}
    response = page(request, "error.html", values, status)
    if status == 503:
        response.headers["Refresh"] = response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response


async def client_left(request: Request, error: Exception) -> Response:
    """Return the response that nobody gets, because the client left before its request was whole."""
    return Response(status_code=400)


HANDLERS = {
    ClientDisconnect: client_left,
    HTTPException: http_error,
    ArgumentError: wrong_value,
    StoreError: store_away,
    FocuscrawlError: wrong_value,
    Exception: server_error,
}
"""Handler of each kind of error."""
