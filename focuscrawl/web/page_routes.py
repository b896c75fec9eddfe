"""Routes of the web views; each names the permission that it requires."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.addresses import with_query

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
            return await self.endpoint(request)
        if visitor.name or not request.state.has_users:
            raise HTTPException(403)
        if request.method != "GET":
            raise HTTPException(401)
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(with_query("/login", next=asked), status_code=303)
