"""Crawls of the demo web that are started, watched and stopped in the web views."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.errors import StoreError
from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts.change_log import Author, newest_changes
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.crawls.crawl_arguments import CrawlProject
from focuscrawl.web.crawls.crawl_logs import log_part
from focuscrawl.web.crawls.crawl_processes import (
    CrawlProcess,
    environment,
    identity_of,
    note_ends,
    send_signal,
)
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, log_in, run_async, served, site_over

FORM = {"spider": "maize", "argument.site": "demo", "argument.title": "玉米"}
AUTHOR = Author("operator", "")
_PATIENCE = 60


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Starts a demo web that all crawls use as proxy."""
    servers: list[DemoServer] = []
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "focuscrawl.settings")

    def start(days: int = 3, latency_ms: int = 0) -> None:
        web = DemoWeb(seed=7, days=days, today=date.today(), latency_ms=latency_ms)
        server = DemoServer(web)
        server.start()
        servers.append(server)
        for name, url in server.proxy_environment.items():
            monkeypatch.setenv(name, url)

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WebSite]:
    """A site with users over the SQLite store of its own project; crawls that are left are killed."""
    (tmp_path / "data").mkdir()
    url = sqlite_url(tmp_path / "data" / "focuscrawl.sqlite")
    site = site_over(url, tmp_path / "data", project=CrawlProject(folder=tmp_path))
    add_users(site)
    with closing(site.database):
        yield site
    for child in site.children.values():
        child.kill()
        child.wait()


@pytest.fixture
def operator(site: WebSite, client: TestClient) -> TestClient:
    log_in(client, Role.OPERATOR)
    return client


