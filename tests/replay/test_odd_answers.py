"""Odd answers of a real server, recorded and replayed: a spider cannot tell the difference."""

from __future__ import annotations

import contextlib
import gzip
import random
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.replay.conftest import Teller, watched

TEXT = "<title>玉米</title><p>今日玉米价格</p>".encode("gbk") * 40


def plain(status: str, body: bytes = b"", *headers: str, protocol: str = "HTTP/1.1") -> bytes:
    lines = [f"{protocol} {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def chunked(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", *headers, "Transfer-Encoding: chunked", "", ""]
    pieces = [body[at : at + 700] for at in range(0, len(body), 700)]
    content = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return "\r\n".join(lines).encode() + content + b"0\r\n\r\n"


def noise(seed: int) -> bytes:
    dice = random.Random(seed)
    status = dice.choice(["200 OK", "203 x", "404 Nicht da", "410 ", "500 E", "700 What"])
    headers = [f"X-{n}: {dice.random()}" for n in range(dice.randrange(5))]
    return plain(status, dice.randbytes(dice.randrange(4000)), *headers)


ANSWERS = {
    "empty": plain("200 OK"),
    "binary": plain("200 OK", bytes(range(256)) * 20, "Content-Type: application/octet-stream"),
    "text": plain("200 OK", TEXT, "Content-Type: text/html; charset=gb2312"),
    "same": plain("200 OK", TEXT, "content-type: text/html"),
    "gzip": plain("200 OK", gzip.compress(TEXT), "Content-Encoding: gzip", "Content-Type: text/html"),
    "gz-file": plain("200 OK", gzip.compress(TEXT), "Content-Type: application/gzip"),
    "deflate": plain("200 OK", zlib.compress(TEXT), "Content-Encoding: deflate"),
    "twice": plain("200 OK", gzip.compress(zlib.compress(TEXT)), "Content-Encoding: deflate, gzip"),
    "chunks": chunked(TEXT, "Content-Type: text/html"),
    "gzip-chunks": chunked(gzip.compress(TEXT), "Content-Encoding: gzip"),
    "until-closed": b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + TEXT,
    "no-content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "unchanged": b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
    "moved": plain("301 Moved", b"", "Location: /" + "玉米".encode("gbk").decode("latin-1")),
    "loop": plain("302 Found", b"x", "Location: loop", "Refresh: 0"),
    "cookies": plain("200 OK", b"x", "Set-Cookie: a=b", "Set-Cookie: c=d; path=/", "X-Empty: "),
    "huge-header": plain("200 OK", b"x", "X-Huge: " + "h" * 15_000),
    "busy": plain("503 Busy", b"later", "Retry-After: 30"),
    "robots.txt": plain("200 OK", b"User-agent: *\nDisallow: /forbidden\n", "Content-Type: text/plain"),
    "forbidden": plain("200 OK", b"not for you"),
} | {f"noise{seed}": noise(seed) for seed in range(24)}  # fmt: skip


def answer_to(method: str, path: str) -> bytes:
    if method == "POST":
        return plain("200 OK", b"posted")
    answer = ANSWERS.get(path[1:], plain("404 Not Found", b"none"))
    return answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == "HEAD" else answer


class Answers(StreamRequestHandler):
    """Keeps connections: on one closed without a word a POST fails, and is not sent again."""

    def handle(self) -> None:
        """Answer requests until one is answered as by HTTP/1.0, or the client leaves."""
        with contextlib.suppress(ConnectionError):
            while line := self.rfile.readline():
                length = 0
                while (header := self.rfile.readline().lower()).strip():
                    name, _, value = header.partition(b":")
                    length = int(value) if name == b"content-length" else length
                self.rfile.read(length)
                method, path, _ = line.decode("latin-1").split(" ", 2)
                answer = answer_to(method, path)
                self.wfile.write(answer)
                if answer.startswith(b"HTTP/1.0"):
                    return


@pytest.fixture
def origin() -> Iterator[str]:
    with ThreadingTCPServer(("127.0.0.1", 0), Answers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def accepted_encodings(path: Path) -> set[str]:
    with path.open("rb") as file:
        requests = [one for one in ArchiveIterator(file) if one.rec_type == "request"]
    return {request.http_headers["Accept-Encoding"] for request in requests}


def test_a_spider_cannot_tell_a_replay_from_the_web(
    tell: Teller, origin: str, sockets: Path
) -> None:
    urls = [f"GET {origin}/{name}" for name in ANSWERS]
    urls += [f"{method} {origin}/text" for method in ("HEAD", "POST")]
    urls += [f"GET {origin}/not-there", f"GET {origin}/text", f"GET {origin}/gzip"]
    live = tell(urls, "-s", "FOCUSCRAWL_WARC=web.warc.gz", "-s", "DOWNLOAD_DELAY=0",
                "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "FOCUSCRAWL_RETRY_AFTER_MAX=0")  # fmt: skip
    tell.environment = watched(sockets)
    replayed = tell(urls, "-s", "FOCUSCRAWL_REPLAY=web.warc.gz")
    assert len(live.items) == len(urls)
    assert replayed.items == live.items
    assert not sockets.exists(), sockets.read_text()
    # Not br, nor zstd: readers of WARC files need not know them.
    assert accepted_encodings(tell.folder / "web.warc.gz") == {"gzip, deflate"}
    assert [item["error"] for item in live.items if "error" in item] == ["IgnoreRequest"]
    assert live.stats["focuscrawl/warc/recorded"] == live.stats["downloader/response_count"]
    assert replayed.stats["focuscrawl/replay/missing"] == 0
    same = [
        name for name in live.stats if name.startswith(("downloader/resp", "httpcompr", "robotst"))
    ]
    assert {name: replayed.stats[name] for name in same} == {
        name: live.stats[name] for name in same
    }
