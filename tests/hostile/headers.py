"""Status lines and headers that are too long, too many, contradictory, or no headers at all."""

from __future__ import annotations

import gzip
import io
import zipfile

from tests.hostile.case import ReceivedRequest, Shelf, Wire, answer, head, html, ok

HEADERS = Shelf("header")
PAGE = html()
_RAW = b"Content-Type: text/html\r\nConnection: close\r\n\r\n" + PAGE


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("page.html", PAGE)
    return packed.getvalue()


@HEADERS.case()
def busy_again(request: ReceivedRequest) -> Wire:
    """Answers 503 with another pause each time."""
    pause = "1000000000" if len(request.path) % 2 else "Fri, 31 Dec 2200 23:59:59 GMT"
    yield answer("503 Busy", b"", f"Retry-After: {pause}")


_png = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100
HEADERS.answers({
    "header-100k": ("a header of 100 KB", ok(PAGE, "X-Long: " + "a" * 100_000)),
    "header-10m": ("a header of 10 MB", ok(PAGE, "X-Long: " + "a" * 10_000_000)),
    "headers-10000": ("10,000 headers", ok(PAGE, *(f"X-{n}: {n}" for n in range(10_000)))),
    "headers-same": ("10,000 times the same header", ok(PAGE, *["X-Same: 1"] * 10_000)),
    "status-word": ("a status that is no number", b"HTTP/1.1 abc OK\r\n" + _RAW),
    "status-missing": ("no status", b"HTTP/1.1\r\n" + _RAW),
    "status-000": ("status 000", b"HTTP/1.1 000 Nothing\r\n" + _RAW),
    "status-999": ("status 999", b"HTTP/1.1 999 Request denied\r\n" + _RAW),
    "status-negative": ("status -1", b"HTTP/1.1 -1 Odd\r\n" + _RAW),
    "status-long": ("status of 100 digits", b"HTTP/1.1 " + b"2" * 100 + b" OK\r\n" + _RAW),
    "status-fullwidth": ("a status in other digits", "HTTP/1.1 ２００ OK\r\n".encode() + _RAW),
    "version-9": ("HTTP/9.9", b"HTTP/9.9 200 OK\r\n" + _RAW),
    "version-none": ("no version", b"200 OK\r\n" + _RAW),
    "http-09": ("HTTP/0.9: a page alone", PAGE),
    "http2": ("HTTP/2 without an upgrade", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"),
    "upgrade": ("101 Switching Protocols", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"),
    "line-feeds": ("lines that end in LF alone", b"HTTP/1.1 200 OK\n" + _RAW.replace(b"\r\n", b"\n")),
    "header-nul": ("a NUL in a header", ok(PAGE, "X-Nul: a\x00b", "X\x00Y: 1")),
    "header-bytes": ("other bytes in headers", b"HTTP/1.1 200 \xb3\xc9\xb9\xa6\r\nX-\xc9\xf1: \xff\xfe\r\n" + _RAW),
    "header-no-colon": ("a header without a colon", b"HTTP/1.1 200 OK\r\nnonsense\r\n" + _RAW),
    "header-folded": ("a header over 10,000 lines", b"HTTP/1.1 200 OK\r\nX-Fold: a\r\n" + b" b\r\n" * 10_000 + _RAW),
    "header-empty-name": ("a header without a name", b"HTTP/1.1 200 OK\r\n: x\r\n \r\n" + _RAW),
    "types-two": ("two content types", ok(PAGE, "Content-Type: application/pdf")),
    "type-none": ("no content type", answer("200 OK", PAGE, kind="")),
    "type-nonsense": ("a content type that is none", ok(PAGE, kind="////;;charset==;\"")),
    "type-long": ("a content type of 100 KB", ok(PAGE, kind="text/html; " + "a=b; " * 20_000)),
    "type-image": ("a page that calls itself an image", ok(PAGE, kind="image/png")),
    "image-as-html": ("an image that calls itself a page", ok(_png, kind="text/html")),
    "zip-as-html": ("a ZIP file that calls itself a page", ok(_zip(), kind="text/html")),
    "html-as-zip": ("a page that calls itself a ZIP file", ok(PAGE, kind="application/zip")),
    "pdf-as-html": ("a PDF that calls itself a page", ok(b"%PDF-1.7\n" + bytes(20_000), kind="text/html; charset=gbk")),
    "xml-entities": ("XML with a billion laughs", ok(b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)) + b"]><html><body>&j;</body></html>", kind="application/xhtml+xml")),
    "xml-external": ("XML with a file of this machine", ok(b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><html><body>&a;</body></html>', kind="text/xml")),
    "encoding-nonsense": ("an unknown content encoding", ok(PAGE, "Content-Encoding: nonsense")),
    "encoding-wrong": ("gzip that is none", ok(PAGE, "Content-Encoding: gzip")),
    "encoding-wrong-br": ("Brotli that is none", ok(PAGE, "Content-Encoding: br")),
    "encoding-wrong-zstd": ("Zstandard that is none", ok(PAGE, "Content-Encoding: zstd")),
    "encoding-cut": ("gzip that breaks off", ok(gzip.compress(PAGE)[:-20], "Content-Encoding: gzip")),
    "encoding-tail": ("garbage behind gzip", ok(gzip.compress(PAGE) + b"garbage", "Content-Encoding: gzip")),
    "encoding-hidden": ("gzip that is not declared", ok(gzip.compress(PAGE))),
    "cookies-10000": ("10,000 cookies", ok(PAGE, *(f"Set-Cookie: c{n}={'x' * 50}; Domain=.test" for n in range(10_000)))),
    "retry-1e9": ("Retry-After: 1000000000", answer("503 Busy", b"", "Retry-After: 1000000000")),
    "retry-float": ("Retry-After: 1e9", answer("429 Slow down", b"", "Retry-After: 1e9")),
    "retry-negative": ("Retry-After: -1", answer("503 Busy", b"", "Retry-After: -1")),
    "retry-2200": ("Retry-After in 2200", answer("503 Busy", b"", "Retry-After: Fri, 31 Dec 2200 23:59:59 GMT")),
    "retry-digits": ("Retry-After of 400 digits", answer("503 Busy", b"", "Retry-After: " + "9" * 400)),
    "retry-date": ("Retry-After on a day that is none", answer("503 Busy", b"", "Retry-After: Mon, 32 Foo 99999 25:61:61 GMT")),
    "retry-junk": ("Retry-After: soon", answer("429 Slow down", b"", "Retry-After: soon \xff\x00")),
    "refresh-junk": ("a Refresh header of junk", ok(PAGE, "Refresh: ;;url=;0;http://[")),
    "etag-junk": ("an ETag of 100 KB", ok(PAGE, 'ETag: W/"' + "\x01é" * 30_000)),
    "modified-1970": ("changed in 1970", ok(PAGE, "Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT")),
    "modified-9999": ("changed in 9999", ok(PAGE, "Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT", "Date: Fri, 31 Dec 9999 23:59:59 GMT", "Age: -1", "Expires: 0")),
    "disposition": ("a file name that leads elsewhere", ok(PAGE, "Content-Disposition: attachment; filename=../../../../tmp/x")),
    "range": ("206 without a Range in the request", answer("206 Partial Content", PAGE[:200], "Content-Range: bytes 0-199/100000")),
    "status-204": ("204", head("204 No Content")),
    "status-205": ("205 with a page", answer("205 Reset Content", PAGE)),
    "status-401": ("a login", answer("401 Unauthorized", PAGE, 'WWW-Authenticate: Basic realm="x"')),
    "status-407": ("a proxy login", answer("407 Proxy Authentication Required", PAGE, 'Proxy-Authenticate: Basic realm="x"')),
    "status-451": ("451", answer("451 Unavailable", PAGE)),
    "status-500": ("500 with a page", answer("500 Oops", PAGE)),
    "empty": ("an empty page", ok(b"")),
})  # fmt: skip
