"""Pages of errors: what somebody typed is kept, and they lead back to where one was."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from focuscrawl.errors import StoreError
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples
from tests.web.conftest import HOST, PASSWORD, add_users, fill, log_in
from tests.web.crawls.run_examples import fill_runs, run_of

TYPED = "改了一个小时的摘要 <b>"
POLL = {"HX-Request": "true"}


def edit(client: TestClient, url: str) -> tuple[int, str]:
    key = record_examples.article().url_md5
    form = {"title": "题目", "summary": TYPED, "tags": "", "state": "x"}
    answer = client.post(url.format(key), data=form, headers={"Referer": f"{HOST}/articles?q=1"})
    return answer.status_code, answer.text


@pytest.mark.parametrize("why", ["expired", "conflict", "away"])
def test_the_typed_text_stays(
    why: str, store_url: str, site: WebSite, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise StoreError("the database does not answer")

    fill(store_url, [record_examples.article()])
    add_users(site)
    log_in(client, Role.EDITOR)
    if why == "expired":
        client.cookies.clear()
    elif why == "away":
        monkeypatch.setattr(site.database, "run", away)
    status, shown = edit(client, "/articles/{}/edit")
    assert status == {"expired": 401, "conflict": 409, "away": 503}[why], shown
    assert "改了一个小时的摘要 &lt;b&gt;" in shown
    assert ("重新提交" in shown) == (why != "conflict")
    assert 'href="/articles?q=1"' in shown


def test_passwords_are_not_shown_again(site: WebSite, client: TestClient) -> None:
    add_users(site)
    answer = client.post("/account", data={"old": PASSWORD, "new": "another password"})
    assert answer.status_code == 401
    assert PASSWORD not in answer.text
    assert "another" not in answer.text


def test_a_lock_out_says_until_when_and_keeps_the_name(site: WebSite, client: TestClient) -> None:
    add_users(site)
    for _ in range(8):
        client.post("/login", data={"name": "editor", "password": "wrong"})
    answer = client.post("/login", data={"name": "editor", "password": PASSWORD})
    assert answer.status_code == 429
    assert 14 * 60 < int(answer.headers["retry-after"]) <= 15 * 60
    (hour, minute) = re.findall(r"(\d\d):(\d\d) 之后可以再试", answer.text)[0]
    now = datetime.now(UTC).astimezone()
    assert 14 <= (int(hour) * 60 + int(minute) - now.hour * 60 - now.minute) % (24 * 60) <= 16
    assert 'value="editor"' in answer.text


def test_what_a_page_fetches_again_and_is_gone_is_loaded_as_a_whole(
    store_url: str, site: WebSite, client: TestClient
) -> None:
    run = run_of(1, began_at=datetime.now(UTC), ended=False)
    fill_runs(store_url, [run])
    path = f"/crawls/runs/{run.key}"
    assert 'id="live"' in client.get(path, headers=POLL).text
    poll = POLL | {"HX-Current-URL": f"{HOST}/crawls/runs/deleted"}
    assert client.get("/crawls/runs/deleted", headers=poll).headers["HX-Refresh"] == "true"
    assert client.get("/articles/gone", headers=poll).status_code == 404
    add_users(site)
    assert client.get(path, headers=POLL).headers["HX-Refresh"] == "true"
    assert client.get(path).headers["location"].startswith("/login?next=")


def test_unknown_pages_lead_to_their_part(client: TestClient) -> None:
    assert 'href="/crawls">返回' in client.get("/crawls/runs/nobody").text
    elsewhere = {"Referer": "https://elsewhere.example/x"}
    assert "elsewhere" not in client.get("/crawls/runs/nobody", headers=elsewhere).text


def test_addresses_in_headers_that_are_none(client: TestClient) -> None:
    for headers in ({"Referer": "http://["}, {"HX-Request": "true", "HX-Current-URL": "http://["}):
        assert client.get("/nowhere", headers=headers).status_code == 404
