"""First page, and the choice of the language."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.addresses import local_path
from focuscrawl.web.message_catalogue import LANGUAGES
from focuscrawl.web.page_rendering import LANGUAGE_COOKIE
from focuscrawl.web.page_routes import PageRoute

_YEAR = 365 * 24 * 3600


async def first_page(request: Request) -> Response:
    """Lead to the prices."""
    return RedirectResponse("/prices", status_code=303)


async def choose_language(request: Request) -> Response:
    """Remember a language in a cookie."""
    form = await request.form()
    chosen = str(form.get("language"))
    if chosen not in LANGUAGES:
        raise ArgumentError(f"language = {chosen!r}: not one of {', '.join(LANGUAGES)}")
    response = RedirectResponse(local_path(str(form.get("next", "/"))), status_code=303)
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=_YEAR, httponly=True, samesite="lax")
    return response


ROUTES = (
    PageRoute("/", first_page, Permission.PUBLIC),
    PageRoute("/language", choose_language, Permission.PUBLIC, ("POST",)),
)
