"""What is recorded is replayed as it was, whatever was sent, and whenever the recorder was killed."""

from __future__ import annotations

import gzip
import random
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.errors import AlreadyRunningError, ArchiveError
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.replay.warc_recorder import Exchange, Recorder
from tests.replay.warcs import PAGE, exchange, record, replay

SHARED = Path(__file__).resolve().parents[3] / "shared"

_name = st.from_regex(rb"X-[A-Z][a-z0-9]{0,8}", fullmatch=True)
_value = st.binary(max_size=40).map(lambda raw: b" ".join(raw.replace(b"\0", b"").split()))
_headers = st.lists(st.tuples(_name, _value), max_size=6)
_body = st.one_of(
    st.just(b""),
    st.binary(max_size=3000),
    st.binary(min_size=1, max_size=30).map(lambda raw: raw * 200),
    st.sampled_from(
        [PAGE, gzip.compress(PAGE, mtime=0), b"\r\n\r\n", b"WARC/1.1\r\n", b"\x1f\x8b\x08"]
    ),
)
_exchanges = st.lists(
    st.builds(
        exchange,
        url=st.sampled_from(["http://a.test/", "https://a.test/", "http://a.test/%E4?q=%b0&r#"]),
        body=_body,
        status=st.sampled_from([200, 206, 301, 304, 404, 418, 503, 599, 999]),
        headers=_headers,
        protocol=st.sampled_from(["HTTP/1.0", "HTTP/1.1"]),
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


@given(_exchanges)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_answer_comes_back_as_it_was_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, exchanges: list[Exchange]
) -> None:
    path = record(tmp_path_factory.mktemp("web") / "web.warc.gz", *exchanges)
    web = replay(path)
    for sent in exchanges:
        got = web.answer(sent.url, conditional=True)
        assert got == (sent.status, sent.protocol, sent.headers, sent.body)
    web.close()
    assert [(page.url, page.status, page.body) for page in recorded_pages(path)] == [
        (sent.url, sent.status, sent.body) for sent in exchanges
    ]


def test_a_304_with_the_body_of_another_answer(tmp_path: Path) -> None:
    sent = [exchange(body=PAGE * 50, status=status) for status in (200, 304, 200)]
    web = replay(record(tmp_path / "web.warc.gz", *sent))
    answers = [web.answer(sent[0].url, conditional=True) for _ in sent]
    assert [(answer.status, answer.body) for answer in answers] == [
        (one.status, one.body) for one in sent
    ]
    web.close()


def test_a_huge_header_and_a_huge_body(tmp_path: Path) -> None:
    huge = exchange(
        headers=[(b"X-Huge", b"x" * 300_000), (b"Location", "/玉米".encode("gbk"))],
        body=PAGE * 10_000,
    )
    web = replay(record(tmp_path / "web.warc.gz", huge))
    assert web.answer(huge.url)[1:] == ("HTTP/1.1", huge.headers, huge.body)
    web.close()


def kinds(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file)]


def test_records_are_those_of_the_standard_and_digests_are_right(tmp_path: Path) -> None:
    secret = [(b"Authorization", b"Basic eDp5"), (b"Proxy-Authorization", b"Basic eDp5")]
    path = record(
        tmp_path / "web.warc.gz",
        exchange("http://u:p@a.test:81/x?y", request_headers=[*secret, (b"Cookie", b"a=b")]),
        exchange("http://a.test/twice", truncated="disconnect"),
        exchange("http://a.test/small", body=b"small"),
        exchange("http://a.test/small2", body=b"small"),
    )
    assert kinds(path) == [
        "warcinfo", "response", "request", "revisit", "request",
        "response", "request", "response", "request",
    ]  # fmt: skip
    with path.open("rb") as file:
        records = []
        for one in ArchiveIterator(file, check_digests="raise"):
            one.content_stream().read()
            records.append(one)
    assert {one.rec_headers.protocol for one in records} == {"WARC/1.1"}
    first, request, again = records[1:4]
    assert (
        request.http_headers.to_str() == "GET /x?y HTTP/1.1\r\nHost: a.test:81\r\nCookie: a=b\r\n"
    )
    fields, same = first.rec_headers, again.rec_headers
    assert request.rec_headers["WARC-Concurrent-To"] == fields["WARC-Record-ID"]
    assert same["WARC-Refers-To"] == fields["WARC-Record-ID"]
    assert same["WARC-Refers-To-Date"] == fields["WARC-Date"]
    assert same["WARC-Payload-Digest"] == fields["WARC-Payload-Digest"]
    assert same["WARC-Truncated"] == "disconnect"


def test_bodies_of_duplicates_are_stored_once(tmp_path: Path) -> None:
    once = record(tmp_path / "once.warc.gz", exchange(body=bytes(range(256)) * 40))
    often = record(tmp_path / "often.warc.gz", *[exchange(body=bytes(range(256)) * 40)] * 20)
    one = once.stat().st_size
    assert often.stat().st_size < one + 20 * 1200
    assert len(list(recorded_pages(often))) == 20


