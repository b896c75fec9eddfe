"""A database that is away when the server starts, and one that goes away while it runs."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focuscrawl.web import web_application
from tests.servers.process import ServerProcess
from tests.stores import record_examples
from tests.web.conftest import client_of, fill, site_over

_PATIENCE = 60


def wait_for(client: TestClient, address: str, status: int) -> str:
    end = time.monotonic() + _PATIENCE
    while (answer := client.get(address)).status_code != status:
        assert time.monotonic() < end, answer.text
        time.sleep(0.1)
    return answer.text


def test_pages_say_so_and_come_back(
    mysql_server: ServerProcess, mysql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_application, "_RETRY_SECONDS", 0.1)
    fill(mysql_url, [record_examples.page()])
    site = site_over(mysql_url, tmp_path)
    mysql_server.stop()
    with closing(site.database):
        try:
            with client_of(site) as client:
                said = client.get("/search")
                assert said.status_code == 503
                assert said.headers["refresh"]
                assert "数据库暂时无法访问" in said.text
                assert "call open()" not in said.text
                mysql_server.start()
                assert record_examples.page().title in wait_for(client, "/search", 200)
                mysql_server.stop()
                assert client.get("/search").status_code == 503
                mysql_server.start()
                wait_for(client, "/search", 200)
        finally:
            mysql_server.stop()
            mysql_server.start()
