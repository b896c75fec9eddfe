"""Figures for Prometheus."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from starlette.testclient import TestClient

from focuscrawl.web.crawls.metrics_page import run_lines
from focuscrawl.web.crawls.run_facts import RunFacts
from focuscrawl.web.web_application import create_application
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import HOST, add_users
from tests.web.crawls.run_examples import details, fill_runs, run_of

_SAMPLE = re.compile(r'(focuscrawl_\w+)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[0-9.e+-]+)')


def test_the_last_run_of_each_crawl_is_shown(
    site: WebSite, store_url: str, client: TestClient
) -> None:
    now = datetime.now(UTC)
    fill_runs(store_url, [
        run_of(1, days=1, details=details(100, 10)),
        run_of(2, days=2),
        run_of(3, crawl='a"\\\nb', began_at=now - timedelta(minutes=10), ended=False),
    ])  # fmt: skip
    assert client.get("/metrics").status_code == 404
    site.has_metrics = True
    # Without users, only this machine is answered, and the client of the tests is not.
    assert client.get("/metrics").status_code == 401
    site.metrics_token = "geheim"
    answer = client.get("/metrics", headers={"Authorization": "Bearer geheim"})
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    found = {}
    for line in lines:
        match = _SAMPLE.fullmatch(line)
        assert match, line
        found[match[1] + (match[2] or "")] = float(match[3])
    label = '{crawl="maize-demo",spider="maize"}'
    assert found[f"focuscrawl_run_pages{label}"] == 200
    assert found[f"focuscrawl_run_harvest_ratio{label}"] == 0.4
    state = 'focuscrawl_run_state{crawl="a\\"\\\\\\nb",spider="maize",state='
    assert found[f'{state}"running"}}'] == 1
    assert found[f'{state}"killed"}}'] == 0
    assert found["focuscrawl_store_up"] == 1


def test_without_users_this_machine_is_answered(site: WebSite) -> None:
    site.has_metrics = True
    application = create_application(site, ["127.0.0.1"])
    with TestClient(application, HOST, client=("127.0.0.1", 50_000)) as client:
        assert "focuscrawl_store_up 1" in client.get("/metrics").text
        add_users(site)
        assert client.get("/metrics").status_code == 401


def test_nobody_reads_them_without_the_token(site: WebSite, client: TestClient) -> None:
    site.has_metrics, site.metrics_token = True, "geheim"
    for header in ("", "Bearer", "Bearer falsch", "Basic geheim", "Bearer geheim2", "Bearer é"):
        headers = {"Authorization": header.encode()} if header else {}
        assert client.get("/metrics", headers=headers).status_code == 401
    site.metrics_token = ""
    add_users(site)
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401


def test_the_workers_of_a_crawl_are_shown_side_by_side() -> None:
    now = datetime.now(UTC)
    workers = [
        run_of(
            number,
            began_at=now - timedelta(minutes=number),
            updated_at=now,
            ended=number == 1,
            details=details(100 * number, worker=f"m:{number}"),
        )
        for number in (1, 2, 3)
    ]
    lines = run_lines([RunFacts(run, now) for run in workers])
    pages = [line for line in lines if line.startswith("focuscrawl_run_pages{")]
    # A worker that has ended has nothing to be watched.
    assert pages == [
        f'focuscrawl_run_pages{{crawl="maize-demo",spider="maize",worker="m:{number}"}} {100 * number}'
        for number in (2, 3)
    ]
    ended = [run_of(n, days=-n, details=details(worker=f"m:{n}")) for n in (1, 2)]
    assert "".join(run_lines([RunFacts(run, now) for run in ended])).count("run_pages{") == 1
