"""WARC files for tests."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from focuscrawl.replay.recorded_web import Recording
from focuscrawl.replay.warc_recorder import Exchange, Recorder

PAGE = "<title>玉米</title>".encode("gb2312") * 50


def exchange(url: str = "http://a.test/", body: bytes = PAGE, **fields: object) -> Exchange:
    regular = Exchange(
        url=url, method="GET", request_headers=[(b"User-Agent", b"test")], request_body=b"",
        status=200, protocol="HTTP/1.1", headers=[(b"Content-Type", b"text/html")], body=body,
    )  # fmt: skip
    return regular._replace(**fields)


def record(path: Path, *exchanges: Exchange) -> Path:
    recorder = Recorder(path, "tests")
    for one in exchanges:
        recorder.write(one)
    recorder.close()
    return path


def replay(*paths: Path) -> Recording:
    return Recording(paths, paths[0].parent / "cache", canonical_url)


def foreign(
    path: Path, *records: tuple[str, str, bytes, dict[str, str]], gzip: bool = True
) -> Path:
    """Write a file as other programs do: kind, URL, HTTP message and named fields a record."""
    file = BytesIO()
    writer = WARCWriter(file, gzip=gzip)
    for kind, url, message, fields in records:
        head, _, body = message.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        protocol, _, rest = first.partition(" ")
        headers = [tuple(line.split(": ", 1)) for line in lines]
        writer.write_record(
            writer.create_warc_record(
                url, kind, payload=BytesIO(body), length=len(body), warc_headers_dict=fields,
                http_headers=StatusAndHeaders(rest, headers, protocol=protocol) if head else None,
            )
        )  # fmt: skip
    path.write_bytes(file.getvalue())
    return path


def write_warc(path: Path, pages: Iterable[Recorded], *, gzip: bool = True) -> Path:
    """Write pages with their requests, as other programs do."""
    records: list[tuple[str, str, bytes, dict[str, str]]] = []
    for page in pages:
        named = [("Content-Type", page.content_type), ("Location", page.location)]
        lines = [
            f"HTTP/1.1 {page.status} Said",
            *(f"{name}: {value}" for name, value in named if value),
        ]
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        records.append(("request", page.url, b"GET / HTTP/1.1\r\n\r\n", {}))
        records.append(("response", page.url, head + page.body, {}))
    return foreign(path, *records, gzip=gzip)


def halves(path: Path) -> list[Path]:
    """Write each half of a recording to a file of the same name in a folder of its own."""
    pages = list(recorded_pages(path))
    middle = len(pages) // 2
    paths = [path.parent / part / path.name for part in ("first", "second")]
    for half, its in zip(paths, (pages[:middle], pages[middle:]), strict=True):
        half.parent.mkdir()
        write_warc(half, its)
    return paths
