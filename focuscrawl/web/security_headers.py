"""Middleware that refuses requests of other sites and adds the headers that limit a page's rights."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of each response."""
NOT_KEPT = {"Cache-Control": "no-store"}
"""Header of each response but static files."""


class SecurityHeaders:
    """Refuses unsafe requests that another site sends, as Go 1.25 does, and adds headers."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", NOT_KEPT["Cache-Control"])
            await send(message)

        if scope["method"] in _SAFE_METHODS or _is_same_origin(Headers(scope=scope)):
            await self._application(scope, receive, send_with_headers)
        else:
            refusal = PlainTextResponse("A request from another site is refused.\n", 403)
            await refusal(scope, receive, send_with_headers)


def _is_same_origin(headers: Headers) -> bool:
    if site := headers.get("sec-fetch-site"):
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")
