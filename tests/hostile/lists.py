"""List pages and articles, as the profile of ``tests.hostile.crawls`` reads them, that are not sane."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.hostile.case import ReceivedRequest, Shelf, Wire, answer, head, html, moved, ok

LISTS = Shelf("list")
_NUMBER = re.compile(r"\d+")
_INJECTIONS = (
    "=cmd|'/C calc'!A0", "=HYPERLINK(\"http://evil.test\")", "+1+1", "-2+3", "@SUM(1)", "'; DROP TABLE articles; --", '" OR 1=1 --',
    "<script>alert(1)</script>", "{{7*7}}", "${HOME}", "%s%n%d", "$(reboot)", "`id`", "\\", "../../etc/passwd", "\x00", "a\x00b", "😀👨‍👩‍👧", "\ud83d",
    "\r\nX: y", "NULL", "nan", "1e999", "\u202e价格", "_x0041_", "[red]1", "a" * 40_000, "", " ", "\ufffe",
)  # fmt: skip


def _entry(url: str, title: str, day: str = "2026-03-05") -> str:
    return f'<li><a href="{url}">{title}</a> <span class="date">{day}</span></li>'


def _list(entries: Iterable[str], after: str = "") -> bytes:
    page = (
        f'<html><meta charset=utf-8><title>x</title><ul class="list">{"".join(entries)}</ul>{after}'
    )
    return ok(page.encode("utf-8", "surrogatepass"))


def _article(body: str = "山东玉米 寿光金玉米 1620元/吨", after: str = "") -> bytes:
    return ok(f'<html><meta charset=utf-8><h1>价格</h1><div class="content">{body}{after}</div>'.encode("utf-8", "surrogatepass"))  # fmt: skip


def _next(url: str) -> str:
    return f'<a href="{url}">下一页</a>'


def _at(request: ReceivedRequest) -> int:
    found = _NUMBER.search(request.path + request.query)
    return int(found[0]) if found else 0


@LISTS.case()
def entries_100000(request: ReceivedRequest) -> Wire:
    """A list of 100,000 entries that lead to ten articles."""
    is_list = "/a/" not in request.path
    yield _list(_entry(f"/a/{n % 10}", f"山东玉米 {n}") for n in range(100_000)) if is_list else _article()  # fmt: skip


@LISTS.case()
def dates(request: ReceivedRequest) -> Wire:
    """Dates that cannot be, or can but just."""
    days = ("0001-01-01", "9999-12-31", "0000-00-00", "2026-02-30", "99999-01-01", "13月32日", "-1", "1970-01-01", "２０２６年３月５日", "2026年" * 9999, "١٢-٣-٤")  # fmt: skip
    yield _list(_entry(f"/a/{n}", f"{day} 玉米", day) for n, day in enumerate(days)) if "/a/" not in request.path else _article()  # fmt: skip


@LISTS.case()
def titles(request: ReceivedRequest) -> Wire:
    """Formulas, injections, NUL and emoji in titles and texts."""
    if "/a/" in request.path:
        yield _article(_INJECTIONS[_at(request) % len(_INJECTIONS)] + " 寿光 1620元/吨")
    else:
        yield _list(_entry(f"/a/{n}", f"{title} 山东玉米") for n, title in enumerate(_INJECTIONS))


@LISTS.case()
def title_1m(request: ReceivedRequest) -> Wire:
    """A title of 1 MB."""
    yield _list([_entry("/a/1", "玉" * 350_000)]) if "/a/" not in request.path else _article()


@LISTS.case()
def text_5m(request: ReceivedRequest) -> Wire:
    """An article of 5 MB in one line of prices."""
    yield _list([_entry("/a/1", "玉米")]) if "/a/" not in request.path else _article("寿光金玉米 1620元/吨，" * 150_000)  # fmt: skip


@LISTS.case()
def next_forward(request: ReceivedRequest) -> Wire:
    """Lists that go on for ever, each with the same entry."""
    yield _list([_entry("/a/1", "玉米")], _next(f"/list/{_at(request) + 1}")) if "/a/" not in request.path else _article()  # fmt: skip


@LISTS.case()
def next_back(request: ReceivedRequest) -> Wire:
    """A list whose next page is the one before."""
    yield _list([_entry("/a/1", "玉米")], _next("/b" if request.path != "/b" else "/")) if "/a/" not in request.path else _article()  # fmt: skip


@LISTS.case()
def pages_10000(request: ReceivedRequest) -> Wire:
    """An article of 10,000 pages."""
    yield _list([_entry("/a/1", "玉米")]) if "/a/" not in request.path else _article(after=_next(f"/a/{_at(request) + 1}"))  # fmt: skip


@LISTS.case()
def pages_loop(request: ReceivedRequest) -> Wire:
    """An article whose pages lead in a circle, by another spelling each time."""
    yield _list([_entry("/a/1", "玉米")]) if "/a/" not in request.path else _article(after=_next(f"/a/{3 - _at(request)}?"))  # fmt: skip


@LISTS.case()
def links_odd(request: ReceivedRequest) -> Wire:
    """Entries that lead to no page."""
    urls = ("javascript:void(0)", "file:///etc/passwd", "data:,x", "http://[", "//", "#", "", "mailto:a@b", "http://a:b/", "\x00", "tel:1", "/a/1")  # fmt: skip
    yield _list(_entry(url, f"玉米 {n}") for n, url in enumerate(urls)) if "/a/" not in request.path else _article()  # fmt: skip


def _articles(name: str, what: str, raw: bytes) -> None:
    def serve(request: ReceivedRequest) -> Wire:
        yield (
            raw if "/a/" in request.path else _list(_entry(f"/a/{n}", f"玉米 {n}") for n in (1, 2))
        )

    LISTS.add(f"article-{name}", what, serve)


_articles("304", "304 to a request without a condition", head("304 Not Modified"))
_articles("empty", "200 and nothing", ok(b""))
_articles("204", "204", head("204 No Content"))
_articles("206", "206", answer("206 Partial Content", html()[:300], "Content-Range: bytes 0-299/9"))
_articles("100", "100 Continue, then a page", b"HTTP/1.1 100 Continue\r\n\r\n" + _article())
_articles("image", "an image", ok(b"\x89PNG" + bytes(5000), kind="image/png"))
_articles("home", "a redirect to the list", moved("/"))
_articles("wall", "a captcha", ok("<html><h1>请输入验证码</h1>".encode()))