def wait_for(found: Callable[[], Any]) -> Any:
    """Wait for something true."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError("waited too long")


def ended(site: WebSite, number: int) -> CrawlProcess:
    """Wait for the end of a crawl."""

    def work() -> CrawlProcess | None:
        run_async(note_ends(site))
        process = site.database.run_now(crawl_processes.numbered, number)
        return process if process and process.ended_at else None

    found: CrawlProcess = wait_for(work)
    return found


def log_of(site: WebSite, number: int) -> str:
    process = site.database.run_now(crawl_processes.numbered, number)
    path = process and crawl_processes.log_of(site, process)
    return "\n".join(log_part(path).lines) if path else ""


def test_the_same_crawl_is_not_started_twice(site: WebSite, operator: TestClient) -> None:
    arguments = {"site": "demo", "title": "玉米"}
    site.database.run_now(crawl_processes.begin, AUTHOR, "maize", arguments)
    refused = operator.post("/crawls/start", data=FORM)
    assert refused.status_code == 409
    assert "/crawls/processes/1" in refused.text


def test_a_crawl_is_stopped_gracefully_then_killed(
    demo: Callable[..., None], site: WebSite, operator: TestClient
) -> None:
    demo(days=300, latency_ms=300)
    operator.post("/crawls/start", data=FORM)
    # As after a restart of the server.
    child = site.children.pop(1)
    path = "/crawls/processes/1"
    assert operator.post(path, data={"action": "kill"}).status_code == 400
    wait_for(lambda: "运行中" in operator.get("/crawls").text)
    (key,) = re.findall(r"/crawls/runs/(\w+)", operator.get("/crawls").text)
    assert path in operator.get(f"/crawls/runs/{key}").text
    assert 'value="stop"' in operator.get("/crawls/start").text
    assert operator.post(path, data={"action": "stop"}).status_code == 303
    assert child.wait(_PATIENCE) == 130, log_of(site, 1)
    assert "已停止" in operator.get("/crawls").text
    assert "已结束" in operator.get("/crawls/start").text
    assert operator.post(path, data={"action": "stop"}).status_code == 400
    assert operator.post("/crawls/processes/99", data={"action": "stop"}).status_code == 404
    operator.post("/crawls/start", data=FORM)
    child = site.children[2]
    child.send_signal(signal.SIGSTOP)
    # Once it has stopped, it does not see the signal that ends it orderly.
    os.waitpid(child.pid, os.WUNTRACED)
    operator.post("/crawls/processes/2", data={"action": "stop"})
    operator.post("/crawls/processes/2", data={"action": "kill"})
    assert ended(site, 2).exit_code == -signal.SIGKILL, log_of(site, 2)


def test_a_process_with_the_same_number_is_left_alone(site: WebSite, operator: TestClient) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert identity_of(other.pid)
        run = site.database.run_now
        number = run(crawl_processes.begin, AUTHOR, "maize", {})
        values = {"pid": other.pid, "identity": f"{identity_of(os.getpid())}"}
        run(crawl_processes.set_started, number, values)
        for action in ("stop", "kill"):
            operator.post(f"/crawls/processes/{number}", data={"action": action})
        assert other.poll() is None
        assert run(crawl_processes.living) == []
        assert not send_signal(other.pid, "", signal.SIGKILL)
        assert send_signal(other.pid, identity_of(other.pid), signal.SIGTERM)
        assert other.wait() == -signal.SIGTERM
    assert identity_of(other.pid) == ""


def test_a_crawl_has_no_secret_of_the_server(
    site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_WEB_SECRET", "geheim")
    monkeypatch.setenv("FOCUSCRAWL_WEB_METRICS_TOKEN", "geheim")
    monkeypatch.setenv("FOCUSCRAWL_WEBHOOK_TOKEN", "of the crawl itself")
    plain = environment(site, {"site": "demo"})
    assert "geheim" not in plain.values()
    assert plain["FOCUSCRAWL_WEBHOOK_TOKEN"] == "of the crawl itself"
    assert plain["FOCUSCRAWL_STORES"] == site.store_url
    assert "FOCUSCRAWL_TRUST_URLS" not in plain
    named = environment(site, {"site": "demo", "start_url": "http://a.example/"})
    assert named["FOCUSCRAWL_TRUST_URLS"] == "False"


@pytest.mark.parametrize(
    "changes", [{"argument.site": "/etc/passwd"}, {"setting": "LOG_FILE=/x"}, {"spider": "x"}]
)
def test_nothing_is_started_with_bad_values(
    changes: dict[str, str], site: WebSite, operator: TestClient
) -> None:
    assert operator.post("/crawls/start", data=FORM | changes).status_code == 400
    assert site.database.run_now(crawl_processes.newest) == []


def test_an_operator_starts_a_crawl_and_an_alarm_fires(
    demo: Callable[..., None], site: WebSite, visit: Callable[..., Any]
) -> None:
    """The whole flow in Chromium: the titles leave no article, which is an alarm."""
    demo(days=2)
    site.tick_seconds = 0.3
    with served(site) as address:
        page = visit(f"{address}/login?next=/crawls")
        page.fill("input[name=name]", "operator")
        page.fill("input[name=password]", PASSWORD)
        page.click("main button")
        page.goto(f"{address}/alarms/rules/new?kind=drift")
        page.click("main form button")
        page.goto(f"{address}/crawls/start?spider=maize")
        page.select_option("select[name='argument.site']", "demo")
        page.fill("input[name='argument.title']", "没有这样的标题")
        page.click("text=立即启动")
        # By themselves: the process, its run, and the run's end.
        page.wait_for_url("**/crawls/runs/*", wait_until="networkidle")
        page.wait_for_selector("text=已完成")
        assert page.locator("text=用同样的参数再运行").count() == 1
        assert "没有选出任何文章" in page.inner_text("main")
        data = page.request.get(f"{page.url}.json").json()
        assert data["arguments"] == {"site": "demo", "title": "没有这样的标题"}
        page.goto(f"{address}/crawls/start")
        while "已结束 (0)" not in page.inner_text("main"):
            page.wait_for_timeout(200)
            page.reload()
        page.goto(f"{address}/crawls/processes/1/log")
        assert "maize-demo: finished" in page.inner_text(".log")
        page.click("text=错误以上")
        assert "日志里没有这样的行" in page.inner_text("main")
        page.goto(f"{address}/alarms")
        while not page.locator("text=没有选出任何文章").count():
            page.wait_for_timeout(200)
            page.reload()
        assert "maize-demo" in page.inner_text("tbody")
    changes = site.database.run_now(newest_changes, 9)
    assert [one.name for one in changes if one.action == "crawl.start"] == ["operator"]


def test_one_leads_from_a_crawl_to_its_run_its_data_its_workbook_and_once_more(
    demo: Callable[..., None], site: WebSite, operator: TestClient
) -> None:
    demo(days=1)
    stores = f"{site.store_url},excel:///{site.data}/focuscrawl.xlsx"
    site.project = CrawlProject(folder=site.project.folder, stores=stores)
    place = operator.post("/crawls/start", data=FORM).headers["location"]
    assert place == "/crawls/processes/1"
    assert "正在启动" in operator.get(place).text
    assert ended(site, 1).exit_code == 0, log_of(site, 1)
    sheet = load_workbook(site.data / "focuscrawl.xlsx").worksheets[0]
    assert sheet.max_row > 10
    run = operator.get(operator.get(place).headers["location"]).text
    assert f"{place}/log" in run
    (data,) = re.findall(r'href="(/search\?[^"]*)"', run)
    assert "玉米" in operator.get(data).text
    again = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]+)"', run))
    assert {name: again[name] for name in FORM} == FORM
    assert operator.post("/crawls/start", data=FORM).headers["location"] == "/crawls/processes/2"


def test_a_crawl_begins_only_when_its_process_is_noted(
    site: WebSite, operator: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_connection: Any, number: int, _: Any) -> None:
        pids.append(site.children[number].pid)
        raise StoreError("the database does not answer")

    pids: list[int] = []
    monkeypatch.setattr(crawl_processes, "set_started", fail)
    assert operator.post("/crawls/start", data=FORM).status_code == 502
    assert [identity_of(pid) for pid in pids] == [""]
    (log,) = (site.data / "logs").iterdir()
    assert (log.read_text(), site.children) == ("", {})
