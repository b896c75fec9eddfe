"""Spiders that hold their walk in memory, started several times on one frontier server."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

import pytest
from redis import Redis

from focuscrawl.demo import DemoWeb
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.crawl_membership import open_crawl
from tests.conftest import mysql_connection
from tests.crawl.conftest import Crawler, wait_until
from tests.servers.redis_server import RedisServer
from tests.servers.warm_scrapy import Process

pytestmark = pytest.mark.server


def test_another_worker_completes_a_list_that_was_stopped(
    crawl: Crawler, demo: Callable[..., DemoWeb], valkey_url: str, mysql_url: str
) -> None:
    web = demo(days=10)
    crawl.spider = "list"
    common = ("-a", "site=demo", "-s", f"FOCUSCRAWL_FRONTIER={valkey_url}")
    common += ("-s", f"FOCUSCRAWL_STORES={mysql_url}")
    first = crawl.start(*common, "-s", "DOWNLOAD_DELAY=0.2", "-s", "RANDOMIZE_DOWNLOAD_DELAY=False")
    # Only the worker that walks has a frontier of its own.
    wait_until(first, lambda: any((crawl.folder / "data").glob("frontier-*.sqlite")))

    def standing_by(name: str) -> Process:
        log = crawl.folder / f"{name}.log"
        process = crawl.start(*common, "-s", f"LOG_FILE={log}", "-s", "LOG_LEVEL=INFO")
        wait_until(process, lambda: log.exists() and "this one stands by" in log.read_text())
        return process

    stopped, second = standing_by("stopped"), standing_by("second")
    with Redis.from_url(valkey_url) as server:
        assert server.zcard(CrawlKeys("list-demo").workers) == 3
        stopped.send_signal(signal.SIGTERM)
        stopped.communicate(timeout=120)
        assert stopped.wait() == 130
        # It has left, so nobody waits for its lease to end.
        assert server.zcard(CrawlKeys("list-demo").workers) == 2
    first.send_signal(signal.SIGTERM)
    assert first.communicate(timeout=120)
    assert first.wait() == 130
    out, err = second.communicate(timeout=240)
    assert second.wait() == 0, out + err
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("select url from articles")
        assert {url for (url,) in cursor.fetchall()} == set(web.truth())
    assert re.search("another worker crawls; this one stands by", out)


_FLUSHER = """
import time
from redis import Redis

class Flusher:
    seen = 0

    def __init__(self, url):
        self.url = url

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings["FOCUSCRAWL_FRONTIER"])

    def process_response(self, request, response):
        self.seen += 1
        if self.seen == 5:
            server = Redis.from_url(self.url)
            while not any(server.zcard(key) > 1 for key in server.keys("*:workers")):
                time.sleep(0.01)
            server.flushall()
        return response
"""


@pytest.mark.usefixtures("valkey_url")
def test_workers_of_a_server_that_loses_its_data_end_with_an_error(
    crawl: Crawler, demo: Callable[..., DemoWeb], valkey_server: RedisServer
) -> None:
    """Empty the server of two workers with the fifth response, once both are there."""
    demo(days=3)
    crawl.spider = "list"
    (crawl.folder / "flusher.py").write_text(_FLUSHER)
    arguments = (
        "-a", "site=demo", "-s", f"FOCUSCRAWL_FRONTIER={valkey_server.socket_url}",
        "-s", f"FOCUSCRAWL_STORES=sqlite:///{crawl.folder}/one.sqlite",
        "-s", 'DOWNLOADER_MIDDLEWARES={"flusher.Flusher": 900}',
    )  # fmt: skip
    for worker in [crawl.start(*arguments) for _ in range(2)]:
        err = worker.communicate(timeout=120)[1]
        assert worker.wait() == 2, err
        assert re.fullmatch(
            r"error: the server at unix://.* has lost .*, and start .* again\n", err
        )


@pytest.mark.usefixtures("valkey_url")
def test_a_worker_with_another_store_is_refused(crawl: Crawler, valkey_server: RedisServer) -> None:
    crawl.spider = "list"
    theirs = {"FOCUSCRAWL_STORES": "mysql://writer:***@db/news"}
    worker = open_crawl(valkey_server.socket_url, "list-demo", arguments=theirs, slots=1)
    stores = f"sqlite:///{crawl.folder}/own.sqlite"
    done = crawl(
        "-a", "site=demo", "-s", f"FOCUSCRAWL_FRONTIER={valkey_server.socket_url}",
        "-s", f"FOCUSCRAWL_STORES={stores}",
    )  # fmt: skip
    assert done.code == 2
    assert f"FOCUSCRAWL_STORES=mysql://writer:***@db/news there, {stores} here" in done.err
    assert done.err.count("\n") == 1
    worker.close()
