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
READERS = ("/articles", "/search?q=Python&tag=教程&until=2026-01-01", "/search?tag=单号&until=2026-01-05", "/search?until=2026-01-01")  # fmt: skip


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
    found = reader.get("/search?q=全新").text
    assert "<mark>全新</mark>" in found
    assert ENTRY.url_md5 in reader.get("/search?q=第1篇讲网络爬虫").text
    assert ENTRY.url_md5 not in reader.get("/search?q=全新&site=else").text
    assert ENTRY.url_md5 in reader.get("/search?q=全新&tag=甲").text
    assert ENTRY.url_md5 not in reader.get("/search?q=第1篇讲网络爬虫&tag=单号").text
    assert ENTRY.url_md5 not in reader.get("/search?q=全新&until=2025-01-01").text
    assert ENTRY.url_md5 in reader.get("/search?tag=甲").text
    assert ENTRY.url_md5 not in reader.get("/search?tag=单号&until=2026-01-02").text


def test_a_hidden_article_is_gone_for_readers(editor: TestClient) -> None:
    reader = another(editor, Role.READER)
    reader.post(f"{PAGE}/like", data={"action": "add"})
    reader.post(f"{PAGE}/keep", data={"action": "add"})
    other = f"/articles/{numbered(3).url_md5}"
    for address in (*READERS, "/mine", f"{other}/related", PAGE):
        assert ENTRY.url_md5 in reader.get(address).text, address
    assert "共 1 条" in reader.get(READERS[1]).text
    assert correct(editor, is_hidden="1") == 303
    assert "条</p>" not in reader.get(READERS[1]).text
    for address in (*READERS, "/mine", f"{other}/related", other):
        answer = reader.get(address)
        assert answer.status_code == 200
        assert ENTRY.url_md5 not in answer.text, address
    for address in (PAGE, f"{PAGE}/related"):
        assert reader.get(address).status_code == 404
    assert reader.post(f"{PAGE}/like", data={"action": "add"}).status_code == 404
    assert "只有编辑能看到" in editor.get(PAGE).text
    assert "已隐藏" in editor.get("/search?until=2026-01-01").text


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


LIST = "/search?tag=单号&until=2026-01-02"


def chosen(client: TestClient, address: str = LIST) -> list[str]:
    return re.findall(r'name="article" value="([^"]+)"', client.get(address).text)


def many(client: TestClient, **form: str | list[str]) -> int:
    return client.post("/articles/edit", data={"next": LIST} | form).status_code


def test_many_articles_are_tagged_and_reset_at_once(editor: TestClient) -> None:
    correct(editor, title="改过的标题")
    articles = chosen(editor)
    assert len(articles) == 2
    assert many(editor, action="tag", article=articles, added="新，精选", removed="教程") == 303
    text = another(editor, Role.READER).get("/search?tag=精选").text
    assert "共 2 条" in text
    assert "改过的标题" in text
    assert "tag=%E6%95%99%E7%A8%8B" not in text
    assert 'name="article"' not in text
    # The stored tags again: nothing is left to correct.
    assert (
        many(editor, action="tag", every="1", shown=articles, added="教程", removed="新 、精选")
        == 303
    )
    assert many(editor, action="withdraw", article=chosen(editor)) == 303
    assert "撤回" not in editor.get(f"{PAGE}/edit").text
    log = another(editor, Role.ADMINISTRATOR).get("/log").text
    assert (log.count("article.correct"), log.count("article.withdraw")) == (4, 2)


def test_two_editors_tag_at_once_and_reset_what_they_have_seen(editor: TestClient) -> None:
    articles = chosen(editor)
    # Both have the same page: tags of both stay.
    for tag in ("甲", "乙"):
        assert many(editor, action="tag", article=articles, added=tag) == 303
    assert "共 2 条" in editor.get("/search?tag=甲").text
    assert "共 2 条" in editor.get("/search?tag=乙").text
    # What somebody else has corrected since is not withdrawn, nor is any other of them.
    seen = chosen(editor)
    correct(editor, summary="更正")
    assert many(editor, action="withdraw", article=seen) == 409
    assert "共 2 条" in editor.get("/search?tag=乙").text


def test_nothing_is_done_to_many_if_one_cannot_be(editor: TestClient) -> None:
    one, other = chosen(editor)
    key = "f" * 32 + ".0123456789abcdef"
    assert many(editor, action="tag", article=one, added="，".join(map(str, range(27)))) == 303
    for form in (
        {"article": [other, one], "added": "x，y，z"},
        {"article": [other]},
        {"article": ["<script>"], "added": "x"},
        {"added": "x"},
        {"article": [other], "added": "长" * 101},
        {"article": [other], "added": "x", "action": "delete"},
    ):
        assert many(editor, **({"action": "tag"} | form)) == 400, form
    assert "x" not in fields(editor)["tags"]
    # One that is no longer stored is left out.
    assert many(editor, action="tag", article=[key, other], added="x") == 303
    assert "共 1 条" in editor.get("/search?tag=x").text
    assert many(another(editor, Role.READER), action="tag", article=other, added="x") == 403


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
