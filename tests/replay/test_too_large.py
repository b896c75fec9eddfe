"""Records that grow to gigabytes when they are decompressed: too large, and the others are served."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from focuscrawl.replay.recorded_pages import recorded_pages
from tests.replay.warcs import PAGE, exchange, foreign, record

_SIZE = 512 << 20
_LIMIT = 500 << 20


def bomb(url: str, *, size: int = _SIZE) -> bytes:
    """Return a gzip member: a WARC record of a page of that many zeros."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {size + len(http)}\r\n\r\n"
    )
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(head.encode() + http)]
    zeros = bytes(1 << 20)
    parts += [packer.compress(zeros) for _ in range(size // len(zeros))]
    parts.append(packer.compress(b"\r\n\r\n"))
    return b"".join(parts) + packer.flush()


@pytest.fixture
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording: a page, a record of 512 MB, a page that is as long without its encoding, a page."""
    folder = tmp_path_factory.mktemp("bombs")
    first = record(folder / "1.warc.gz", exchange("http://a.test/1")).read_bytes()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = b"".join(packer.compress(bytes(1 << 20)) for _ in range(_SIZE >> 20)) + packer.flush()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    encoded = foreign(folder / "2.warc.gz", ("response", "http://a.test/encoded", head + zeros, {}))
    last = record(folder / "3.warc.gz", exchange("http://a.test/3")).read_bytes()
    path = folder / "web.warc.gz"
    path.write_bytes(first + bomb("http://a.test/bomb") + encoded.read_bytes() + last)
    assert path.stat().st_size < 5_000_000
    return path


SCRIPT = """
import json, sys
from pathlib import Path
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.replay.recorded_web import Recording
from focuscrawl.replay.warc_records import TooLargeError
whole, torn, cache = map(Path, sys.argv[1:])
web = Recording([whole], cache, canonical_url)
told = {}
for name in ("1", "bomb", "encoded", "3"):
    try:
        answer = web.answer(f"http://a.test/{name}")
        told[name] = [answer.status, len(answer.body)]
    except TooLargeError:
        told[name] = "too large"
told["read"] = [page.url for page in recorded_pages(whole)]
web = Recording([torn], cache, canonical_url)
told["torn"] = [web.count, len(web.torn)]
print(json.dumps(told))
"""


def test_records_that_are_too_large_leave_the_others(web: Path, tmp_path: Path) -> None:
    """In a process that may have 500 MB; whoever reads all pages gets the others, too."""
    torn = record(tmp_path / "torn.warc.gz", exchange("http://a.test/1"))
    torn.write_bytes(torn.read_bytes() + bomb("http://a.test/bomb", size=100 << 20)[:-500])
    assert next(recorded_pages(torn)).url == "http://a.test/1"
    command = ["prlimit", f"--as={_LIMIT}", sys.executable, "-c", SCRIPT, web, torn, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    told = json.loads(run.stdout)
    # The encoding is the crawler's to undo, by DOWNLOAD_MAXSIZE.
    size = told.pop("encoded")[1]
    assert 100_000 < size < 5_000_000
    page = [200, len(PAGE)]
    assert told == {
        "1": page, "bomb": "too large", "3": page,
        "read": ["http://a.test/1", "http://a.test/3"], "torn": [1, 1],
    }  # fmt: skip
