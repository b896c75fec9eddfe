"""Hiding, tagging and correcting an article."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.articles.conftest import another
from tests.web.conftest import add_users, client_of, log_in

ENTRY = numbered(1)
PAGE = f"/articles/{ENTRY.url_md5}"
READERS = ("/articles", "/articles/search?q=Python&tag=教程&until=2026-01-01", "/articles/search?tag=单号&until=2026-01-05", "/articles/search?until=2026-01-01")  # fmt: skip


@pytest.fixture
def editor(filled: str, site: WebSite) -> Iterator[TestClient]:
    """A client of an editor."""
    add_users(site)
    site.sections = ("Python",)
    with client_of(site) as client:
        log_in(client, Role.EDITOR)
        yield client


def fields(client: TestClient) -> dict[str, str]:
    """Return what the form shows."""
    text = client.get(f"{PAGE}/edit").text
    found = dict(re.findall(r'name="(state|title|tags)"[^>]* value="([^"]*)"', text))
    summary = re.search(r"<textarea[^>]*>([^<]*)", text)
    assert summary
    return found | {"summary": summary[1]}


def correct(client: TestClient, **changes: str) -> int:
    return client.post(f"{PAGE}/edit", data=fields(client) | changes).status_code


def test_the_form_shows_what_is_stored(editor: TestClient) -> None:
    found = fields(editor)
    assert (found["title"], found["tags"]) == ("Python 教程 1", "单号，教程")
    assert found["summary"] == "第1篇的摘要"
    assert correct(editor) == 303
    assert "撤回" not in editor.get(f"{PAGE}/edit").text


def test_corrections_are_shown_everywhere(editor: TestClient) -> None:
    changes = {"title": "全新的<b>标题</b>", "tags": "甲, 乙、甲；<丙>", "summary": "改过的话"}
    assert correct(editor, **changes) == 303
    reader = another(editor, Role.READER)
    text = reader.get(PAGE).text
    assert "/edit" not in text
    assert "<h1><bdi>全新的&lt;b&gt;标题&lt;/b&gt;</bdi></h1>" in text
    assert "改过的话" in text
    assert "&lt;丙&gt;" in text
    assert "教程</bdi></a>" not in text
    # Found by what it says now, and by what its site says.
    found = reader.get("/articles/search?q=全新").text
    assert "<mark>全新</mark>" in found
    assert ENTRY.url_md5 in reader.get("/articles/search?q=第1篇讲网络爬虫").text
    assert ENTRY.url_md5 not in reader.get("/articles/search?q=全新&site=else").text
    assert ENTRY.url_md5 in reader.get("/articles/search?q=全新&tag=甲").text
    assert ENTRY.url_md5 not in reader.get("/articles/search?q=第1篇讲网络爬虫&tag=单号").text
    assert ENTRY.url_md5 not in reader.get("/articles/search?q=全新&until=2025-01-01").text
    assert ENTRY.url_md5 in reader.get("/articles/search?tag=甲").text
    assert ENTRY.url_md5 not in reader.get("/articles/search?tag=单号&until=2026-01-02").text


def test_a_hidden_article_is_gone_for_readers(editor: TestClient) -> None:
    reader = another(editor, Role.READER)
    reader.post(f"{PAGE}/like", data={"action": "add"})
    reader.post(f"{PAGE}/keep", data={"action": "add"})
    other = f"/articles/{numbered(3).url_md5}"
    for address in (*READERS, "/mine", f"{other}/related", PAGE):
        assert ENTRY.url_md5 in reader.get(address).text, address
    assert "共 1 篇" in reader.get(READERS[1]).text
    assert correct(editor, is_hidden="1") == 303
    assert "篇</p>" not in reader.get(READERS[1]).text
    for address in (*READERS, "/mine", f"{other}/related", other):
        answer = reader.get(address)
        assert answer.status_code == 200
        assert ENTRY.url_md5 not in answer.text, address
    for address in (PAGE, f"{PAGE}/related"):
        assert reader.get(address).status_code == 404
    assert reader.post(f"{PAGE}/like", data={"action": "add"}).status_code == 404
    assert "只有编辑能看到" in editor.get(PAGE).text
    assert "已隐藏" in editor.get("/articles/search?until=2026-01-01").text


def test_a_withdrawn_correction_leaves_the_article_as_it_was(editor: TestClient) -> None:
    before = [editor.get(PAGE).text for _ in range(2)][-1]
    correct(editor, title="新", is_hidden="1")
    state = fields(editor)["state"]
    assert editor.post(f"{PAGE}/withdraw", data={"state": state}).status_code == 303
    assert editor.get(PAGE).text == before
    reader = another(editor, Role.READER)
    assert reader.get(PAGE).status_code == 200
    # Nothing is gone without a trace.
    log = editor.get(f"{PAGE}/edit").text
    assert "article.correct" in log
    assert "article.withdraw" in log
    assert "&#34;title&#34;: &#34;新&#34;" in log or '"title": "新"' in log
    administrator = another(editor, Role.ADMINISTRATOR)
    assert "article.withdraw" in administrator.get("/log").text


def test_the_second_of_two_editors_is_told(editor: TestClient) -> None:
    first = fields(editor)
    correct(editor, title="第一个")
    second = editor.post(f"{PAGE}/edit", data=first | {"title": "第二个"})
    assert second.status_code == 409
    assert "已被他人修改" in second.text
    assert editor.post(f"{PAGE}/withdraw", data={"state": first["state"]}).status_code == 409
    assert "第一个" in editor.get(PAGE).text


def test_what_is_too_long(editor: TestClient) -> None:
    for changes in (
        {"title": "x" * 601},
        {"summary": "x" * 2001},
        {"tags": "x" * 101},
        {"tags": ",".join(map(str, range(31)))},
        {"state": ""},
    ):
        assert correct(editor, **changes) == 400, changes
