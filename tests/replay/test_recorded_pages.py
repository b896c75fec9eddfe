"""Recorded webs read from WARC files, whole and broken ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from focuscrawl.errors import ArchiveError
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from tests.replay.warcs import write_warc

PAGES = [
    Recorded("http://a.test/", 200, "text/html; charset=gb2312", "", "玉米".encode("gb2312")),
    Recorded("http://a.test/old", 301, "", "/new", b""),
    Recorded("http://a.test/none", 404, "text/plain", "", b"no" * 4000),
]


@pytest.mark.parametrize("gzip", [True, False])
def test_all_responses_come_in_order_and_requests_are_left_out(tmp_path: Path, gzip: bool) -> None:
    file = write_warc(tmp_path / "web.warc", PAGES, gzip=gzip)
    assert list(recorded_pages(file)) == PAGES
    assert list(recorded_pages(str(file))) == PAGES
    file.write_bytes(file.read_bytes()[:-20])
    read: list[Recorded] = []
    with pytest.raises(ArchiveError, match="damaged after 2 responses"):
        read.extend(recorded_pages(file))
    assert read == PAGES[:2]


def test_a_blank_in_a_url_is_nothing_to_warn_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pages = [PAGES[0]._replace(url="http://a.test/a+b")]
    file = write_warc(tmp_path / "web.warc", pages, gzip=False)
    file.write_bytes(file.read_bytes().replace(b"a+b", b"a b"))
    assert [page.url for page in recorded_pages(file)] == ["http://a.test/a%20b"]
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


@pytest.mark.parametrize("seed", range(24))
def test_damage_anywhere_is_read_or_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    file = write_warc(tmp_path / "web.warc", PAGES, gzip=seed % 2 == 0)
    content = file.read_bytes()
    at = dice.randrange(len(content))
    file.write_bytes(content[:at] + dice.randbytes(seed % 3) + content[at + dice.randrange(9) :])
    pages: list[Recorded] = []
    complaint = ""
    try:
        pages.extend(recorded_pages(file))
    except ArchiveError as error:
        complaint = str(error)
    assert "\n" not in complaint
    assert complaint or len(pages) <= len(PAGES)
