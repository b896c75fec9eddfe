"""A page that fetches itself again, in a real browser, while the server is away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from focuscrawl.web.web_site import WebSite
from tests.web.conftest import served
from tests.web.crawls.run_examples import fill_runs, run_of

RUN = run_of(1, ended=False)
_AGAIN = "htmx.trigger(document.getElementById('live'), 'shown')"


@pytest.fixture
def watched(site: WebSite, browser: Browser) -> Iterator[Any]:
    """The page of a run that goes on."""
    if not site.assets.has_interaction:
        pytest.skip("the libraries are not fetched; run make assets")
    # Now, or else it counts as killed.
    now = datetime.now(UTC)
    fill_runs(site.store_url, [replace(RUN, began_at=now, updated_at=now)])
    # Not by visit: the browser writes each answer of 503 to its console.
    with served(site) as address, browser.new_context(locale="zh-CN") as context:
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(f"{address}/crawls/runs/{RUN.key}")
        page.wait_for_load_state("networkidle")
        yield page
        assert page.faults == []


@pytest.mark.parametrize("is_restarting", [False, True])
def test_says_that_the_server_is_away_and_goes_on(is_restarting: bool, watched: Any) -> None:
    def refuse(route: Route) -> None:
        if is_restarting:
            route.abort("connectionrefused")
        else:
            route.fulfill(status=503, body="away")

    live, away = watched.locator("#live"), watched.locator("#away")
    assert away.is_hidden()
    for pattern in ("**/crawls/runs/*", "**/crawls/runs/*.json"):
        watched.route(pattern, refuse)
    watched.evaluate(_AGAIN)
    away.wait_for(state="visible")
    assert "没有回应" in away.inner_text()
    assert "运行中" in live.inner_text()
    watched.unroute_all()
    watched.evaluate(_AGAIN)
    away.wait_for(state="hidden")
    assert "运行中" in live.inner_text()


def test_a_run_that_is_deleted_while_it_is_watched(site: WebSite, watched: Any) -> None:
    def none(route: Route) -> None:
        # As the server answers where the run is gone; see tests/web/test_error_pages.py.
        route.fulfill(status=200, headers={"HX-Refresh": "true"}, body="")

    watched.route("**/crawls/runs/*", none, times=1)
    with watched.expect_navigation():
        watched.evaluate(_AGAIN)
    assert watched.locator("h1").inner_text() == RUN.crawl