def test_a_record_torn_anywhere_is_left_out_and_cut_off(tmp_path: Path) -> None:
    whole = record(tmp_path / "whole.warc.gz", *(exchange(f"http://a.test/{n}") for n in range(3)))
    content = whole.read_bytes()
    path = tmp_path / "web.warc.gz"
    for length in range(0, len(content) + 1, 13):
        path.write_bytes(content[:length])
        for _ in range(1 + length % 3):
            record(path)
        record(path, exchange("http://a.test/new"))
        pages = [page.url for page in recorded_pages(path)]
        kept = [f"http://a.test/{n}" for n in range(len(pages) - 1)]
        assert pages == [*kept, "http://a.test/new"]
        web = replay(path)
        assert (web.count, web.torn) == (len(pages), [])
        web.close()
        path.with_name("web.warc.gz.index").unlink()


def test_the_replay_of_a_torn_file_has_all_whole_answers(tmp_path: Path) -> None:
    whole = record(tmp_path / "whole.warc.gz", *(exchange(f"http://a.test/{n}") for n in range(3)))
    for cut in (1, 20, 300):
        path = tmp_path / f"{cut}.warc.gz"
        path.write_bytes(whole.read_bytes()[:-cut])
        web = replay(path)
        assert (web.count, web.torn) == (3, [path])
        web.close()


def test_a_long_torn_record_is_found_among_bytes_that_look_like_one(tmp_path: Path) -> None:
    noise = random.Random(3).randbytes(150_000)
    big = noise + b"\x1f\x8b\x08" * 3 + gzip.compress(b"no record") + noise
    path = record(tmp_path / "web.warc.gz", exchange(), exchange("http://a.test/big", body=big))
    content = path.read_bytes()
    for cut, pages in ((5, 2), (2000, 1), (250_000, 1)):
        path.write_bytes(content[:-cut])
        record(path)
        assert len(list(recorded_pages(path))) == pages


def test_a_killed_recorder_leaves_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "web.warc.gz"
    script = (
        "import sys\nfrom pathlib import Path\nfrom tests.replay.warcs import exchange, Recorder\n"
        "recorder = Recorder(Path(sys.argv[1]), 'tests')\n"
        "for n in range(100_000):\n"
        "    recorder.write(exchange(f'http://a.test/{n}', body=b'%d ' % n * 3000))\n"
        "    print(n, flush=True)\n"
    )
    for kill in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert process.stdout
        process.stdout.readline()
        time.sleep(0.02 * kill)
        process.kill()
        last = int(["0", *process.stdout.read().split()][-1])
        process.wait()
        web = replay(path)
        for n in range(last + 1):
            assert web.answer(f"http://a.test/{n}").body == b"%d " % n * 3000
        web.close()
    record(path, exchange("http://a.test/after"))
    assert sum(1 for _ in recorded_pages(path)) >= 4


def test_two_recorders_of_one_file_get_a_sentence(tmp_path: Path) -> None:
    first = Recorder(tmp_path / "web.warc.gz", "tests")
    with pytest.raises(
        AlreadyRunningError, match=r"^another crawl is recording to [^\n]+; record to another file$"
    ):
        Recorder(tmp_path / "web.warc.gz", "tests")
    first.close()
    record(tmp_path / "web.warc.gz", exchange())


def test_a_file_that_was_deleted_is_not_recorded_to_unseen(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "web.warc.gz", "tests")
    (tmp_path / "web.warc.gz").unlink()
    with pytest.raises(
        ArchiveError, match=r"web\.warc\.gz \(somebody has deleted it\); give another"
    ):
        recorder.write(exchange())
    recorder.close()


def test_what_cannot_be_recorded_to_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"must end in \.warc\.gz"):
        Recorder(tmp_path / "web.txt", "tests")
    with pytest.raises(ArchiveError, match=r"^cannot record to [^\n]+; give another"):
        Recorder(Path("/dev/null/web.warc.gz"), "tests")
    precious = tmp_path / "photo.warc.gz"
    precious.write_bytes(b"\xff\xd8\xff" * 1000)
    with pytest.raises(ArchiveError, match=r"^[^\n]+ is not a WARC file; [^\n]+$"):
        Recorder(precious, "tests")
    assert precious.read_bytes() == b"\xff\xd8\xff" * 1000
    full = tmp_path / "full.warc.gz"
    full.symlink_to("/dev/full")
    with pytest.raises(ArchiveError, match=r"^cannot record to [^\n]+No space left"):
        Recorder(full, "tests")


def test_the_replay_proxy_reads_recordings(tmp_path: Path) -> None:
    packed = gzip.compress(PAGE)
    proxy = SHARED / "replay/replay_proxy.py"
    if not proxy.exists():
        pytest.skip(f"the replay proxy is not here ({proxy})")
    path = record(
        tmp_path / "web.warc.gz",
        exchange("http://a.test/old", status=301, headers=[(b"Location", b"/")], body=b""),
        exchange("http://a.test/", headers=[(b"Content-Encoding", b"gzip")], body=packed),
    )
    pages = runpy.run_path(str(proxy))["load"]([str(path)])
    assert pages["http://a.test/"][1] == PAGE
    assert pages["http://a.test/old"][0].startswith(
        b"HTTP/1.1 301 Moved Permanently\r\nLocation: /"
    )
