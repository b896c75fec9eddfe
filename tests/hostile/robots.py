"""What may stand where robots.txt should be; the pages themselves are harmless."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from tests.hostile.bombs import MEGABYTE
from tests.hostile.case import ReceivedRequest, Shelf, Wire, answer, head, html, links, moved, ok

ROBOTS = Shelf("robots")
_ALL = "User-agent: *\n"
_TEXT = "text/plain"
_PAGE = ok(html(links(f"/page{number}" for number in range(3))))


def _add(name: str, what: str, rules: Callable[[ReceivedRequest], Wire]) -> None:
    def serve(request: ReceivedRequest) -> Wire:
        if request.is_robots:
            yield from rules(request)
        else:
            yield _PAGE

    ROBOTS.add(name, what, serve, robots=True)


def _says(name: str, what: str, raw: bytes) -> None:
    _add(name, what, lambda _request: iter([raw]))


def _rules(name: str, what: str, rules: str) -> None:
    _says(name, what, ok(rules.encode(), kind=_TEXT))


def _silent(_request: ReceivedRequest) -> Wire:
    while True:
        yield 60.0


def _slow(_request: ReceivedRequest) -> Wire:
    yield head("200 OK", kind=_TEXT)
    while True:
        yield b"#"
        yield 1.0


def _endless(_request: ReceivedRequest) -> Wire:
    yield head("200 OK", kind=_TEXT) + _ALL.encode()
    while True:
        yield b"Disallow: /x\n" * 5000


def _packed(_request: ReceivedRequest) -> Wire:
    packer = zlib.compressobj(9, wbits=31)
    body = b"".join([*(packer.compress(b"#" * MEGABYTE) for _ in range(500)), packer.flush()])
    yield ok(body, "Content-Encoding: gzip", kind=_TEXT)


_says("500", "500", answer("500 Oops", b"oops", kind=_TEXT))
_says("503-retry", "503 for thirty years", answer("503 Busy", b"", "Retry-After: 1000000000"))
_says("429", "429", answer("429 Slow down", b"", "Retry-After: 1000000000"))
_says("403", "403", answer("403 Forbidden", b"no", kind=_TEXT))
_says("closed", "no answer", b"")
_says("binary", "random bytes", ok(bytes(range(256)) * 100, kind="application/octet-stream"))
_says("html", "a page", ok(html(), kind="text/html"))
_says("utf16", "UTF-16", ok("User-agent: *\nDisallow: /\n".encode("utf-16"), kind=_TEXT))
_says("loop", "a redirect to itself", moved("/robots.txt"))
_says("private", "a redirect to a private address", moved("http://10.0.0.1/robots.txt"))
_says("metadata", "a redirect to the metadata of a cloud", moved("http://169.254.169.254/latest/"))
_says("file", "a redirect to a file", moved("file:///etc/passwd"))
_add("silent", "no answer, for ever", _silent)
_add("slow", "a byte a second", _slow)
_add("endless", "rules without end", _endless)
_add("gzip", "a gzip bomb", _packed)
_rules("10m", "10 MB of rules", _ALL + "Disallow: /x\n" * 800_000)
_rules("one-line", "a rule of 5 MB", _ALL + "Disallow: /" + "a" * 5_000_000)
_rules("wildcards", "a rule of a hundred wildcards", _ALL + "Disallow: /" + "*a" * 100 + "$")
_rules("delay-1e9", "Crawl-delay: 1000000000", _ALL + "Crawl-delay: 1000000000\n")
_rules("delay-nan", "Crawl-delay: NaN", _ALL + "Crawl-delay: NaN\n")
_rules("delay-inf", "Crawl-delay: inf", _ALL + "Crawl-delay: inf\n")
_rules("delay-negative", "Crawl-delay: -1", _ALL + "Crawl-delay: -1\n")
_rules("delay-digits", "Crawl-delay of 400 digits", _ALL + f"Crawl-delay: {'9' * 400}\n")
_rules("delay-1e400", "Crawl-delay: 1e400", _ALL + "Crawl-delay: 1e400\n")
_rules("rate", "Request-rate of one a year", _ALL + "Request-rate: 1/31536000\n")
_rules("disallow-us", "all is forbidden to us", "User-agent: focuscrawl\nDisallow: /\n")
_rules("disallow-all", "all is forbidden", _ALL + "Disallow: /\n")
_rules("sitemaps", "100,000 site maps", _ALL + "Sitemap: http://127.0.0.1/x.xml\n" * 100_000)
_rules("agents", "100,000 names of robots", "".join(f"User-agent: r{n}\n" for n in range(100_000)) + "Disallow: /\n")  # fmt: skip
