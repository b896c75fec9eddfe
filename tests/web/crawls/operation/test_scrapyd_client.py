"""The client of a Scrapyd, with a server that answers as Scrapyd's documentation says.

``tests/deploy/test_scrapyd.py`` has it talk to Scrapyd itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from focuscrawl.errors import ArgumentError, StoreError
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls.operation.scrapyd_client import Scrapyd, scrapyd_at
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, log_in


class FakeScrapyd(BaseHTTPRequestHandler):
    """Jobs begin to run at once, and end when they are cancelled."""

    jobs: dict[str, dict[str, list[str]]]

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if form["project"] != ["focuscrawl"]:
            self.answer({"status": "error", "message": "project 'x' not found"})
        elif self.path == "/api/schedule.json":
            self.jobs["6487ec79947edab326d6db28a2d86511"] = form
            self.answer({"status": "ok", "jobid": "6487ec79947edab326d6db28a2d86511"})
        elif self.path == "/api/cancel.json":
            is_known = self.jobs.pop(form["job"][0], None) is not None
            self.answer({"status": "ok", "prevstate": "running" if is_known else None})

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        assert parts.path == "/api/listjobs.json"
        assert parse_qs(parts.query) == {"project": ["focuscrawl"]}
        running = [{"id": job, "spider": form["spider"][0]} for job, form in self.jobs.items()]
        self.answer({"status": "ok", "pending": [], "running": running, "finished": []})

    def answer(self, content: Any) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"node_name": "vm", **content}).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    handler = type("Handler", (FakeScrapyd,), {"jobs": {}})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        handler.address = f"http://127.0.0.1:{server.server_port}/api"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield handler
        server.shutdown()


def test_a_job_is_started_seen_and_cancelled(server: Any) -> None:
    scrapyd = scrapyd_at(f"{server.address}/", "focuscrawl")
    assert scrapyd
    job = scrapyd.schedule("maize", {"site": "demo", "title": "玉米"}, {"A": "1", "B": "2"})
    assert server.jobs[job] == {
        "project": ["focuscrawl"], "spider": ["maize"], "site": ["demo"], "title": ["玉米"],
        "setting": ["A=1", "B=2"],
    }  # fmt: skip
    assert not scrapyd.has_ended(job)
    scrapyd.cancel(job)
    assert scrapyd.has_ended(job)


def test_errors_say_what_is_wrong(server: Any) -> None:
    with pytest.raises(StoreError, match="project 'x' not found"):
        Scrapyd(server.address, "x").schedule("maize", {}, {})
    with pytest.raises(StoreError, match="does not answer"):
        Scrapyd("http://127.0.0.1:9", "x").schedule("maize", {}, {})
    with pytest.raises(ArgumentError, match="setting"):
        Scrapyd(server.address, "x").schedule("maize", {"setting": "LOG_FILE=/x"}, {})
    for url in ("ftp://x", "http://", "http://user:pw@x/", "127.0.0.1:6800", "http://x/?a=b"):
        with pytest.raises(ArgumentError, match="FOCUSCRAWL_WEB_SCRAPYD"):
            scrapyd_at(url, "focuscrawl")
    assert scrapyd_at("", "focuscrawl") is None


def test_crawls_are_jobs_where_there_is_a_scrapyd(
    site: WebSite, client: TestClient, server: Any
) -> None:
    site.scrapyd = scrapyd_at(server.address, "focuscrawl")
    add_users(site)
    log_in(client, Role.OPERATOR)
    form = {"spider": "maize", "argument.site": "demo"}
    assert client.post("/crawls/start", data=form).status_code == 303
    (job,) = server.jobs.values()
    assert job["site"] == ["demo"]
    assert "setting" not in job
    assert client.post("/crawls/start", data=form).status_code == 409
    assert "运行中" in client.get("/crawls/start").text
    assert client.post("/crawls/processes/1", data={"action": "stop"}).status_code == 303
    assert "已结束" in client.get("/crawls/start").text
    site.scrapyd = Scrapyd("http://127.0.0.1:9", "focuscrawl")
    answer = client.post("/crawls/start", data=form)
    assert answer.status_code == 502
    assert "does not answer" in answer.text
