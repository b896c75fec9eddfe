"""Answers that do not end, come slowly, or break off."""

from __future__ import annotations

from itertools import count

from tests.hostile.case import ReceivedRequest, Shelf, Wire, answer, head, html, ok

BODIES = Shelf("body")
PAGE = html()
_CHUNKED = head("200 OK", "Transfer-Encoding: chunked")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@BODIES.case()
def endless(_request: ReceivedRequest) -> Wire:
    """A body that never ends, as fast as it is taken."""
    yield head("200 OK") + PAGE
    while True:
        yield "<p>神经网络</p>".encode() * 4000


@BODIES.case()
def endless_chunks(_request: ReceivedRequest) -> Wire:
    """Chunks without end."""
    yield _CHUNKED + _chunk(PAGE)
    while True:
        yield _chunk(b"<p>x</p>" * 4000)


@BODIES.case()
def tiny_chunks(_request: ReceivedRequest) -> Wire:
    """Chunks of one byte without end."""
    yield _CHUNKED + _chunk(PAGE)
    while True:
        yield b"1\r\nx\r\n" * 4000


@BODIES.case()
def byte_a_second(_request: ReceivedRequest) -> Wire:
    """A byte a second."""
    yield head("200 OK")
    for byte in PAGE:
        yield bytes([byte])
        yield 1.0


@BODIES.case()
def headers_slow(_request: ReceivedRequest) -> Wire:
    """A header every half second, for ever."""
    yield b"HTTP/1.1 200 OK\r\n"
    for number in count():
        yield b"X-%d: 1\r\n" % number
        yield 0.5


@BODIES.case()
def headers_endless(_request: ReceivedRequest) -> Wire:
    """Headers without end, as fast as they are taken."""
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X-Header: 0123456789\r\n" * 3000


@BODIES.case()
def header_endless(_request: ReceivedRequest) -> Wire:
    """One header without end."""
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    while True:
        yield b"0123456789" * 6000


@BODIES.case()
def status_endless(_request: ReceivedRequest) -> Wire:
    """A status line without end."""
    yield b"HTTP/1.1 200 "
    while True:
        yield b"OK " * 20_000


@BODIES.case()
def silent(_request: ReceivedRequest) -> Wire:
    """Nothing at all."""
    while True:
        yield 60.0


@BODIES.case()
def stalls(_request: ReceivedRequest) -> Wire:
    """Half a page, then nothing."""
    yield head("200 OK", f"Content-Length: {len(PAGE)}") + PAGE[:200]
    while True:
        yield 60.0


@BODIES.case()
def stalls_in_headers(_request: ReceivedRequest) -> Wire:
    """Half of the headers, then nothing."""
    yield b"HTTP/1.1 200 OK\r\nContent-Ty"
    while True:
        yield 60.0


@BODIES.case()
def stalls_at_end(_request: ReceivedRequest) -> Wire:
    """A whole page without a length, and the connection stays open."""
    yield head("200 OK") + PAGE
    while True:
        yield 60.0


@BODIES.case()
def continues(_request: ReceivedRequest) -> Wire:
    """A thousand times 100 Continue before the page."""
    yield b"HTTP/1.1 100 Continue\r\n\r\n" * 1000 + ok(PAGE)


@BODIES.case()
def continues_endless(_request: ReceivedRequest) -> Wire:
    """100 Continue without end."""
    while True:
        yield b"HTTP/1.1 100 Continue\r\n\r\n" * 100
        yield 0.2


_half = len(PAGE) // 2
BODIES.answers({
    "closes": ("no answer, closed", b""),
    "closes-in-status": ("half a status line", b"HTTP/1.1 20"),
    "closes-in-headers": ("half of the headers", b"HTTP/1.1 200 OK\r\nContent-Ty"),
    "dropped": ("half a page", head("200 OK", f"Content-Length: {len(PAGE)}") + PAGE[:_half]),
    "length-too-long": ("a length of 1 GB", head("200 OK", "Content-Length: 1000000000") + PAGE),
    "length-too-short": ("more than the length says", head("200 OK", "Content-Length: 100") + PAGE),
    "length-zero": ("a length of 0, and a page", head("200 OK", "Content-Length: 0") + PAGE),
    "length-negative": ("a negative length", head("200 OK", "Content-Length: -5") + PAGE),
    "length-nonsense": ("a length that is no number", head("200 OK", "Content-Length: ten") + PAGE),
    "length-huge": ("a length of 30 digits", head("200 OK", "Content-Length: " + "9" * 30) + PAGE),
    "lengths-two": ("two lengths", head("200 OK", "Content-Length: 5", f"Content-Length: {len(PAGE)}") + PAGE),
    "length-and-chunks": ("a length and chunks", head("200 OK", "Content-Length: 5", "Transfer-Encoding: chunked") + _chunk(PAGE) + b"0\r\n\r\n"),
    "chunk-size-nonsense": ("a chunk of size xyz", _CHUNKED + b"xyz\r\n" + PAGE),
    "chunk-size-negative": ("a chunk of size -1", _CHUNKED + b"-1\r\n" + PAGE),
    "chunk-size-huge": ("a chunk of size FFFFFFFFFFFFFFFF", _CHUNKED + b"FFFFFFFFFFFFFFFF\r\n" + PAGE),
    "chunk-size-long": ("a chunk size of 1 MB", _CHUNKED + b"0" * 1_000_000 + b"5\r\n" + PAGE),
    "chunk-extension": ("a chunk extension of 1 MB", _CHUNKED + b"5;" + b"x" * 1_000_000 + b"\r\n<p>ab\r\n0\r\n\r\n"),
    "chunk-without-end": ("no last chunk", _CHUNKED + _chunk(PAGE)),
    "chunk-not-ended": ("no line break behind a chunk", _CHUNKED + b"5\r\n<p>abXX0\r\n\r\n"),
    "encoding-unknown": ("an unknown transfer encoding", head("200 OK", "Transfer-Encoding: rot13") + PAGE),
    "garbage-behind": ("another answer behind the first", ok(PAGE) + answer("500 Oops", b"x") + b"\0" * 5000),
    "noise": ("random bytes", bytes(range(256)) * 40),
    "tls": ("a TLS alert", b"\x15\x03\x01\x00\x02\x02\x46"),
    "ssh": ("another protocol", b"SSH-2.0-OpenSSH_9.6\r\n"),
})  # fmt: skip
