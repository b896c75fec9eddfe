"""What a hostile case is, and how its answers are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

DOMAIN = "hostile.test"

Wire = Iterator[bytes | float]
"""Bytes to send, and seconds to wait in between; the connection is closed at the end."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request. ``root`` is the URL of the case without the last slash."""

    root: str
    path: str
    query: str
    headers: Mapping[str, str]
    canary: int

    @property
    def is_robots(self) -> bool:
        """Whether robots.txt is requested."""
        return self.path == "/robots.txt"


@dataclass(frozen=True, slots=True)
class Case:
    """Something that a server may do. ``robots`` tells whether the case answers robots.txt itself."""

    name: str
    category: str
    serve: Callable[[ReceivedRequest], Wire]
    what: str
    robots: bool = False

    @property
    def host(self) -> str:
        """The host name of the case."""
        return f"{self.name}.{DOMAIN}"


@dataclass(slots=True)
class Shelf:
    """The cases of one category, as they are declared."""

    category: str
    cases: dict[str, Case] = field(default_factory=dict)

    def add(
        self,
        name: str,
        what: str,
        serve: Callable[[ReceivedRequest], Wire],
        *,
        robots: bool = False,
    ) -> None:
        """Add a case; its name, category first, is a label of a host name."""
        name = f"{self.category}-{name}"
        assert name not in self.cases, name
        self.cases[name] = Case(name, self.category, serve, what, robots)

    def case(
        self, **options: Any
    ) -> Callable[[Callable[[ReceivedRequest], Wire]], Callable[[ReceivedRequest], Wire]]:
        """Add a function as a case: called as it is, described by its docstring."""

        def added(serve: Callable[[ReceivedRequest], Wire]) -> Callable[[ReceivedRequest], Wire]:
            name = serve.__name__.strip("_").replace("_", "-")
            self.add(name, (serve.__doc__ or "").strip().rstrip("."), serve, **options)
            return serve

        return added

    def pages(self, pages: Mapping[str, tuple[str, Callable[[], bytes]]]) -> None:
        """Add cases that answer every URL with one page: what it is, and a maker of its middle."""
        for name, (what, middle) in pages.items():
            self.add(name, what, _always(middle))

    def answers(self, answers: Mapping[str, tuple[str, bytes]]) -> None:
        """Add cases that answer every URL with the same bytes."""
        for name, (what, raw) in answers.items():
            self.add(name, what, _bytes(raw))


def _always(middle: Callable[[], bytes]) -> Callable[[ReceivedRequest], Wire]:
    # Once: nobody else is served while a page is made.
    made = cache(lambda: ok(html(middle())))

    def serve(request: ReceivedRequest) -> Wire:
        yield made()

    return serve


def _bytes(raw: bytes) -> Callable[[ReceivedRequest], Wire]:
    def serve(request: ReceivedRequest) -> Wire:
        yield raw

    return serve


# What each spider looks for, so that each of them goes on to read and to follow the page.
_BEFORE = (
    "<!DOCTYPE html><html><head><title>2026年3月5日山东玉米价格 神经网络</title></head><body>"
    '<ul class="list"><li><a href="/a/1">2026年3月5日山东玉米收购价格</a> <span class="date">2026-03-05</span></li></ul>'
    '<p><a href="/contact">联系我们</a> <a href="/next">神经网络 梯度下降</a></p>'
    '<h1>神经网络</h1><div class="content"><p>神经网络 的 训练 用 梯度下降, 神经网络 与 梯度下降。</p>'
).encode()
_AFTER = '</div><p>公司名称：敌意有限公司 地址：成都市人民南路1号 电话：028-85550000</p></body></html>'.encode()  # fmt: skip


def html(middle: bytes = b"") -> bytes:
    """Return a page that every spider reads and follows, with something in its body."""
    return _BEFORE + middle + _AFTER


def links(urls: Iterable[str], text: str = "神经网络") -> bytes:
    """Return links to be put into a page."""
    return "\n".join(f'<a href="{url}">{text} {at}</a>' for at, url in enumerate(urls)).encode("utf-8", "surrogatepass")  # fmt: skip


def ok(body: bytes, *headers: str, kind: str = "text/html; charset=utf-8") -> bytes:
    """Return a whole answer with status 200."""
    return answer("200 OK", body, *headers, kind=kind)


def answer(status: str, body: bytes, *headers: str, kind: str = "text/html; charset=utf-8") -> bytes:  # fmt: skip
    """Return a whole answer; ``kind`` is its Content-Type, ``""`` for none."""
    lines = [f"Content-Length: {len(body)}", *headers]
    return head(status, *lines, kind=kind) + body


def head(status: str, *headers: str, kind: str = "text/html; charset=utf-8") -> bytes:
    """Return status line and headers alone, as Latin-1 or else UTF-8."""
    lines = [f"HTTP/1.1 {status}", *headers, "Connection: close"]
    if kind:
        lines.insert(1, f"Content-Type: {kind}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def moved(location: str, status: str = "302 Found") -> bytes:
    """Return a redirect."""
    return answer(status, b"", f"Location: {location}")
