"""``scrapy crawl template`` started several times on one frontier server: one window of all workers."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pymysql
import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.firms.firm_web import Firms
from tests.conftest import mysql_connection
from tests.crawl.conftest import Crawler, wait_until
from tests.crawl.test_template import FAST, SEARCHED
from tests.servers.warm_scrapy import Process

pytestmark = pytest.mark.server

RECORDS = (
    "select url, site, seed, fields, region_md5, gone_at is null from template_records order by url"
)
SEEDS = "select url, state, `rank`, `window`, query from seeds order by url"
CRAWLED = "select url from seeds where state in ('useful', 'useless', 'failed')"
ARGUMENTS = (*SEARCHED, "-a", "pages=76", "-a", "engine=demo", *FAST, "-s", "CONCURRENT_REQUESTS=4")

PATIENT = ("-s", "DOWNLOAD_TIMEOUT=60")


class Workers:
    """Workers of one crawl with a Valkey and a MariaDB."""

    def __init__(self, crawl: Crawler, valkey_url: str, mysql_url: str) -> None:
        crawl.spider = "template"
        self.crawl, self._mysql_url = crawl, mysql_url
        self._servers = ["-s", f"FOCUSCRAWL_FRONTIER={valkey_url}"]
        self._servers += ["-s", f"FOCUSCRAWL_STORES={mysql_url}"]

    def start(self, *arguments: str) -> Process:
        return self.crawl.start(*ARGUMENTS, *self._servers, *arguments)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return rows of the MariaDB, as those of SQLite."""
        with (
            closing(mysql_connection(self._mysql_url)) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(query)
            return [tuple(row) for row in cursor.fetchall()]

    def has_crawled_one(self) -> bool:
        """Return whether a seed is settled."""
        try:
            return bool(self.rows(CRAWLED))
        except pymysql.Error:
            # The first worker creates database and tables.
            return False


@pytest.fixture
def workers(crawl: Crawler, valkey_url: str, mysql_url: str) -> Workers:
    return Workers(crawl, valkey_url, mysql_url)


def outputs(*processes: Process) -> list[str]:
    """Return what workers printed that end without a fault."""
    found = [process.communicate(timeout=240) for process in processes]
    codes = [process.wait() for process in processes]
    assert not any(codes), (codes, found)
    assert "Traceback" not in str(found)
    return [out for out, _ in found]


def comparable(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return records with their fields as objects."""
    return [
        tuple(json.loads(v) if isinstance(v, str) and v[:1] == "[" else v for v in row)
        for row in rows
    ]


def crawled_by_one(crawl: Crawler, *arguments: str) -> tuple[list[Any], list[Any]]:
    """Return records and seeds of the same crawl in one process with SQLite."""
    done = crawl(*ARGUMENTS, "-s", f"FOCUSCRAWL_STORES=sqlite:///{crawl.database}", *arguments)
    assert done.code == 0, done.err
    return crawl.rows(RECORDS), crawl.rows(SEEDS)


def test_workers_find_what_one_finds_and_choose_the_same_seeds_in_each_window(
    workers: Workers, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(4, 30)
    web = demo(more_sites=firms, latency_ms=100)
    for window, count in ((1, 3), (2, 2)):
        firms.window = window
        web.log.clear()
        records, seeds = crawled_by_one(workers.crawl)
        assert {"skipped", "useful", "useless"} <= {state for _, state, *_ in seeds}
        requested = Counter(web.log)
        web.log.clear()
        printed = outputs(*(workers.start() for _ in range(count)))
        assert workers.rows(SEEDS) == seeds
        assert comparable(workers.rows(RECORDS)) == comparable(records)
        # Only robots.txt is requested by each of them.
        again = Counter(web.log) - requested
        assert {url for _, url in again if not url.endswith("/robots.txt")} == set()
        (total,) = re.findall(r"^  seeds +(\d+): ", "\n".join(printed), re.MULTILINE)
        assert int(total) == sum(number == window for *_, number, _ in seeds)
        shares = [int(out.split("  sites     ")[1].split()[0]) for out in printed]
        assert min(shares) > 0
        crawled = [one for one in seeds if one[1] != "skipped" and one[3] == window]
        assert sum(shares) == len(crawled)
    assert any(not is_there for *_, is_there in records)


def test_the_last_of_three_workers_completes_the_window_of_two_that_are_killed(
    workers: Workers, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(more_sites=Firms(4, 30))
    records, seeds = crawled_by_one(workers.crawl)
    requested = Counter(web.log)
    web.log.clear()
    web.latency_ms = 1000
    leader = workers.start(*PATIENT)
    wait_until(leader, workers.has_crawled_one)
    # Long enough for the others to get their shares.
    web.latency_ms = 6_000
    logs = [workers.crawl.folder / f"{name}.log" for name in ("second", "third")]
    others = [
        workers.start(*PATIENT, "-s", f"LOG_FILE={log}", "-s", "LOG_LEVEL=DEBUG") for log in logs
    ]
    for other, log in zip(others, logs, strict=True):
        wait_until(other, partial(has_fetched, log))
    for process in (leader, others[0]):
        process.send_signal(signal.SIGKILL)
        process.wait()
    web.latency_ms = 0
    (out,) = outputs(others[1])
    assert "resumed window 1, which was interrupted" in out
    assert workers.rows(SEEDS) == seeds
    assert comparable(workers.rows(RECORDS)) == comparable(records)
    again = Counter(web.log) - requested
    sites = {urlsplit(url).hostname for _, url in again if not url.endswith("/robots.txt")}
    # Those that two workers were crawling.
    assert len(sites) <= 2 * 4


def has_fetched(log: Path) -> bool:
    """Return whether a worker has got a page, by its log."""
    return log.exists() and "Crawled (200)" in log.read_text()
