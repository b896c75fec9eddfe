"""Sites without end; each page is harmless."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import md5

from tests.hostile.case import ReceivedRequest, Shelf, Wire, html, links, ok

TRAPS = Shelf("trap")
_NUMBER = re.compile(r"\d+")
# None of the topic's words: a site without end that is about the topic is a site about the topic.
_TEXT = "菜谱"


def _number(text: str) -> int:
    found = _NUMBER.findall(text)
    return int(found[-1]) if found else 0


def _token(request: ReceivedRequest, salt: object = "") -> str:
    return md5(f"{request.root}{request.path}{request.query}{salt}".encode()).hexdigest()


def _plain(urls: list[str], middle: bytes = b"") -> bytes:
    return ok("<html><title>菜谱</title><body><p>红烧排骨要小火慢炖</p>".encode() + middle + links(urls, _TEXT) + b"</body></html>")  # fmt: skip


def _add(name: str, what: str, urls: Callable[[ReceivedRequest], list[str]]) -> None:
    def serve(request: ReceivedRequest) -> Wire:
        yield _plain(urls(request))

    TRAPS.add(name, what, serve)


def _calendar(request: ReceivedRequest) -> list[str]:
    month = _number(request.query)
    return [f"/calendar?month={month + step}" for step in (-1, 1, 12)] + [f"/day/{month}/{day}" for day in range(28)]  # fmt: skip


_add("calendar", "a calendar without end", _calendar)
_add("sessions", "another session id in each link", lambda request: [f"/list;jsessionid={_token(request, n)}?sid={_token(request, n)}" for n in range(20)])  # fmt: skip
_add("hosts", "five more hosts on each page", lambda request: [f"http://{_token(request, n)[:8]}.trap-hosts.hostile.test/" for n in range(5)])  # fmt: skip
_add("hosts-nested", "hosts below hosts", lambda request: [f"http://{letter}.{request.root.removeprefix('http://')}/" for letter in "ab"])  # fmt: skip
_add("paths", "paths that grow", lambda request: ["a/", "b/", "./a/./b/", "../a/a/"])
_add("facets", "every choice of a shop", lambda request: [f"/shop?{request.query}&f{n}={m}" for n in range(10) for m in range(3)])  # fmt: skip
_add("links-100000", "100,000 links on each page", lambda request: [f"/{_token(request)[:4]}/{n}" for n in range(100_000)])  # fmt: skip
_add("links-long", "links of 100 KB", lambda request: [f"/{'a' * 100_000}{n}" for n in range(20)])
_add("hosts-100000", "links to 100,000 hosts", lambda request: [f"http://n{n}.trap-hosts-100000.hostile.test/" for n in range(100_000)] if request.path == "/" else [])  # fmt: skip
_add("same-page", "one page under any URL", lambda request: [f"/same/{_number(request.path) + n}?{n}" for n in range(1, 9)])  # fmt: skip
_add("case", "one page in any spelling", lambda request: [f"/{word}" for word in ("A", "a", "%61", "a?", "a#b", "a/", "a//", "a/.", "A%2F", "a;", "a&amp;")])  # fmt: skip
_add("numbers", "the next number, for ever", lambda request: [f"/post/{_number(request.path) + 1}.html"])  # fmt: skip
_add(
    "queries",
    "queries that grow",
    lambda request: [f"?{request.query}&x={len(request.query)}"],
)
_add("random", "links of chance", lambda request: [f"/{_token(request, n)}" for n in range(50)])


@TRAPS.case()
def soft_404(request: ReceivedRequest) -> Wire:
    """200 for everything, with links to what does not exist."""
    yield _plain([f"/missing/{_token(request, n)[:6]}" for n in range(10)], b"<h1>404</h1>")


@TRAPS.case()
def topical(request: ReceivedRequest) -> Wire:
    """A site about the topic that ends only after 200 pages."""
    number = _number(request.path)
    yield ok(html(links(f"/post/{number * 2 + n}" for n in (1, 2)) if number < 100 else b""))
