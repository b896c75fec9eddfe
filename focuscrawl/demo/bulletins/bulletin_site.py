"""The bulletin site: list pages, articles of several pages, conditional requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2b

from focuscrawl.demo.article_truth import ArticleTruth
from focuscrawl.demo.bulletins import bulletin_html as templates
from focuscrawl.demo.bulletins import daily_editions as editions
from focuscrawl.demo.bulletins.daily_editions import Bulletin
from focuscrawl.demo.site_protocol import Response, not_found

HOST = "bulletins.demo.test"
ENTRIES_PER_PAGE = 20
EARLIEST_DAY = date(1950, 1, 1)

_CHINA = timezone(timedelta(hours=8))
_STAMP = "%Y-%m-%d %H:%M:%S"
_LIST_PATH = re.compile(r"/list/(?:index_(?P<number>[1-9]\d{0,5})\.html)?", re.ASCII)
_ARTICLE_PATH = re.compile(r"/news/(?P<day>\d{8})(?P<kind>\d)(?:_(?P<page>[2-9]))?\.html", re.ASCII)
_HTML = "text/html"
_DAYS_BETWEEN_PINNED_ENTRIES = 5


@dataclass(frozen=True, slots=True)
class _Entry:
    day: date
    kind: int


class BulletinSite:
    """A year (or any number of days) of price bulletins, in GB2312 except for a few pages.

    Each day, new bulletins appear at the top, the main bulletin of two days ago is corrected, and
    the early report of three days ago is withdrawn. Days before the first listed one stay online
    without being listed.
    """

    def __init__(self, seed: int, days: int, today: date) -> None:
        self._seed = seed
        self._first_day = today - timedelta(days=days - 1)
        self._compose = lru_cache(maxsize=256)(editions.compose)
        self.turn_to(today)

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self._today = today
        self._entries = self._list_entries()

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET. Queries are ignored; header names are lower case."""
        if path == "/":
            return _html(templates.page("演示粮网", "<h1>演示粮网</h1>"))
        if path == "/robots.txt":
            return Response(
                200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"
            )
        if path == "/private/":
            return _html(templates.page("编辑入口", "<h1>仅供编辑</h1>"))
        if match := _LIST_PATH.fullmatch(path):
            return self._list_page(int(match["number"] or 1))
        if match := _ARTICLE_PATH.fullmatch(path):
            return self._article_page(match, headers)
        return not_found()

    def truth(self) -> dict[str, ArticleTruth]:
        """Return the content of each listed article by URL."""
        return {
            f"http://{HOST}{_article_path(e.day, e.kind)}": self._truth_of(e) for e in self._entries
        }

    def _list_entries(self) -> list[_Entry]:
        entries = []
        day = self._today
        while day >= self._first_day:
            of_day = [_Entry(day, kind) for kind in editions.kinds_of_day(day, self._today)]
            if day.toordinal() % _DAYS_BETWEEN_PINNED_ENTRIES == 0:
                of_day.append(_Entry(day, editions.MAIN))
            entries += of_day
            day -= timedelta(days=1)
        return entries

    def _list_page(self, number: int) -> Response:
        # Each page repeats the last entry of the page before, as if a new entry had shifted them.
        step = ENTRIES_PER_PAGE - 1
        pages = max(1, -(-(len(self._entries) - 1) // step))
        if number > pages:
            return not_found()
        start = (number - 1) * step
        items = [self._item(entry) for entry in self._entries[start : start + ENTRIES_PER_PAGE]]
        body = templates.list_body(items, number, pages, len(self._entries))
        return _html(templates.page("收购行情", body))

    def _item(self, entry: _Entry) -> str:
        title = editions.title_of(self._seed, entry.day, entry.kind)
        updated = editions.updated_at(self._seed, entry.day, entry.kind, self._today)
        return templates.link_item(
            _article_path(entry.day, entry.kind), f"{entry.day:%m-%d}", title, f"{updated:{_STAMP}}"
        )

    def _article_page(self, match: re.Match[str], headers: Mapping[str, str]) -> Response:
        day, kind, number = _parse_day(match["day"]), int(match["kind"]), int(match["page"] or 1)
        if day is None or not EARLIEST_DAY <= day <= self._today:
            return not_found()
        if kind not in editions.kinds_of_day(day, self._today):
            return not_found()
        bulletin = self._compose(self._seed, day, kind, self._today)
        if number > len(bulletin.pages):
            return not_found()
        body = _render(bulletin, number)
        return _conditional(body, bulletin.updated.replace(tzinfo=_CHINA), headers)

    def _truth_of(self, entry: _Entry) -> ArticleTruth:
        bulletin = self._compose(self._seed, entry.day, entry.kind, self._today)
        return ArticleTruth(
            url=f"http://{HOST}{_article_path(entry.day, entry.kind)}",
            title=bulletin.title,
            heading=bulletin.heading,
            published=entry.day,
            commodity=bulletin.commodity,
            stamp=f"{bulletin.updated:{_STAMP}}",
            encodings=bulletin.encodings,
            quotes=tuple(q for page in bulletin.pages for block in page for q in block.quotes),
        )


def _render(bulletin: Bulletin, number: int) -> bytes:
    words = templates.TRADITIONAL if bulletin.charset == "big5" else templates.SIMPLIFIED
    info = (
        f"{words.published}：{bulletin.published:{_STAMP}} "
        f"{words.updated}：{bulletin.updated:{_STAMP}}"
    )
    hrefs = [
        _article_path(bulletin.day, bulletin.kind, n) for n in range(1, len(bulletin.pages) + 1)
    ]
    blocks = [block.html for block in bulletin.pages[number - 1]]
    pager = templates.article_pager(hrefs, number)
    body = templates.article_body(bulletin.heading, info, blocks, pager)
    html = templates.page(bulletin.heading, body, bulletin.charset, words)
    return html.encode(bulletin.encodings[number - 1])


def _article_path(day: date, kind: int, number: int = 1) -> str:
    return f"/news/{day:%Y%m%d}{kind}{'' if number == 1 else f'_{number}'}.html"


def _parse_day(digits: str) -> date | None:
    try:
        return datetime.strptime(digits, "%Y%m%d").date()
    except ValueError:
        return None


def _html(page: str) -> Response:
    return Response(200, {"Content-Type": _HTML}, page.encode("gb2312"))


def _conditional(body: bytes, changed: datetime, headers: Mapping[str, str]) -> Response:
    etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
    last_modified = changed.astimezone(UTC)
    validators = {
        "ETag": etag,
        "Last-Modified": format_datetime(last_modified, usegmt=True),
    }
    if _is_fresh(etag, last_modified, headers):
        return Response(304, validators, b"")
    return Response(200, {"Content-Type": _HTML, **validators}, body)


def _is_fresh(etag: str, last_modified: datetime, headers: Mapping[str, str]) -> bool:
    # RFC 9110, section 13.2.2: If-Modified-Since is ignored if If-None-Match is present.
    if (wanted := headers.get("if-none-match")) is not None:
        held = [tag.strip().removeprefix("W/") for tag in wanted.split(",")]
        return "*" in held or etag in held
    try:
        return last_modified <= parsedate_to_datetime(headers["if-modified-since"])
    except (KeyError, ValueError, TypeError):
        return False
