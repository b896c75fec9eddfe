"""Protocol between the demo server and a site: requests, responses and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from focuscrawl.demo.article_truth import ArticleTruth


@dataclass(frozen=True, slots=True)
class Response:
    """A status, headers without Content-Length, and the whole body.

    ``fault`` is what the server does wrong on purpose: ``hang`` says nothing until the client
    leaves, ``cut`` breaks off in the middle of the body.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: Literal["", "hang", "cut"] = ""


class Site(Protocol):
    """One host of the demo web."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Answer a GET; ``path`` is as sent, header names are lower case."""

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return what stands in each listed article, by URL; empty if there are none."""


def plain(status: int, text: str, **headers: str) -> Response:
    """Return a short answer in plain English; ``headers`` with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {"Content-Type": "text/plain", **named}, f"{text}\n".encode())


def not_found() -> Response:
    """Return a 404."""
    return plain(404, "no such page in the demo web")
