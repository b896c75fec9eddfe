"""Crawls as jobs of a Scrapyd that was set up as the documentation says."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pytest

from focuscrawl.demo import DemoServer, DemoWeb
from tests.conftest import running
from tests.servers import scrapyd_server
from tests.servers.scrapyd_server import PROJECT, ScrapydServer
from tests.system.test_worker_pool import is_running

QUICKLY = {"DOWNLOAD_DELAY": "0", "AUTOTHROTTLE_ENABLED": "False", "LOG_LEVEL": "INFO"}


@pytest.fixture(scope="module")
def scrapyd() -> Iterator[ScrapydServer]:
    """A Scrapyd whose crawls reach the demo web and nothing else."""
    with DemoServer(DemoWeb(seed=7, days=3, today=date(2026, 3, 5))) as web:

        def make(folder: Path) -> ScrapydServer:
            server = scrapyd_server.make(folder)
            server.environment |= web.proxy_environment
            return server

        with running(make) as server:
            yield server


def days_of_articles(scrapyd: ScrapydServer) -> list[str]:
    path = scrapyd.folder / "data" / "focuscrawl.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        return [row[0][:10] for row in connection.execute("select published from articles")]


def test_scrapy_cfg_and_the_password_are_all_that_the_project_needs(scrapyd: ScrapydServer) -> None:
    assert '"focuscrawl"' in scrapyd.ask("listprojects.json")
    assert '"tunnel"' in scrapyd.ask("listspiders.json?project=focuscrawl")
    opener = build_opener(ProxyHandler({}))
    with pytest.raises(HTTPError, match="401"):
        opener.open(f"{scrapyd.url}/listjobs.json", timeout=60)


def test_a_job_crawls_with_its_arguments_and_settings(scrapyd: ScrapydServer) -> None:
    job = scrapyd.schedule("maize", {"site": "demo", "since": "2026-03-04"}, QUICKLY)
    found = scrapyd.wait(job)
    assert (found["spider"], found["state"]) == ("maize", "finished")
    log = scrapyd.ask(found["log_url"].lstrip("/"))
    assert "maize-demo: finished" in log
    days = days_of_articles(scrapyd)
    assert f"{len(days)} new" in log
    assert set(days) == {"2026-03-04", "2026-03-05"}


def test_the_log_of_a_job_says_what_was_wrong_and_its_end_outlives_a_restart(
    scrapyd: ScrapydServer,
) -> None:
    job = scrapyd.schedule("maize", {"site": "no-such"}, {})
    log = scrapyd.ask(scrapyd.wait(job)["log_url"].lstrip("/"))
    assert "there is no site profile 'no-such'" in log
    scrapyd.stop()
    scrapyd.start()
    assert scrapyd.jobs()[job]["state"] == "finished"


def test_a_stop_lets_the_crawls_end_in_order(scrapyd: ScrapydServer) -> None:
    # Slowly enough that it is not done before.
    job = scrapyd.schedule("list", {"site": "demo"}, {"DOWNLOAD_DELAY": "3", "LOG_LEVEL": "INFO"})
    log = scrapyd.folder / "log" / "scrapyd" / PROJECT / "list" / f"{job}.log"
    wait_for(lambda: log.exists() and "Spider opened" in log.read_text("utf-8"))
    pid = scrapyd.jobs()[job]["pid"]
    scrapyd.stop()
    wait_for(lambda: not is_running(pid))
    assert "list-demo: shutdown" in log.read_text("utf-8")
    assert "Traceback" not in log.read_text("utf-8")
    scrapyd.start()
    assert job not in scrapyd.jobs()


def wait_for(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
