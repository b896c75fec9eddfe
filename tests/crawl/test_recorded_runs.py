"""The row that each run leaves in the stores."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Any

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.summary.run_series import RunPoint
from tests.crawl.conftest import Crawler

pytestmark = pytest.mark.usefixtures("no_workbook")

Demo = Callable[..., DemoWeb]
SITE = ("-a", "site=demo")
_LOGGED_STATS = (
    *("-L", "INFO", "-s", 'EXTENSIONS={"scrapy.extensions.periodic_log.PeriodicLog": 1}'),
    *("-s", 'PERIODIC_LOG_STATS={"include": ["frontier/waiting"]}', "-s", "LOGSTATS_INTERVAL=0.01"),
)


def runs(crawl: Crawler) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(crawl.database)) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute("SELECT * FROM crawl_runs")]
    for row in found:
        row["details"] = json.loads(row["details"])
    return sorted(found, key=lambda row: row["began_at"])


def test_a_run_leaves_a_row_with_its_report(crawl: Crawler, demo: Demo) -> None:
    demo(days=3, latency_ms=50)
    done = crawl(*SITE, "-a", "title=玉米", *_LOGGED_STATS)
    assert done.code == 0
    logged = {int(number) for number in re.findall(r'"frontier/waiting": (\d+)', done.err)}
    assert logged > {0}
    assert crawl(*SITE, "-a", "until=2001-01-01").code == 0
    first, second = runs(crawl)
    assert (first["crawl"], first["spider"], first["reason"]) == (
        *("maize-demo", "maize", "finished"),
    )
    assert (first["exit_code"], second["exit_code"]) == (0, 0)
    details = first["details"]
    assert details["arguments"] == {"site": "demo", "title": "玉米"}
    assert details["rules"]["name"] == "demo"
    assert {*details["start_hosts"]} & details["hosts"].keys()
    assert details["report"]["counts"]["articles"]["new"] > 0
    *_, last = details["series"]
    assert RunPoint(*last).waiting == 0
    assert last[1] == details["report"]["counts"]["pages"]["responses"]
    assert sum(count for count, *_ in details["hosts"].values()) == last[1]
    began, updated, ended = (
        datetime.fromisoformat(first[name]) for name in ("began_at", "updated_at", "ended_at")
    )
    assert began < updated == ended


def test_a_run_that_ends_early_says_so(crawl: Crawler, demo: Demo) -> None:
    demo(days=3)
    done = crawl(*SITE, "-s", "CLOSESPIDER_PAGECOUNT=2")
    (row,) = runs(crawl)
    assert (row["reason"], row["exit_code"]) == ("closespider_pagecount", 3)
    assert done.code == 3
    assert "not done  closed by CLOSESPIDER_PAGECOUNT; run again to resume" in done.out
    assert RunPoint(*row["details"]["series"][-1]).waiting > 0


def test_a_running_crawl_is_seen_and_a_killed_one_has_no_end(crawl: Crawler, demo: Demo) -> None:
    demo(days=30, latency_ms=200)
    process = crawl.start(*SITE)
    while not crawl.database.exists() or not _has_rows(crawl):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (row,) = runs(crawl)
    assert (row["ended_at"], row["exit_code"], row["reason"]) == (None, None, "")
    assert row["details"]["pid"] == process.pid
    assert row["details"]["frontier"].endswith("frontier-maize-demo.sqlite")


def _has_rows(crawl: Crawler) -> bool:
    with closing(sqlite3.connect(crawl.database)) as connection:
        try:
            return bool(connection.execute("SELECT count(*) FROM crawl_runs").fetchone()[0])
        except sqlite3.OperationalError:
            return False


def test_secrets_are_masked(crawl: Crawler, demo: Demo) -> None:
    demo(days=1)
    crawl(*SITE, "-a", "start_url=http://user:geheim@www.maize.example/list")
    (row,) = runs(crawl)
    assert "geheim" not in json.dumps(row["details"])
