"""A server on 127.0.0.1 that sends what no server should send, byte by byte as it stands here."""

from __future__ import annotations

import gzip
import socketserver
import threading
from types import TracebackType
from typing import Self

PAGE = b"<html><head><title>t</title></head><body><p>text</p></body></html>"


def answer(*headers: bytes, body: bytes = PAGE, first: bytes = b"HTTP/1.1 200 OK") -> bytes:
    """Return an answer as bytes, without a Content-Length: it ends with the connection."""
    lines = (first, b"Content-Type: text/html", *headers, b"Connection: close", b"", b"")
    return b"\r\n".join(lines) + body


ANSWERS = {
    "nothing": b"",
    "garbage": b"\x00\xff\xfe" * 99,
    "no-status": b"HTTP/1.1\r\n\r\n",
    "word-status": answer(first=b"HTTP/1.1 abc Fine"),
    "large-status": answer(first=b"HTTP/1.1 99999 Odd"),
    "low-status": answer(first=b"HTTP/1.1 7 Odd"),
    "negative-status": answer(first=b"HTTP/1.1 -200 Odd"),
    "other-protocol": answer(first=b"ICY 200 OK"),
    "no-version": answer(first=b"HTTP/x.y 200 OK"),
    "header-without-colon": answer(b"nonsense without colon"),
    "header-bytes": answer(b"X-\xff\x00\xfe: \xff\x00"),
    "empty-header-name": answer(b": value"),
    "folded-header": answer(b"X-A: 1", b"  2"),
    "long-header": answer(b"X-A: " + b"a" * 100_000),
    "many-headers": answer(*(b"X-%d: 1" % n for n in range(3000))),
    "negative-length": answer(b"Content-Length: -5"),
    "word-length": answer(b"Content-Length: many"),
    "two-lengths": answer(b"Content-Length: 5", b"Content-Length: 66"),
    "short-body": answer(b"Content-Length: 99999"),
    "bad-chunks": answer(b"Transfer-Encoding: chunked", body=b"zz\r\nabc\r\n0\r\n\r\n"),
    "negative-chunk": answer(b"Transfer-Encoding: chunked", body=b"-5\r\nabc\r\n0\r\n\r\n"),
    "cut-chunks": answer(b"Transfer-Encoding: chunked", body=b"ff\r\nabc"),
    "unknown-transfer": answer(b"Transfer-Encoding: foo, bar"),
    "bad-gzip": answer(b"Content-Encoding: gzip", body=b"\x1f\x8b nonsense"),
    "cut-gzip": answer(b"Content-Encoding: gzip", body=gzip.compress(PAGE * 99)[:40]),
    "empty-gzip": answer(b"Content-Encoding: gzip", body=b""),
    "bad-deflate": answer(b"Content-Encoding: deflate", body=b"nonsense"),
    "bad-brotli": answer(b"Content-Encoding: br", body=b"nonsense"),
    "bad-zstd": answer(b"Content-Encoding: zstd", body=b"nonsense"),
    "unknown-encoding": answer(b"Content-Encoding: x-nonsense"),
    "many-encodings": answer(b"Content-Encoding: " + b"gzip, " * 500 + b"gzip"),
    "bad-cookies": answer(b"Set-Cookie: \xff\x00=;;;=; expires=never; domain=..", b"Set-Cookie:"),
    "charset": answer(b"Content-Type: text/html; charset=no-such-charset"),
    "charset-bytes": answer(b"Content-Type: text/html; charset=\xff\x00\xfe"),
    "charset-codec": answer(b"Content-Type: text/html; charset=base64"),
    "charset-idna": answer(b"Content-Type: text/html; charset=idna"),
    "charset-undefined": answer(b"Content-Type: text/html; charset=undefined"),
    "charset-utf7": answer(b"Content-Type: text/html; charset=utf-7", body=b"+AAAA-+2AD-" + PAGE),
    "charset-meta": answer(body=b"<meta charset='rot13'>" + PAGE),
    "type": answer(b"Content-Type: \xff/\x00;;;=;"),
    "refresh-header": answer(b"Refresh: 0; url=http://[::1"),
    "refresh-word": answer(b"Refresh: soon; url="),
    "refresh-meta": answer(body=b"<meta http-equiv=refresh content='0;url=http://[nonsense'>" + PAGE),
    "refresh-huge": answer(body=b"<meta http-equiv=refresh content='9e999;url=/x'>" + PAGE),
    "refresh-digits": answer(body=b"<meta http-equiv=refresh content='" + b"9" * 5000 + b";url=/x'>"),
    "base": answer(body=b"<base href='http://[nonsense'><a href='x'>x</a>" + PAGE),
    "disposition": answer(b"Content-Disposition: attachment; filename=\xff\x00"),
    "location-none": answer(first=b"HTTP/1.1 302 Found"),
    "location-empty": answer(b"Location:", first=b"HTTP/1.1 302 Found"),
    "location-bracket": answer(b"Location: http://[::1", first=b"HTTP/1.1 302 Found"),
    "location-bytes": answer(b"Location: \xff\xfe\x00", first=b"HTTP/1.1 301 Moved"),
    "location-port": answer(b"Location: http://a.test:99999999/", first=b"HTTP/1.1 301 Moved"),
    "location-word-port": answer(b"Location: http://a.test:x/", first=b"HTTP/1.1 301 Moved"),
    "location-scheme": answer(b"Location: javascript:alert(1)", first=b"HTTP/1.1 301 Moved"),
    "location-no-host": answer(b"Location: http:///x", first=b"HTTP/1.1 301 Moved"),
    "location-long-host": answer(b"Location: http://" + b"a" * 300 + b"/", first=b"HTTP/1.1 301 Moved"),
    "location-dots": answer(b"Location: http://a..test/", first=b"HTTP/1.1 301 Moved"),
    "location-idna": answer(b"Location: http://xn--\xff/", first=b"HTTP/1.1 301 Moved"),
    "location-blank": answer(b"Location: http://a b/", first=b"HTTP/1.1 301 Moved"),
    "location-self": answer(b"Location: location-self", first=b"HTTP/1.1 302 Found"),
    "retry-after": answer(b"Retry-After: \xff soon", first=b"HTTP/1.1 429 Slow"),
    "informational": b"HTTP/1.1 100 Continue\r\n\r\n" * 9 + answer(),
    "early-hints": b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer(),
    "no-content": answer(first=b"HTTP/1.1 204 No Content"),
    "last-modified": answer(b"Last-Modified: never", b"ETag: \xff\x00"),
}  # fmt: skip


class NonsenseServer(socketserver.ThreadingTCPServer):
    """Answers ``/NAME`` with ``ANSWERS[NAME]``, robots.txt with 404, all else with a page."""

    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()
        self.server_close()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        line = self.rfile.readline().decode("latin-1")
        while self.rfile.readline().strip():
            pass
        name = line.split(" ")[1].lstrip("/") if " " in line else ""
        if name == "robots.txt":
            self.wfile.write(answer(first=b"HTTP/1.1 404 Not Found", body=b""))
        else:
            self.wfile.write(ANSWERS.get(name, answer()))


if __name__ == "__main__":
    with NonsenseServer() as server:
        print(server.url, flush=True)
        threading.Event().wait()
