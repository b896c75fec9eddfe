"""Routes of the web views; each names the permission that it requires."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.query_values import with_query

_IN_PARTS = "multipart/"
"""Media types of forms with files, which no page has; their encodings give texts that cannot be stored."""
_DIGITS = 9
"""Digits of a number in a path, at most; no database has a number for more."""


class _NumberConvertor(Convertor[int]):
    regex = f"[0-9]{{1,{_DIGITS}}}"

    def convert(self, value: str) -> int:
        """Return the number of a path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return a number for a path."""
        return str(value)


register_url_convertor("number", _NumberConvertor())

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A path, the function that answers its requests, and the permission that it requires."""

    path: str
    endpoint: Endpoint
    permission: Permission
    methods: tuple[str, ...] = ("GET",)

    def route(self) -> Route:
        """Return the route of Starlette, which checks the permission."""
        return Route(self.path, self._checked, methods=list(self.methods))

    async def _checked(self, request: Request) -> Response:
        visitor = request.state.visitor
        if visitor.may(self.permission):
            if request.headers.get("content-type", "").lower().startswith(_IN_PARTS):
                raise HTTPException(400)
            return await self.endpoint(request)
        if visitor.name or not request.state.has_users:
            raise HTTPException(403)
        if request.method != "GET":
            raise HTTPException(401)
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return redirected(request, with_query("/login", next=asked))


def is_part(request: Request) -> bool:
    """Return whether htmx fetches a part of a page again, which an answer of another kind does not have."""
    return "hx-request" in request.headers and "hx-boosted" not in request.headers


def redirected(request: Request, path: str) -> Response:
    """Return the redirection of a GET; where a page fetches a part of itself, it is loaded as a whole."""
    if is_part(request):
        return Response(headers={"HX-Refresh": "true"})
    return RedirectResponse(path, status_code=303)
