"""One community as a site: its pages by path, and the truth about each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from focuscrawl.demo.article_truth import ArticleTruth
from focuscrawl.demo.communities.community_articles import MISCELLANY, TAGS, Shelf
from focuscrawl.demo.communities.community_map import Community, Role
from focuscrawl.demo.communities.community_pages import Pages, pages_of
from focuscrawl.demo.site_protocol import Response, not_found, plain
from focuscrawl.text.chinese_script import traditional

_ROUTES = {
    "home": r"/(?:page/([2-9]|[1-9]\d{1,3})/)?",
    "category": r"/category/(\d)/(?:page/([2-9]|[1-9]\d{1,3})/)?",
    "tag": r"/tag/(\d{1,2})/",
    "tags": r"/tags/",
    "archive": r"/archive/",
    "links": r"/links\.html",
    "about": r"/about\.html",
    "post": r"/post/([1-9]\d{0,4})\.html",
    "short": r"/p/([1-9]\d{0,4})",
    "download": r"/download/([1-9]\d{0,4})",
    "robots": r"/robots\.txt",
    "admin": r"/admin/",
}
_PATTERNS = {name: re.compile(pattern, re.ASCII) for name, pattern in _ROUTES.items()}
_NO_PAGES = ("robots", "admin", "short", "download")
_ENCODINGS = {"utf-8": "utf-8", "gb2312": "gb18030", "big5": "big5"}


class Kind(StrEnum):
    """Kind of a page."""

    POST = "post"
    HUB = "hub"
    OTHER = "other"


class PageTruth(NamedTuple):
    """Kind of a page, and its relevance. A hub is relevant if most of its posts are."""

    url: str
    kind: Kind
    relevant: bool


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    first: int = 1
    second: int = 1


class CommunitySite:
    """One community; it is the same every day."""

    def __init__(self, seed: int, topic: str, own: Community, everybody: list[Community]) -> None:
        self._own = own
        self._shelf = Shelf(seed, topic, own)
        self._pages = Pages(seed, self._shelf, everybody)

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET. Queries are ignored."""
        place = self._place(path)
        match place:
            case None:
                return not_found()
            case _Place("robots"):
                return Response(
                    200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /admin/\n"
                )
            case _Place("admin"):
                return plain(403, "staff only")
            case _Place("short", number):
                return Response(301, {"Location": f"/post/{number}.html"})
            case _Place("download"):
                return Response(
                    200, {"Content-Type": "application/pdf"}, b"%PDF-1.4\n" + bytes(512)
                )
            case _:
                return self._html(self._write(place))

    def turn_to(self, today: date) -> None:
        """Do nothing, since the site is the same every day."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing, since these articles have no prices."""
        return {}

    def page_truth(self, path: str) -> PageTruth | None:
        """Return kind and relevance of the page at a path, None if there is no page."""
        place = self._place(path)
        if place is None or place.name in _NO_PAGES:
            return None
        return PageTruth(self._own.home.rstrip("/") + path, *self._judge(place))

    def paths(self) -> Iterator[str]:
        """Yield the paths of all reachable pages."""
        yield from ("/", "/tags/", "/archive/", "/links.html", "/about.html")
        yield from (f"/tag/{tag}/" for tag in range(TAGS))
        yield from (f"/page/{n}/" for n in range(2, pages_of(self._shelf.numbers) + 1))
        for category in range(MISCELLANY + 1):
            yield f"/category/{category}/"
            pages = pages_of(self._shelf.in_category(category))
            yield from (f"/category/{category}/page/{n}/" for n in range(2, pages + 1))
        yield from (f"/post/{number}.html" for number in self._shelf.numbers)

    def _place(self, path: str) -> _Place | None:
        for name, pattern in _PATTERNS.items():
            if match := pattern.fullmatch(path):
                numbers = [int(digits or 1) for digits in match.groups()]
                place = _Place(name, *numbers)
                return place if self._exists(place) else None
        return None

    def _exists(self, place: _Place) -> bool:
        match place:
            case _Place("home", number):
                return number <= pages_of(self._shelf.numbers)
            case _Place("category", category, number):
                known = category <= MISCELLANY
                return known and number <= pages_of(self._shelf.in_category(category))
            case _Place("tag", tag):
                return tag < TAGS
            case _Place("post" | "short" | "download", number):
                return number <= self._shelf.count
        return True

    def _judge(self, place: _Place) -> tuple[Kind, bool]:
        is_topical = self._own.role is Role.TOPICAL
        match place:
            case _Place("post", number):
                return Kind.POST, self._shelf.is_relevant(number)
            case _Place("category", category):
                return Kind.HUB, is_topical and category != MISCELLANY
            case _Place("home" | "tag" | "tags" | "archive"):
                return Kind.HUB, is_topical
        return Kind.OTHER, False

    def _write(self, place: _Place) -> str:
        pages = self._pages
        match place:
            case _Place("home", number):
                return pages.home(number)
            case _Place("category", category, number):
                return pages.category(category, number)
            case _Place("tag", tag):
                return pages.tag(tag)
            case _Place("post", number):
                return pages.post(number)
        single = {"tags": pages.tags, "archive": pages.archive, "links": pages.links}
        return single.get(place.name, pages.about)()

    def _html(self, page: str) -> Response:
        charset = self._own.charset
        if charset == "big5":
            page = traditional(page)
        body = page.encode(_ENCODINGS[charset], "xmlcharrefreplace")
        return Response(200, {"Content-Type": "text/html"}, body)
