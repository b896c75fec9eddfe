"""Answers of a recorded web: which one, from which file, by which index."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import ArchiveError
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.replay.recorded_web import NOT_RECORDED, Recording
from focuscrawl.replay.warc_index import index_path
from tests.replay.warcs import PAGE, exchange, foreign, record, replay

ROOT = Path(__file__).resolve().parents[2]


def bodies(web: Recording, url: str, times: int) -> list[bytes]:
    return [web.answer(url).body for _ in range(times)]


def test_several_answers_come_in_order_and_the_last_again(tmp_path: Path) -> None:
    url = "http://a.test/"
    answers = [exchange(url, body=body) for body in (b"first", b"second", b"second")]
    path = record(tmp_path / "web.warc.gz", *answers)
    record(path, exchange(url, body=b"next run"), exchange("http://a.test/b", body=b"b"))
    more = record(tmp_path / "more.warc.gz", exchange(url, body=b"other file"))
    web = replay(path, more)
    expected = [b"first", b"second", b"second", b"next run", b"other file", b"other file"]
    assert bodies(web, url, 3) == expected[:3]
    assert bodies(web, "http://a.test/b", 2) == [b"b", b"b"]
    assert bodies(web, url, 3) == expected[3:]
    web.close()


def test_only_a_conditional_request_hears_that_nothing_has_changed(tmp_path: Path) -> None:
    unchanged = exchange(status=304, body=b"")
    web = replay(record(tmp_path / "web.warc.gz", exchange(), unchanged))
    assert [web.answer("http://a.test/").status for _ in range(2)] == [200, 200]
    web.close()
    web = replay(tmp_path / "web.warc.gz")
    given = [web.answer("http://a.test/", conditional=True).status for _ in range(3)]
    assert given == [200, 304, 304]
    web.close()


def test_a_url_is_found_by_its_other_spellings_but_not_by_the_other_scheme(tmp_path: Path) -> None:
    path = record(
        tmp_path / "web.warc.gz",
        exchange("http://a.test/%7eb/%e4", body=b"tilde"),
        exchange("http://a.test", body=b"home"),
        exchange("https://s.test/x", body=b"safe"),
        exchange("http://a.test/exact%7e", body=b"escaped"),
        exchange("http://a.test/exact~", body=b"plain"),
    )
    web = replay(path)
    for url in ("http://a.test/~b/%E4", "http://a.test/%7Eb/%e4", "http://A.test:80/%7eb/./%E4"):
        assert web.answer(url).body == b"tilde"
    assert web.answer("http://a.test/").body == b"home"
    assert web.answer("https://s.test:443/x").body == b"safe"
    assert web.answer("http://a.test/exact~").body == b"plain"
    assert web.answer("http://a.test/exact%7e").body == b"escaped"
    for url in ("http://s.test/x", "http://a.test/y", "ftp://a.test/", "http://", ""):
        assert web.answer(url) is NOT_RECORDED
    web.close()


def test_requests_with_a_body_are_told_apart(tmp_path: Path) -> None:
    forms = [
        exchange("http://a.test/search", body=word, method="POST", request_body=b"q=" + word)
        for word in (b"tea", b"maize")
    ]
    page = exchange("http://a.test/search", body=b"form")
    web = replay(record(tmp_path / "web.warc.gz", *forms, page))
    for word in (b"maize", b"tea"):
        assert web.answer("http://a.test/search", "POST", b"q=" + word).body == word
    assert web.answer("http://a.test/search", "POST", b"q=rice") is NOT_RECORDED
    assert web.answer("http://a.test/search").body == b"form"
    head = web.answer("http://a.test/search", "HEAD")
    assert (head.status, head.body) == (200, b"")
    web.close()


def test_files_of_other_programs(tmp_path: Path) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    long = b"4000\r\n" + b"x" * 0x4000 + b"\r\n5000\r\n" + b"y" * 0x5000 + b"\r\n0\r\n\r\n"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Folded: a\r\n\r\n" + PAGE
    digest = "sha1:MADEUPMADEUPMADEUPMADEUPMADEUPMAD"
    same = {"WARC-Payload-Digest": digest}
    post = {"WARC-Record-ID": "<urn:uuid:1>"}
    path = foreign(
        tmp_path / "web.warc.gz",
        ("response", "<http://a.test/angles>", page, {}),
        ("response", "http://a.test/a b", page, same),
        ("response", "http://a.test/chunks", chunked + long, {}),
        ("response", "http://a.test/no-chunks", chunked + PAGE, {}),
        ("revisit", "http://a.test/again", b"HTTP/1.1 203 Same\r\nX-Own: 1\r\n\r\n", same),
        ("revisit", "http://a.test/headless", b"", same),
        ("revisit", "http://a.test/lost", page[:60], {"WARC-Payload-Digest": "sha1:NOWHERE"}),
        ("request", "http://a.test/form", b"POST /form HTTP/1.1\r\n\r\nq=1", post),
        ("response", "http://a.test/form", page, {"WARC-Concurrent-To": "<urn:uuid:1>"}),
        ("metadata", "http://a.test/about", b"", {}),
        ("response", "dns:a.test", b"a.test. 60 IN A 127.0.0.1", {}),
    )
    web = replay(path)
    for url in ("angles", "a%20b"):
        answer = web.answer(f"http://a.test/{url}")
        assert (answer.status, answer.body) == (200, PAGE)
    answer = web.answer("http://a.test/chunks")
    assert (answer.headers, answer.body) == ([], b"x" * 0x4000 + b"y" * 0x5000)
    assert web.answer("http://a.test/no-chunks").body == PAGE
    again = web.answer("http://a.test/again")
    assert again == (203, "HTTP/1.1", [(b"X-Own", b"1")], PAGE)
    assert web.answer("http://a.test/headless") == web.answer("http://a.test/a b")
    assert web.answer("http://a.test/form", "POST", b"q=1").body == PAGE
    for url in ("lost", "form", "about"):
        assert web.answer(f"http://a.test/{url}") is NOT_RECORDED
    assert web.count == 7
    web.close()
    read = {page.url.rpartition("/")[2]: page.body for page in recorded_pages(path)}
    assert [*read][-2:] == ["again", "form"]
    assert read["chunks"] == b"x" * 0x4000 + b"y" * 0x5000


def test_the_index_is_built_once_and_again_for_another_file(tmp_path: Path) -> None:
    path = record(tmp_path / "web.warc.gz", exchange())
    index = tmp_path / "web.warc.gz.index"
    replay(path).close()
    built = index.stat().st_ino
    replay(path).close()
    assert index.stat().st_ino == built
    content = path.read_bytes()
    os.utime(path, (1, 1))
    replay(path).close()
    assert index.stat().st_ino != built
    path.write_bytes(
        content + record(tmp_path / "x.warc.gz", exchange("http://b.test/")).read_bytes()
    )
    os.utime(path, (1, 1))
    web = replay(path)
    assert web.answer("http://b.test/").status == 200
    web.close()
    assert {file.name for file in tmp_path.iterdir()} == {
        "web.warc.gz", "web.warc.gz.lock", "x.warc.gz", "x.warc.gz.lock", index.name,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_index_is_built_again(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    exchanges = [exchange(f"http://a.test/{n}", body=b"%d" % n * 900) for n in range(40)]
    path = record(tmp_path / "web.warc.gz", *exchanges)
    replay(path).close()
    index = tmp_path / "web.warc.gz.index"
    content = bytearray(index.read_bytes())
    if seed % 4 == 0:
        content = content[: dice.randrange(len(content))]
    elif seed % 4 == 1:
        at = dice.randrange(len(content))
        content[at : at + 4096] = dice.randbytes(4096)
    elif seed % 4 == 2:
        content = bytearray(b"no database")
    index.write_bytes(content)
    if seed % 4 == 3:
        with closing(sqlite3.connect(index)) as connection:
            connection.execute("UPDATE answers SET offset = -offset WHERE offset % 2")
            connection.commit()
    web = replay(path)
    for one in exchanges:
        assert web.answer(one.url).body == one.body
    web.close()


def test_the_index_of_a_file_in_a_read_only_folder_is_in_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    path = record(folder / "web.warc.gz", exchange())
    folder.chmod(0o555)
    before = sorted(folder.iterdir())
    web = Recording([path], tmp_path / "cache", canonical_url)
    assert web.answer("http://a.test/").body == PAGE
    web.close()
    assert sorted(folder.iterdir()) == before
    assert index_path(path, tmp_path / "cache").is_file()
    with pytest.raises(ArchiveError, match=r"^cannot write the index [^\n]+FOCUSCRAWL_DATA"):
        Recording([path], Path("/dev/null/cache"), canonical_url)
    folder.chmod(0o755)


def test_processes_that_begin_at_once_all_get_their_answers(tmp_path: Path) -> None:
    path = record(tmp_path / "web.warc.gz", *(exchange(f"http://a.test/{n}") for n in range(300)))
    script = (
        "import sys\nfrom pathlib import Path\nfrom tests.replay.warcs import PAGE, replay\n"
        "web = replay(Path(sys.argv[1]))\n"
        "assert all(web.answer(f'http://a.test/{n}').body == PAGE for n in range(300))\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", script, path], cwd=ROOT) for _ in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "has no recorded response"),
        (b"<html>", "is not a WARC file with one gzip member per record"),
        (b"\x1f\x8b\x08\x00", "has no recorded response"),
    ],
)
def test_another_kind_of_file_gets_a_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "web.warc.gz"
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match=rf"^[^\n]*web\.warc\.gz {sentence}[^\n]*$"):
        replay(path)
    assert not list(tmp_path.glob("*.index*"))
    assert not list(tmp_path.glob(".*"))


def test_files_without_a_member_a_record_get_a_sentence_with_the_remedy(tmp_path: Path) -> None:
    import gzip

    answer = ("response", "http://a.test/", b"HTTP/1.1 200 OK\r\n\r\n", {})
    path = foreign(tmp_path / "web.warc", answer, answer, gzip=False)
    with pytest.raises(ArchiveError, match="warcio recompress"):
        replay(path)
    packed = tmp_path / "web.warc.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(ArchiveError, match="warcio recompress"):
        replay(packed)


def test_what_is_no_file_gets_a_sentence(tmp_path: Path) -> None:
    for name in ("missing.warc.gz", "."):
        with pytest.raises(ArchiveError, match=r"^cannot read the recording [^\n]+$"):
            replay(tmp_path / name)
    os.mkfifo(tmp_path / "pipe.warc.gz")
    with pytest.raises(ArchiveError, match="not a regular file"):
        replay(tmp_path / "pipe.warc.gz")


@pytest.mark.parametrize("seed", range(20))
def test_damage_anywhere_is_read_or_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    urls = [f"http://a.test/{n}" for n in range(4)]
    path = record(tmp_path / "web.warc.gz", *(exchange(url) for url in urls))
    content = path.read_bytes()
    at = dice.randrange(len(content))
    path.write_bytes(content[:at] + dice.randbytes(seed % 3) + content[at + dice.randrange(9) :])
    try:
        web = replay(path)
    except ArchiveError as error:
        complaint = str(error)
    else:
        complaint = ""
        answers = [web.answer(url) for url in urls]
        assert all(answer is NOT_RECORDED or answer.body == PAGE for answer in answers)
        web.close()
    assert "\n" not in complaint


def test_a_file_that_changes_under_the_replay_gets_a_sentence(tmp_path: Path) -> None:
    path = record(tmp_path / "web.warc.gz", exchange(), exchange("http://a.test/b"))
    web = replay(path)
    path.write_bytes(path.read_bytes()[:100] + b"\0" * 5000)
    with pytest.raises(ArchiveError, match=r"^[^\n]+$"):
        web.answer("http://a.test/b")
    web.close()
