"""``scrapy crawl`` with FOCUSCRAWL_WORKERS: processes, a server and a summary of one crawl."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.crawl.conftest import Crawler, one_line, wait_until
from tests.crawl.test_tunnel import FOUND, GOOD, POSTS, tunnel
from tests.servers.warm_scrapy import Process

__all__ = ["tunnel"]

pytestmark = pytest.mark.server
TWO = ("-a", "topic=nets", "-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", "FOCUSCRAWL_WORKERS=2")


def pages(crawl: Crawler) -> set[str]:
    return {url for (url,) in crawl.rows("select url from pages")}


def children_of(process: Process) -> Path:
    return Path(f"/proc/{process.pid}/task/{process.pid}/children")


def recorded_urls(file: Path) -> set[str]:
    with file.open("rb") as stream:
        records = ArchiveIterator(stream)
        return {one.rec_headers["WARC-Target-URI"] for one in records if one.rec_type != "request"}


def workers_of(process: Process) -> list[int]:
    """Return the processes of the workers, once both read pages."""
    children = children_of(process)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        found = [
            int(pid)
            for pid in children.read_text().split()
            if b"--json" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        if len(found) == 2:
            return found
        time.sleep(0.05)
    raise AssertionError(process.communicate())


def wait_for_pages(crawl: Crawler) -> None:
    deadline = time.monotonic() + 120
    files = [crawl.folder / "data" / "workers" / f"worker-{n}.progress" for n in (1, 2)]
    while not all(file.exists() for file in files) and time.monotonic() < deadline:
        time.sleep(0.05)


def slow(crawl: Crawler) -> Process:
    return crawl.start(*TWO, "-s", "FOCUSCRAWL_REPLAY_LATENCY=1", "-s", "CONCURRENT_REQUESTS=1")


def test_two_workers_find_what_one_finds_and_write_one_workbook(tunnel: Crawler) -> None:
    done = tunnel(*TWO, "-s", "FOCUSCRAWL_WARC=found.warc.gz")
    assert done.code == 0, done.out + done.err
    assert pages(tunnel) >= FOUND
    assert done.out.count("tunnel-nets: finished") == 1
    assert (tunnel.folder / "data" / "focuscrawl.xlsx").is_file()
    assert "focuscrawl.xlsx" in done.out
    # Each records in a file of its own.
    files = list(tunnel.folder.glob("found*.warc.gz"))
    assert len(files) == 2
    assert all(file.name in done.out for file in files)
    assert set().union(*map(recorded_urls, files)) >= {GOOD, *POSTS}


def test_a_killed_worker_is_told_and_nothing_is_lost(tunnel: Crawler) -> None:
    process = slow(tunnel)
    victim = workers_of(process)[0]
    wait_for_pages(tunnel)
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate(timeout=300)
    assert process.wait() == 3, out + err
    assert "1 of 2 workers were killed" in out
    assert pages(tunnel) >= FOUND


def is_running(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def stop_while_workers_start(tunnel: Crawler) -> None:
    process = slow(tunnel)
    log = tunnel.folder / "data" / "workers" / "worker-1.log"
    wait_until(process, log.exists)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    assert process.wait() == 130, out + err
    assert "shutdown" in out
    assert "killed" not in out


def kill_the_supervisor(tunnel: Crawler) -> None:
    """Kill the process that starts the workers; they end in order."""
    process = slow(tunnel)
    workers_of(process)
    wait_for_pages(tunnel)
    children = [int(pid) for pid in children_of(process).read_text().split()]
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 120
    while any(map(is_running, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, children))
    for number in (1, 2):
        log = (tunnel.folder / "data" / "workers" / f"worker-{number}.log").read_text()
        assert "does not answer" not in log


def stop_while_pages_come(tunnel: Crawler) -> None:
    """Stop a crawl, beside which no other one can be started."""
    process = slow(tunnel)
    workers_of(process)
    wait_for_pages(tunnel)
    second = tunnel(*TWO)
    assert second.code == 2
    assert "other workers use" in second.err
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.wait() == 130, out + err


def test_a_crawl_that_is_stopped_or_killed_at_any_time_is_continued_by_the_next_start(
    tunnel: Crawler,
) -> None:
    stop_while_workers_start(tunnel)
    kill_the_supervisor(tunnel)
    stop_while_pages_come(tunnel)
    assert FOUND - pages(tunnel)
    done = tunnel(*TWO)
    assert done.code == 0, done.out + done.err
    assert pages(tunnel) >= FOUND


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-o", "found.jsonl"), "cannot share a feed"),
        (("-s", "FOCUSCRAWL_WORKERS=0"), "FOCUSCRAWL_WORKERS must be a number of at least 1"),
        # All workers refuse it.
        (("-a", "topic=nope"), "there is no topic 'nope'"),
    ],
)
def test_a_mistake_is_told_once_and_leaves_no_files(
    tunnel: Crawler, arguments: tuple[str, ...], sentence: str
) -> None:
    done = tunnel(*TWO, *arguments)
    assert done.code == 2
    assert sentence in one_line(done.err)
    assert not tunnel.database.exists()
