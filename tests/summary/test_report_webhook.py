"""Reports to a webhook, a real server on 127.0.0.1."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.summary.report_delivery import deliver
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.summary.run_report import as_json
from tests.servers.webhook_server import Webhook, webhook_server
from tests.summary.reports import failed_report


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhook]:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with webhook_server() as server:
        yield server


def test_the_json_of_the_summary_is_posted(hook: Webhook) -> None:
    assert deliver(failed_report(), [webhook_target(hook.url, "marke")]) == []
    assert hook.requests == ["POST /hooks/geheimnis?key=schluessel"]
    assert hook.bodies == [json.loads(as_json(failed_report()))]
    assert hook.headers[0]["Authorization"] == "Bearer marke"
    assert hook.headers[0]["Content-Type"] == "application/json"


@pytest.mark.parametrize("status", [307, 401])
def test_any_other_status_is_a_failure_without_secrets(hook: Webhook, status: int) -> None:
    hook.status = status
    (failure,) = deliver(failed_report(), [webhook_target(hook.url, "marke")])
    assert failure == (
        f"webhook at http://127.0.0.1:{hook.port}/*** was not sent: it answered HTTP {status};"
        " check the address and the token"
    )
    # A redirect is not followed.
    assert len(hook.requests) == 1


def test_another_machine_is_reached_through_the_proxy(
    hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{hook.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert deliver(failed_report(), [webhook_target("http://hook.test/a", "")]) == []
    assert "Authorization" not in hook.headers[0]
    assert hook.requests == ["POST http://hook.test/a"]


@pytest.mark.parametrize(
    ("url", "token", "words"),
    [
        ("ftp://h/geheim", "", "is not a URL that starts with http"),
        ("http:///geheim", "", "is not a URL that starts with http"),
        ("http://h:x/geheim", "", "is not a URL that starts with http"),
        ("http://h/geheim\r\nX: y", "", "is percent-encoded"),
        ("http://h/钩", "", "is percent-encoded"),
        ("http://me:geheim@h/", "", "FOCUSCRAWL_WEBHOOK_TOKEN"),
        ("http://h/", "geheim\n", "no header can have"),
        ("http://h/", "令牌geheim", "no header can have"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_showing_it(
    url: str, token: str, words: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        webhook_target(url, token)
    assert words in str(caught.value)
    assert "geheim" not in str(caught.value)
