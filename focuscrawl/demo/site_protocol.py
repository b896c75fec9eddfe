"""Protocol between the demo server and a site: requests, responses and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from focuscrawl.demo.article_truth import ArticleTruth


@dataclass(frozen=True, slots=True)
class Response:
    """A status, headers without Content-Length, and the complete body.

    ``fault`` is a deliberate fault of the server: ``hang`` sends nothing until the client
    disconnects, ``cut`` closes the connection in the middle of the body.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: Literal["", "hang", "cut"] = ""


class Site(Protocol):
    """One host of the demo web."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET; ``path`` is as sent, header names are lower case."""

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return the content of each listed article by URL; empty if there are none."""


def plain(status: int, text: str, **headers: str) -> Response:
    """Return a short plain-text response; ``headers`` are written with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {"Content-Type": "text/plain", **named}, f"{text}\n".encode())


def not_found() -> Response:
    """Return a 404."""
    return plain(404, "no such page in the demo web")
