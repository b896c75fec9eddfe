"""Pages about runs."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from focuscrawl.frontier.frontier_entries import Candidate
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import served
from tests.web.crawls.run_examples import details, fill_runs, run_of

HERE = socket.gethostname()
HOSTILE = '<script>alert("1")</script>'


def cells(html: str) -> list[str]:
    """Return the texts of the table cells of a page."""
    found = re.findall(r"<td[^>]*>(.*?)</td>", html, re.DOTALL)
    return [" ".join(unescape(re.sub("<[^>]+>", " ", cell)).split()) for cell in found]


def test_the_history_shows_runs_newest_first(store_url: str, client: TestClient) -> None:
    now = datetime.now(UTC)
    runs = [
        run_of(1, days=1),
        run_of(2, days=2, crawl="tunnel-finance", spider="tunnel", exit_code=2, reason="error"),
        run_of(3, days=3, ended=False),
        run_of(4, began_at=now - timedelta(minutes=10), ended=False),
    ]
    assert "还没有运行记录" in client.get("/crawls").text
    fill_runs(store_url, runs)
    found = cells(client.get("/crawls").text)
    columns = 16
    assert found[0::columns] == ["maize-demo", "maize-demo", "tunnel-finance", "maize-demo"]
    assert found[1::columns] == ["运行中", "已中断", "失败", "已完成"]
    assert found[3 * columns + 3 : 4 * columns] == [
        *("0:10:00", "200", "30", "10", "5", "0", "0", "0", "7", "2", "40.0 %", "正常结束", "玉米")
    ]
    filtered = cells(client.get("/crawls", params={"crawl": "tunnel-finance"}).text)
    assert filtered[0::columns] == ["tunnel-finance"]
    assert client.get("/crawls", params={"crawl": "nobody's"}).status_code == 200


def test_a_run_and_its_figures(store_url: str, client: TestClient) -> None:
    report = {
        "notes": ["816 URLs wait in data/frontier.sqlite; the next run continues"],
        "results": ["data/focuscrawl.sqlite"],
        "error": HOSTILE,
    }
    run = run_of(1, details=details(report=report), exit_code=2)
    fill_runs(store_url, [run])
    shown = client.get(f"/crawls/runs/{run.key}").text
    for text in (
        "40.0",
        "33.5",
        "46.9",
        "黑名单",
        "www.maize.example",
        "还有 816 个网址在 data/frontier.sqlite 中待抓",
    ):
        assert text in shown
    assert "&lt;script&gt;" in shown
    assert HOSTILE not in shown
    assert "refresh" not in shown
    data = client.get(f"/crawls/runs/{run.key}.json").json()
    assert data["state"] == "failed"
    assert data["dropped"] == {"blacklist": 7}
    assert len(data["series"]) == 11
    assert data["rates"][-1]["rate"] == 0.4
    assert data["hosts"]["www.maize.example"]["pages"] == 190
    for path in ("/crawls/runs/nobody", "/crawls/runs/nobody.json", "/crawls/frontier/nobody"):
        assert client.get(path).status_code == 404


def test_rows_of_other_versions_do_no_harm(store_url: str, client: TestClient) -> None:
    odd = {"series": [[0, 1.5]], "hosts": None, "counts": [], "arguments": {"a": {"b": 1}}}
    fill_runs(store_url, [run_of(1, details=odd), run_of(2, details={})])
    for number in (1, 2):
        assert client.get(f"/crawls/runs/{run_of(number).key}").status_code == 200
    assert client.get("/crawls").status_code == 200


def test_a_drift_is_named_on_both_pages(store_url: str, client: TestClient) -> None:
    history = [run_of(number, days=number) for number in range(6)]
    low = run_of(9, days=9, details=details(200, 20))
    fill_runs(store_url, [*history, low])
    for path in ("/crawls", f"/crawls/runs/{low.key}"):
        assert "收获率 10.0%，远低于往常的 40.0%" in client.get(path).text
    assert "远低于" not in client.get(f"/crawls/runs/{history[-1].key}").text


def _frontier(path: Path) -> SqliteFrontier:
    frontier = SqliteFrontier(path)
    trail = ["http://a.example/", f"定投 {HOSTILE}", "", "", "body"]
    frontier.push([
        Candidate.of(f"http://b.example/{number}.htm", "b.example", float(number),
                     meta={"trail": trail, "steps": 2})
        for number in range(60)
    ] + [Candidate.of("javascript:alert(1)", "c.example", 99.0)])  # fmt: skip
    return frontier


def test_a_frontier_is_read_while_a_crawl_writes_it(
    site: WebSite, store_url: str, client: TestClient
) -> None:
    path = site.data / "frontier-x.sqlite"
    frontier = _frontier(path)
    run = run_of(1, machine=HERE, details=details(frontier=str(path)))
    fill_runs(store_url, [run])
    shown = client.get(f"/crawls/frontier/{run.key}").text
    assert cells(shown)[:6] == ["+99.00", "javascript:alert(1)", "", "种子", "1", ""]
    assert 'href="javascript' not in shown
    assert "http://b.example/59.htm" in shown
    assert "http://b.example/1.htm" not in shown
    assert HOSTILE not in shown
    one = client.get(f"/crawls/frontier/{run.key}", params={"host": "c.example"}).text
    assert "http://b.example/59.htm" not in one
    scores = client.get(f"/crawls/runs/{run.key}.json").json()["scores"]
    assert sum(entry["urls"] for entry in scores) == 61
    # The crawl goes on.
    assert frontier.push([Candidate.of("http://d.example/", "d.example", 100.0)]).new == 1
    assert "http://d.example/" in client.get(f"/crawls/frontier/{run.key}").text
    frontier.close()
    assert "http://d.example/" in client.get(f"/crawls/frontier/{run.key}").text


def test_no_other_file_is_opened(site: WebSite, store_url: str, client: TestClient) -> None:
    outside = site.data.parent / f"{site.data.name}-outside.sqlite"
    _frontier(outside).close()
    link = site.data / "link.sqlite"
    link.symlink_to(outside)
    paths = {
        "outside": str(outside),
        "dots": f"{site.data}/../{outside.name}",
        "link": str(link),
        "missing": str(site.data / "missing.sqlite"),
        "folder": str(site.data),
        "nul": "a\0b",
        "number": 5,
    }
    runs = [
        run_of(number, machine=HERE, details=details(frontier=path))
        for number, path in enumerate(paths.values())
    ]
    inside = site.data / "frontier-x.sqlite"
    _frontier(inside).close()
    runs.append(run_of(99, machine="elsewhere", details=details(frontier=str(inside))))
    fill_runs(store_url, runs)
    for run in runs:
        assert client.get(f"/crawls/frontier/{run.key}").status_code == 404
        assert client.get(f"/crawls/runs/{run.key}").status_code == 200
    other = run_of(7, machine=HERE, details=details(frontier=str(site.data / "web.sqlite")))
    fill_runs(store_url, [other])
    assert "is not a frontier file" in client.get(f"/crawls/frontier/{other.key}").text


def test_charts_are_drawn_and_without_javascript_there_are_tables(
    site: WebSite, store_url: str, visit: Callable[..., Any]
) -> None:
    run = run_of(1, began_at=datetime.now(UTC) - timedelta(minutes=10), ended=False)
    fill_runs(store_url, [run])
    path = f"/crawls/runs/{run.key}"
    with served(site) as address:
        page = visit(f"{address}{path}")
        page.wait_for_selector("#harvest-chart canvas")
        # The page of a running crawl fetches its tables again, and keeps its chart.
        with page.expect_response(f"**{path}", timeout=30_000):
            pass
        page.wait_for_selector("#harvest-chart canvas")
        plain = visit(f"{address}{path}", java_script_enabled=False)
        plain.click("summary")
        assert "40.0" in plain.inner_text("details table")
        assert plain.locator("meta[http-equiv=refresh]").count() == 1
