"""Likes, the reading list, saved searches and their feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from xml.etree.ElementTree import Element, fromstring

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author, newest_changes
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.articles.conftest import HOSTILE, another
from tests.web.conftest import add_users, client_of, log_in

KEY = numbered(1).url_md5
PAGE = f"/articles/{KEY}"
ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def reader(filled: str, site: WebSite) -> Iterator[TestClient]:
    """A client of a reader."""
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        yield client


def feeds(client: TestClient) -> list[str]:
    return re.findall(r'href="(/articles/feeds/[^"]+)"', client.get("/mine").text)


def entries(client: TestClient, address: str) -> list[Element]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    return fromstring(answer.content).findall("a:entry", ATOM)


def titles(client: TestClient, address: str) -> list[str]:
    return [entry.findtext("a:title", "", ATOM) for entry in entries(client, address)]


def test_likes_and_the_reading_list(reader: TestClient, site: WebSite) -> None:
    for what, has, had in (("like", "取消喜欢", "喜欢"), ("keep", "移出书单", "加入书单")):
        assert f">{had}</button>" in reader.get(PAGE).text
        for _ in range(2):
            answer = reader.post(f"{PAGE}/{what}", data={"action": "add"})
            assert (answer.status_code, answer.headers["location"]) == (303, PAGE)
        text = reader.get(PAGE).text
        assert f">{has}</button>" in text
        assert ("喜欢 1" in text) == (what == "like")
        assert KEY in reader.get("/mine").text
        for _ in range(2):
            reader.post(f"{PAGE}/{what}", data={"action": "remove"})
        assert f">{had}</button>" in reader.get(PAGE).text
        assert KEY not in reader.get("/mine").text
    # What somebody wants to read is nobody else's business.
    logged = site.database.run_now(newest_changes, 10, None, numbered(1).url)
    assert [(one.name, one.action) for one in logged] == [
        ("reader", "article.unlike"),
        ("reader", "article.like"),
    ]


def test_lists_are_of_one_user(reader: TestClient) -> None:
    reader.post(f"{PAGE}/keep", data={"action": "add"})
    reader.post("/mine/searches", data={"q": "python"})
    other = another(reader, Role.ANALYST)
    text = other.get("/mine").text
    assert KEY not in text
    assert "python" not in text
    assert other.post("/mine/searches/1", data={"action": "delete"}).status_code == 404
    assert len(feeds(reader)) == 1


def test_what_cannot_be_kept(reader: TestClient) -> None:
    assert reader.post(f"{PAGE}/like", data={"action": "x"}).status_code == 400
    unknown = f"/articles/{'0' * 32}"
    assert reader.post(f"{unknown}/like", data={"action": "add"}).status_code == 404
    for query in ({}, {"q": " "}, {"q": "？？"}, {"q": "x" * 501}, {"since": "2026-02-30"}):
        assert reader.post("/mine/searches", data=query).status_code == 400
    for number in ("7", "99999999999999999999"):
        answer = reader.post(f"/mine/searches/{number}", data={"action": "delete"})
        assert answer.status_code == 404
    assert reader.get(f"{PAGE}/like").status_code == 405


def test_a_saved_search_is_a_feed_for_who_knows_its_address(
    reader: TestClient,
) -> None:
    for _ in range(2):
        answer = reader.post("/mine/searches", data={"q": "Python", "since": "2026-01-10"})
        assert answer.headers["location"] == "/mine#searches"
    (address,) = feeds(reader)
    assert "/search?q=Python&since=2026-01-10" in unescape(reader.get("/mine").text)
    stranger = another(reader)
    found = entries(stranger, address)
    days = [entry.findtext("a:updated", "", ATOM) for entry in found]
    assert days == sorted(days, reverse=True)
    assert all(day >= "2026-01-10" for day in days)
    link = found[0].find("a:link", ATOM)
    assert link is not None
    assert link.get("href") == f"http://127.0.0.1/articles/{numbered(43).url_md5}"
    body = stranger.get(address).text
    for private in ("reader", address.split("/")[-1].removesuffix(".atom")):
        assert private not in body
    assert stranger.get("/articles/feeds/x.atom").status_code == 404
    assert stranger.get(address.replace(".atom", "x.atom")).status_code == 404


def test_an_address_is_renewed_and_deleted(reader: TestClient) -> None:
    reader.post("/mine/searches", data={"tag": "双号"})
    (old,) = feeds(reader)
    assert titles(reader, old)[0] == "玉米 教程 44"
    reader.post("/mine/searches/1", data={"action": "renew"})
    (new,) = feeds(reader)
    assert reader.get(old).status_code == 404
    assert titles(reader, new)
    assert reader.post("/mine/searches/1", data={"action": "x"}).status_code == 400
    reader.post("/mine/searches/1", data={"action": "delete"})
    assert feeds(reader) == []
    assert reader.get(new).status_code == 404


def test_the_feed_of_a_disabled_user_ends(reader: TestClient, site: WebSite) -> None:
    reader.post("/mine/searches", data={"site": "demo"})
    (address,) = feeds(reader)
    assert titles(reader, address)
    author = Author("administrator", "")
    site.database.run_now(account_store.set_disabled, author, "reader", True)
    assert reader.get(address).status_code == 404
    site.database.run_now(account_store.set_disabled, author, "reader", False)
    assert reader.get(address).status_code == 200


def test_a_feed_has_markup_of_a_site_as_text_and_nothing_hidden(
    reader: TestClient,
) -> None:
    reader.post("/mine/searches", data={"q": "恶意"})
    (address,) = feeds(reader)
    (title,) = titles(reader, address)
    assert title.startswith(HOSTILE[:8])
    hidden = numbered(100).url_md5
    editor = another(reader, Role.EDITOR)
    reader.post(f"/articles/{hidden}/like", data={"action": "add"})
    form = editor.get(f"/articles/{hidden}/edit").text
    state = re.search(r'name="state" value="(\w+)"', form)
    assert state
    editor.post(f"/articles/{hidden}/edit", data={"state": state[1], "is_hidden": "1"})
    assert hidden not in editor.get("/mine").text
    assert titles(reader, address) == []
    assert hidden not in reader.get("/mine").text


def test_there_are_so_many_searches_only(reader: TestClient) -> None:
    for number in range(51):
        answer = reader.post("/mine/searches", data={"tag": f"t{number}"})
    assert answer.status_code == 400
    assert len(feeds(reader)) == 50
