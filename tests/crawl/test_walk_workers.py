"""Spiders that hold their walk in memory, started several times on one frontier server."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

import pytest
from redis import Redis

from focuscrawl.demo import DemoWeb
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from tests.conftest import mysql_connection
from tests.crawl.conftest import Crawler, wait_until
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


def test_more_processes_for_one_walk_are_refused(crawl: Crawler) -> None:
    done = crawl("-a", "site=demo", "-s", "FOCUSCRAWL_WORKERS=2")
    assert done.code == 2
    assert done.err.startswith("error: a maize crawl is walked by one worker")
    assert done.err.count("\n") == 1
