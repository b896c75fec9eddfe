"""Decisions of editors, and the list of prices that wait for one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import PriceDecision, Record
from focuscrawl.stores.database_urls import database_at
from focuscrawl.web.accounts.change_log import newest_changes
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.quotations import doubtful_quotes
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import everything
from tests.web.conftest import add_users, client_of, fill, log_in
from tests.web.quotations.quoted_articles import FLAG, quoted

ONE = quoted()
FLAGGED = f"/prices/quotes/{ONE.url_md5}/3"


def shown(client: TestClient, path: str = FLAGGED) -> str:
    """Return the state that the form of a page carries."""
    found = re.search(r'name="shown" value="([^"]*)"', client.get(path).text)
    assert found
    return found[1]


def post(client: TestClient, verdict: str, path: str = FLAGGED, **values: str) -> Any:
    state = values.pop("shown", None) or shown(client, path)
    return client.post(path, data={"verdict": verdict, "shown": state, **values})


def stored(url: str) -> list[PriceDecision]:
    async def read() -> list[PriceDecision]:
        store = database_at(url)
        await store.open()
        try:
            return await everything(store.decisions())
        finally:
            await store.close()

    return asyncio.run(read())


@pytest.fixture
def editor(store_url: str, site: WebSite) -> Iterator[TestClient]:
    """The client of an editor, and a store with quotes."""
    fill(store_url, [ONE])
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.EDITOR)
        yield client


def change(site: WebSite, client: TestClient, *records: Record) -> None:
    """Write records with the connection of the server.

    Opening the file of SQLite once more in its process would drop the locks that other processes,
    which the list of doubts needs, respect.
    """
    assert client.portal
    client.portal.call(site.store.write, records)


def test_a_decision_is_stored_shown_and_logged(
    store_url: str, site: WebSite, editor: TestClient
) -> None:
    assert FLAG in editor.get(FLAGGED).text
    answer = post(editor, "refused", note=" 单位<br>有误 ")
    assert answer.headers["location"] == FLAGGED
    (decision,) = stored(store_url)
    assert (decision.verdict, decision.note) == ("refused", "单位<br>有误")
    assert (decision.decided_by, decision.reader_flag) == ("editor", FLAG)
    page = editor.get(FLAGGED).text
    assert "人工剔除" in page
    assert "单位&lt;br&gt;有误" in page
    assert editor.get(f"{FLAGGED}.json").json()["verdict"] == "refused"
    post(editor, "confirmed")
    assert editor.get(f"{FLAGGED}.json").json()["flag"] == ""
    post(editor, "open")
    assert editor.get(f"{FLAGGED}.json").json()["flag"] == FLAG
    changes = site.database.run_now(newest_changes, 9, None, decision.key)
    assert [change.action for change in changes] == [
        "price.withdraw",
        "price.confirm",
        "price.refuse",
    ]
    assert changes[0].before["verdict"] == "confirmed"
    assert changes[2].before is None
    assert changes[2].after["note"] == "单位<br>有误"
    assert editor.get(FLAGGED).text.count("<li>") == 3


def test_two_editors_at_once(store_url: str, editor: TestClient) -> None:
    state = shown(editor)
    assert post(editor, "confirmed", shown=state).status_code == 303
    answer = post(editor, "refused", shown=state)
    assert answer.status_code == 409
    assert "已被他人修改" in answer.text
    assert [decision.verdict for decision in stored(store_url)] == ["confirmed"]


def test_an_article_that_changed_meanwhile(store_url: str, editor: TestClient) -> None:
    state = shown(editor)
    fill(store_url, [quoted(text="改", quotes=(ONE.quotes or [])[:3])])
    assert post(editor, "refused", shown=state).status_code == 409
    other = shown(editor, FLAGGED.replace("/3", "/0"))
    fill(store_url, [quoted(text="再改", quotes=list(reversed(ONE.quotes or [])))])
    assert post(editor, "refused", FLAGGED.replace("/3", "/0"), shown=other).status_code == 409
    assert stored(store_url) == []


BAD = (
    {"verdict": "maybe"},
    {"note": "长" * 501},
    {"verdict": ""},
    {"shown": "x" * 300},
    {"shown": ""},
)


def test_bad_forms_and_other_roles_are_refused(store_url: str, editor: TestClient) -> None:
    state = shown(editor)
    for form in BAD:
        values = {"verdict": "refused", "shown": state} | form
        assert editor.post(FLAGGED, data=values).status_code == 400, form
    # Nothing was decided that could be withdrawn.
    assert post(editor, "open", shown=state).status_code == 409
    log_in(editor, Role.ANALYST)
    assert 'name="shown"' not in editor.get(FLAGGED).text
    assert post(editor, "refused", shown=state).status_code == 403
    assert stored(store_url) == []


def test_doubts_are_listed_and_worked_through(site: WebSite, editor: TestClient) -> None:
    change(site, editor, quoted(2))
    text = editor.get("/prices/doubts").text
    paths = re.findall(r'href="(/prices/quotes/\w+/\d+\?list=doubts)"', text)
    assert sorted(paths) == sorted(
        f"/prices/quotes/{quoted(number).url_md5}/3?list=doubts" for number in (1, 2)
    )
    assert text.count(FLAG) == 2
    first, second = (path.partition("?")[0] for path in paths)
    assert f'href="{paths[1]}" rel="next"' in editor.get(paths[0]).text
    assert f'href="{paths[0]}" rel="prev"' in editor.get(paths[1]).text
    answer = post(editor, "refused", first, list="doubts")
    assert answer.headers["location"] == f"{paths[1]}&done={first.split('/')[3]}-3"
    answer = post(editor, "confirmed", second, list="doubts")
    assert answer.headers["location"] == f"/prices/doubts?done={second.split('/')[3]}-3"
    assert "没有待审" in editor.get("/prices/doubts").text
    # Also for a server that finds them again.
    site.doubts.found_at = 0.0
    assert "没有待审" in editor.get("/prices/doubts").text


def test_a_decision_is_told_on_the_next_page_and_undone(site: WebSite, editor: TestClient) -> None:
    change(site, editor, quoted(2))
    paths = re.findall(
        r'href="(/prices/quotes/[^"]+list=doubts)"', editor.get("/prices/doubts").text
    )
    for path, verdict, told in zip(
        paths, ("refused", "confirmed"), ("已剔除", "已确认"), strict=True
    ):
        following = post(editor, verdict, path.partition("?")[0], list="doubts").headers["location"]
        text = editor.get(following).text
        (message,) = re.findall(r'<form[^>]*class="inline"><p class="note" role="status">.*', text)
        (name,) = re.findall("<title>(.*?) ", editor.get(path).text)
        assert f"{told} {name} " in re.sub("<[^>]*>", "", message)
        assert "撤销" in message
        action = re.findall(r'action="([^"]*)"', message)[0]
        form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', message))
        assert editor.post(action, data=form).headers["location"] == path
        assert 'class="verdict open"' in editor.get(path).text
        # It waits again at its place, at once, and the message is gone when the page is loaded again.
        listed = editor.get("/prices/doubts").text
        assert re.findall(r'href="(/prices/quotes/[^"]+list=doubts)"', listed) == paths
        assert "撤销" not in editor.get(following).text
        assert editor.post(action, data=form).status_code == 409
    for done in ("x", "x-1", f"{ONE.url_md5}-99", f"{ONE.url_md5}-", "-3", f"{'0' * 32}-1"):
        answer = editor.get("/prices/doubts", params={"done": done})
        assert (answer.status_code, "撤销" in answer.text) == (200, False), done


def test_doubts_are_listed_page_by_page(site: WebSite, editor: TestClient) -> None:
    change(site, editor, *(quoted(number) for number in range(2, 31)))
    found: list[str] = []
    path = "/prices/doubts"
    for _ in range(2):
        text = editor.get(path).text
        found += re.findall(r'href="/prices/quotes/(\w+)/3\?list=doubts"', text)
        following = re.search(r'href="(/prices/doubts\?after=[^"]+)" rel="next"', text)
        path = following[1] if following else ""
    assert path == ""
    assert len(found) == len(set(found)) == 30
    for after in ("x", "9" * 60, "\u202e", "<script>"):
        answer = editor.get("/prices/doubts", params={"after": after})
        assert answer.status_code == 200, after
        assert "<script>" not in answer.text.replace("<script src", "")
    assert editor.get("/prices/doubts", params={"after": "9" * 61}).status_code == 400


def test_a_long_search_is_not_waited_for(
    editor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubtful_quotes, "PATIENCE_SECONDS", 0.0)
    answer = editor.get("/prices/doubts")
    assert answer.headers["refresh"] == "5"
    assert "正在查找" in answer.text
    assert editor.get(f"{FLAGGED}?list=doubts").status_code == 200
    monkeypatch.setattr(doubtful_quotes, "PATIENCE_SECONDS", 300.0)
    assert "list=doubts" in editor.get("/prices/doubts").text


def test_doubts_that_changed_since_are_left_out(site: WebSite, editor: TestClient) -> None:
    assert "list=doubts" in editor.get("/prices/doubts").text
    change(site, editor, quoted(1, text="改", quotes=[]))
    text = editor.get("/prices/doubts").text
    assert "list=doubts" not in text
    assert "都已审核" in text
