"""One crawl as a job of three Scrapyds, one of which is killed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.communities.community_web import Communities, write_topic
from tests.conftest import mysql_connection, running
from tests.crawl.conftest import NO_DELAYS, Crawler, crawl
from tests.servers import scrapyd_server
from tests.servers.scrapyd_server import ScrapydServer

__all__ = ["crawl"]

# Everything that links lead to, in any order: the set of pages does not depend on the workers.
ARGUMENTS = {
    "mode": "best-first", "order": "lexicon", "learn": "False", "judge": "rule",
    "keep": "all", "text": "plain",
}  # fmt: skip
SETTINGS = {
    "DOWNLOAD_DELAY": "0", "AUTOTHROTTLE_ENABLED": "False", "FOCUSCRAWL_RETRY_PAUSE": "0",
    "LOG_LEVEL": "INFO", "CONCURRENT_REQUESTS": "4",
}  # fmt: skip
# Requests, and pages that wait for text extraction.
_MOST_IN_FLIGHT = int(SETTINGS["CONCURRENT_REQUESTS"]) + 16


class Web:
    """Communities on 127.0.0.1, the topic file that lists them, and the requests so far."""

    def __init__(self, folder: Path) -> None:
        communities = Communities(11, 10, 4, 5, "finance")
        self.topic = folder / "money.yaml"
        write_topic(communities, self.topic)
        self._log = (folder / "requests.log").open("w+")
        web = DemoWeb(
            seed=7, days=1, today=date(2026, 3, 5), latency_ms=20, log_file=self._log,
            more_sites=communities,  # type: ignore[arg-type]
        )  # fmt: skip
        self.server = DemoServer(web)

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def requests(self) -> Counter[str]:
        """Return how often each URL was requested since the last call."""
        self._log.flush()
        path = Path(self._log.name)
        lines = path.read_text().splitlines()
        self._log.truncate(0)
        self._log.seek(0)
        return Counter(line.split()[-1] for line in lines if not line.endswith("/robots.txt"))


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    web = Web(tmp_path)
    with web.server:
        yield web
    web.close()


@pytest.fixture
def daemons(web: Web, valkey_url: str, mysql_url: str) -> Iterator[list[ScrapydServer]]:
    """Three Scrapyds in folders of their own, with one frontier and one store."""

    def make(folder: Path) -> ScrapydServer:
        server = scrapyd_server.make(folder)
        server.environment |= web.server.proxy_environment | {
            "FOCUSCRAWL_FRONTIER": valkey_url,
            "FOCUSCRAWL_STORES": mysql_url,
        }
        return server

    with ExitStack() as stack:
        yield [stack.enter_context(running(make)) for _ in range(3)]


def stored(url: str) -> set[str]:
    """Return the pages in the database, which the first job creates."""
    with (
        closing(mysql_connection(url, database=None)) as connection,
        connection.cursor() as cursor,
    ):
        if not cursor.execute("show databases like %s", (url.rpartition("/")[2],)):
            return set()
        connection.select_db(url.rpartition("/")[2])
        if not cursor.execute("show tables like 'pages'"):
            return set()
        cursor.execute("select url from pages")
        return {row[0] for row in cursor.fetchall()}


def crawled_by_one(crawl: Crawler, web: Web) -> set[str]:
    """Return the pages of the same crawl by one process with a file as its frontier."""
    crawl.spider = "tunnel"
    crawl.environment |= web.server.proxy_environment
    arguments = {"topic": str(web.topic)} | ARGUMENTS
    given = [part for name, text in arguments.items() for part in ("-a", f"{name}={text}")]
    done = crawl(*given, *NO_DELAYS)
    assert done.code == 0, done.err
    return {row[0] for row in crawl.rows("select url from pages")}


def test_a_daemon_is_killed_and_the_others_finish_the_crawl(
    crawl: Crawler, web: Web, daemons: list[ScrapydServer], mysql_url: str
) -> None:
    expected = crawled_by_one(crawl, web)
    web.requests()
    job = {"topic": str(web.topic)} | ARGUMENTS
    jobs = [daemon.schedule("tunnel", job, SETTINGS) for daemon in daemons]
    deadline = time.monotonic() + 120
    while len(stored(mysql_url)) < len(expected) / 4:
        assert time.monotonic() < deadline, [daemon.jobs() for daemon in daemons]
        time.sleep(0.1)
    killed, *others = daemons
    assert killed.jobs()[jobs[0]]["state"] == "running"
    killed.stop(at_once=True)
    assert stored(mysql_url) < expected

    for daemon, number in zip(others, jobs[1:], strict=True):
        found = daemon.wait(number, 240)
        log = daemon.ask(found["log_url"].lstrip("/"))
        assert "tunnel-money: finished" in log, log
    assert stored(mysql_url) == expected
    again = [count - 1 for count in web.requests().values()]
    assert sum(again) <= _MOST_IN_FLIGHT

    # Its job is not started again by itself.
    killed.start()
    assert killed.jobs() == {}
