"""Protocol between the demo server and a site: requests, responses and faults."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b
from typing import Literal, Protocol, TypeVar, runtime_checkable

# Pseudo-random values as hashes of keys, so that they can be computed in any order.

T = TypeVar("T")


def draw(*keys: object) -> float:
    """Return a number in [0, 1) that depends only on the keys."""
    digest = blake2b(repr(keys).encode(), digest_size=7).digest()
    return int.from_bytes(digest, "big") / 2**56


def pick(options: Sequence[T], *keys: object) -> T:
    """Return one of the options, chosen by the keys."""
    return options[int(draw(*keys) * len(options))]


def noise(position: float, *keys: object) -> float:
    """Return smooth noise in [-1, 1]: random at integer positions, interpolated in between."""
    left = math.floor(position)
    share = position - left
    eased = share * share * (3 - 2 * share)
    start, end = draw(*keys, left), draw(*keys, left + 1)
    return 2 * (start + (end - start) * eased) - 1


# True quotes of the demo articles, for tests of the price reader.


@dataclass(frozen=True, slots=True)
class TruthQuote:
    """A price in an article, in yuan per metric ton; ``low == high`` if it is not a range.

    ``mention`` is the name as printed, including the county, without city and province.
    """

    mention: str
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleTruth:
    """An article on the list pages.

    ``title`` is that of the list, ``heading`` that of the article (they differ in script on Big5
    pages). ``encodings`` are the actual codecs of its pages, whatever they declare.
    """

    url: str
    title: str
    heading: str
    published: date
    commodity: str
    stamp: str
    encodings: tuple[str, ...]
    quotes: tuple[TruthQuote, ...]

    @property
    def pages(self) -> int:
        """The number of pages of the article."""
        return len(self.encodings)


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
    """One host of the demo web; by default it is the same each day, and has no prices."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET; ``path`` is as sent, header names are lower case."""

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        return

    def truth(self) -> dict[str, ArticleTruth]:
        """Return the content of each listed article by URL; empty if there are none."""
        return {}


@runtime_checkable
class TakesForms(Protocol):
    """A site that responds to POST, too."""

    def submit(self, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Respond to a POST of a form."""


def plain(status: int, text: str, **headers: str) -> Response:
    """Return a short plain-text response; ``headers`` are written with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {"Content-Type": "text/plain", **named}, f"{text}\n".encode())


def not_found() -> Response:
    """Return a 404."""
    return plain(404, "no such page in the demo web")
