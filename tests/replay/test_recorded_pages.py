"""Recorded webs read from WARC files, whole and broken ones."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from focuscrawl.errors import ArchiveError
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages

PAGES = [
    Recorded("http://a.test/", 200, "text/html; charset=gb2312", "", "玉米".encode("gb2312")),
    Recorded("http://a.test/old", 301, "", "/new", b""),
    Recorded("http://a.test/none", 404, "text/plain", "", b"no" * 4000),
]


def archive(pages: list[Recorded], *, gzip: bool = True) -> bytes:
    file = BytesIO()
    writer = WARCWriter(file, gzip=gzip)
    for page in pages:
        headers = [("Content-Type", page.content_type), ("Location", page.location)]
        head = StatusAndHeaders(
            f"{page.status} Said", [pair for pair in headers if pair[1]], protocol="HTTP/1.1"
        )
        for kind in ("request", "response"):
            first_line = head if kind == "response" else StatusAndHeaders("GET / HTTP/1.1", [])
            record = writer.create_warc_record(
                page.url, kind, payload=BytesIO(page.body), http_headers=first_line
            )
            writer.write_record(record)
    return file.getvalue()


@pytest.mark.parametrize("gzip", [True, False])
def test_all_responses_come_in_order_and_requests_are_left_out(tmp_path: Path, gzip: bool) -> None:
    file = tmp_path / "web.warc"
    file.write_bytes(archive(PAGES, gzip=gzip))
    assert list(recorded_pages(file)) == PAGES
    assert list(recorded_pages(str(file))) == PAGES


def test_chunked_and_compressed_bodies_are_decoded(tmp_path: Path) -> None:
    head = StatusAndHeaders("200 OK", [("Transfer-Encoding", "chunked")], protocol="HTTP/1.1")
    file = BytesIO()
    writer = WARCWriter(file, gzip=True)
    body = BytesIO(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    writer.write_record(
        writer.create_warc_record("http://a.test/", "response", payload=body, http_headers=head)
    )
    (tmp_path / "web.warc.gz").write_bytes(file.getvalue())
    assert [page.body for page in recorded_pages(tmp_path / "web.warc.gz")] == [b"abcde"]


def test_a_blank_in_a_url_is_nothing_to_warn_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recording = archive([PAGES[0]._replace(url="http://a.test/a+b")], gzip=False)
    (tmp_path / "web.warc").write_bytes(recording.replace(b"a+b", b"a b"))
    assert [page.url for page in recorded_pages(tmp_path / "web.warc")] == ["http://a.test/a%20b"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("content", [b"", b"no archive\n", b"\x1f\x8b\x08", bytes(range(256))])
def test_another_kind_of_file_gets_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "web.warc.gz"
    file.write_bytes(content)
    with pytest.raises(
        ArchiveError, match=r"^.*web\.warc\.gz (is not a|has no) .*; copy it again[^\n]*$"
    ):
        list(recorded_pages(file))


@pytest.mark.parametrize("name", ["missing.warc", "."])
def test_a_missing_file_gets_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match=r"^cannot read the recording [^\n]*: [A-Z][a-z ]+$"):
        list(recorded_pages(tmp_path / name))


@pytest.mark.parametrize("gzip", [True, False])
def test_a_file_cut_short_gives_its_whole_pages_and_a_sentence(tmp_path: Path, gzip: bool) -> None:
    file = tmp_path / "web.warc"
    file.write_bytes(archive(PAGES, gzip=gzip)[:-20])
    read: list[Recorded] = []
    with pytest.raises(ArchiveError, match="damaged after 2 responses"):
        read.extend(recorded_pages(file))
    assert read == PAGES[:2]


@pytest.mark.parametrize("seed", range(60))
def test_damage_anywhere_is_read_or_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    content = archive(PAGES, gzip=seed % 2 == 0)
    at = dice.randrange(len(content))
    file = tmp_path / "web.warc"
    file.write_bytes(content[:at] + dice.randbytes(seed % 3) + content[at + dice.randrange(9) :])
    pages: list[Recorded] = []
    complaint = ""
    try:
        pages.extend(recorded_pages(file))
    except ArchiveError as error:
        complaint = str(error)
    assert "\n" not in complaint
    assert complaint or len(pages) <= len(PAGES)
