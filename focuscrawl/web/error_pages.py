"""Pages for errors: an unknown address, a missing permission, a store that does not answer."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import monotonic
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from focuscrawl.errors import ArgumentError, FocuscrawlError, StoreError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.message_catalogue import catalogue
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import is_part
from focuscrawl.web.query_values import local_path
from focuscrawl.web.security_headers import HEADERS, NOT_KEPT
from focuscrawl.web.web_site import site_of

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 10
_LONG_WAIT = 60
"""Seconds from which on a page says until when one has to wait."""
_FORM = "application/x-www-form-urlencoded"
_SECRETS = {"password", "old", "new"}
_NOT_TYPED = {"state", "shown", "next", "action", "spider", "article"}
"""Fields of forms that nobody types into."""
_SENT_AGAIN = (401, 429, 500, 502, 503)
PARTS = ("/prices", "/search", "/articles", "/crawls", "/alarms", "/users", "/log")
"""Front pages of the parts of the web views."""
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
    if error.status_code == 404 and _fetches_itself(request):
        # A run, say, that is deleted while somebody looks at it: the page says so as a whole.
        return Response(headers={"HX-Refresh": "true"})
    wait = int((error.headers or {}).get("Retry-After", "0"))
    response = await _error_page(request, error.status_code, "", wait)
    response.headers.update(error.headers or {})
    return response


def _fetches_itself(request: Request) -> bool:
    shown = _address_in(request, "hx-current-url").path
    return is_part(request) and unquote(shown) == request.url.path


async def wrong_value(request: Request, error: Exception) -> Response:
    """Return the page for a value that cannot be used."""
    return await _error_page(request, 400, str(error))


async def store_away(request: Request, error: Exception) -> Response:
    """Return the page for a store that does not answer; it loads itself again.

    The reason names the server of the database, which is not for strangers.
    """
    log_problem(str(error))
    is_told = request.state.visitor.may(Permission.READ)
    reason = (site_of(request).problem or str(error)) if is_told else ""
    return await _error_page(request, 503, reason)


async def server_error(request: Request, error: Exception) -> Response:
    """Return the page for an error of ours, which the log has with its traceback."""
    _log.error("%s %r failed", request.method, request.url.path, exc_info=error)
    response = await _error_page(request, 500, "")
    # This page is made outside of the middleware that adds them.
    response.headers.update(HEADERS | NOT_KEPT)
    return response


async def _error_page(request: Request, status: int, reason: str, wait: int = 0) -> Response:
    key = f"errors.{status}" if f"errors.{status}" in catalogue() else "errors.other"
    # What is too large has been read in part, and the rest may never come.
    typed = await _typed(request) if status != 413 else []
    values = {
        "key": key,
        "status": status,
        "reason": masked(reason),
        "back": _back(request),
        "until": datetime.now(UTC) + timedelta(seconds=wait + 59) if wait >= _LONG_WAIT else None,
        "typed": [(name, text) for name, text in typed if name not in _NOT_TYPED],
        # What somebody else has changed is not overwritten.
        "sent": typed if status in _SENT_AGAIN else [],
    }
    response = page(request, "error.html", values, status)
    if status == 503:
        response.headers["Retry-After"] = str(_RETRY_SECONDS)
        if request.method == "GET":
            response.headers["Refresh"] = str(_RETRY_SECONDS)
    return response


async def _typed(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form that was sent, none of one with a password."""
    if request.method != "POST" or not request.headers.get("content-type", "").startswith(_FORM):
        return []
    try:
        fields = [(name, str(text)) for name, text in (await request.form()).multi_items()]
    except (ClientDisconnect, HTTPException, RuntimeError):
        return []
    return [] if _SECRETS.intersection(name for name, _ in fields) else fields


def _back(request: Request) -> str:
    """Return the page of this server that a visitor comes from, else the front page of this part."""
    came = _address_in(request, "referer")
    is_other = request.method == "POST" or came.path != request.url.path
    if came.netloc == request.url.netloc and is_other:
        return local_path(urlunsplit(("", "", came.path, came.query, "")))
    part = f"/{request.url.path.split('/')[1]}"
    return part if part in PARTS and part != request.url.path else "/"


def _address_in(request: Request, header: str) -> SplitResult:
    try:
        return urlsplit(request.headers.get(header, ""))
    except ValueError:
        return urlsplit("")


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
