"""Hosts without an answer, and proxies that are down for a while: what waits, and what fails."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError, ResponseDataLossError
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import INCOMPLETE_STAT
from focuscrawl.middlewares import silent_hosts
from focuscrawl.middlewares.silent_hosts import SilentHosts
from focuscrawl.scheduling.request_errback import Errback, HostUnavailableError

REFUSED = DownloadConnectionRefusedError()
PROXY = "http://127.0.0.1:8899"


def wait_after(
    failures: int | None, error: Exception = REFUSED, *, middleware: Any = None, **meta: Any
) -> float | None:
    """Return the seconds that a host waits after an error, None if the page is retried or fails."""
    scheduler: Any = SimpleNamespace(failed_trials=lambda request: failures)
    crawler: Any = SimpleNamespace(engine=SimpleNamespace(scheduler=scheduler))
    middleware = middleware or SilentHosts(crawler, 3, 5.0, 600.0)
    request = Request("http://a.test/", errback=Errback(scheduler, None), meta=meta)
    try:
        middleware.process_exception(request, error)
    except HostUnavailableError as waits:
        return waits.seconds
    return None


def test_a_host_that_never_answered_waits_and_then_is_left_to_the_next_run() -> None:
    assert [wait_after(failures) for failures in range(4)] == [5.0, 10.0, inf, inf]


def test_a_host_that_has_answered_and_a_broken_answer_are_left_to_retries() -> None:
    assert wait_after(None) is None
    assert wait_after(0, ResponseDataLossError()) is None


def test_a_host_that_stops_answering_is_tried_by_one_page_again() -> None:
    doubted: list[str] = []
    scheduler: Any = SimpleNamespace(
        failed_trials=lambda request: None, doubt_host=lambda request: doubted.append(request.url)
    )
    crawler: Any = SimpleNamespace(engine=SimpleNamespace(scheduler=scheduler))
    middleware: Any = SilentHosts(crawler, 3, 5.0, 600.0)
    assert [wait_after(None, middleware=middleware) for _ in range(3)] == [None] * 3
    middleware.process_response(Request("http://a.test/x"), Response("http://a.test/x"))
    assert [wait_after(None, middleware=middleware) for _ in range(4)] == [None] * 3 + [5.0]
    assert doubted == ["http://a.test/"]


def test_what_was_left_to_the_next_run_is_not_asked_again() -> None:
    scheduler: Any = SimpleNamespace(failed_trials=lambda request: 2)
    crawler: Any = SimpleNamespace(engine=SimpleNamespace(scheduler=scheduler))
    middleware: Any = SilentHosts(crawler, 3, 5.0, 600.0)
    other_port = Request("http://a.test:8080/", errback=Errback(scheduler, None))
    assert wait_after(2, middleware=middleware) == inf
    with pytest.raises(HostUnavailableError, match="connection refused"):
        middleware.process_request(other_port.replace(url="http://a.test/other"))
    middleware.process_request(other_port)
    # Another scheduler has nowhere to leave it.
    middleware.process_request(Request("http://a.test/other"))


def test_requests_of_another_scheduler_are_left_to_retries() -> None:
    middleware = SilentHosts(SimpleNamespace(), 3, 5.0, 600.0)  # type: ignore[arg-type]
    middleware.process_exception(Request("http://a.test/"), REFUSED)


def test_while_a_proxy_is_down_for_a_minute_every_host_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(silent_hosts, "time", SimpleNamespace(monotonic=lambda: now))
    crawler = get_crawler()
    middleware: Any = SilentHosts(crawler, 3, 0.0, 600.0)
    # One that never worked is a mistake of the user.
    assert wait_after(None, middleware=middleware, proxy=PROXY) is None
    middleware.process_response(Request("http://a.test/"), Response("http://a.test/"))
    for later in (0, 60):
        now = 1000.0 + later
        assert wait_after(None, middleware=middleware, proxy=PROXY) == 1.0
    now += 300
    assert wait_after(None, middleware=middleware, proxy=PROXY) is None
    (reason,) = crawler.stats.get_value(INCOMPLETE_STAT)
    assert reason.startswith("connection refused by the proxy 127.0.0.1:8899; start the proxy")
