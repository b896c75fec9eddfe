"""Sections by default and suggestions on the front page, for readers of different taste."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import Record
from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.articles import reader_marks
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import article, numbered
from tests.web.articles.conftest import another
from tests.web.conftest import PASSWORD, QUICK, add_users, client_of, fill, log_in, served

_SUBJECTS = ("爬虫", "玉米价格", "网络安全")


def articles_of_three_subjects() -> list[Record]:
    """Return ten numbered articles of each subject, the newest with the highest number, and odd ones."""
    plain: list[Record] = [
        numbered(
            n,
            title=f"{_SUBJECTS[n % 3]}第{n}讲",
            tags=[_SUBJECTS[n % 3], "讲座"],
            description=f"怎样学好{_SUBJECTS[n % 3]}",
            published=date(2026, 1, 1 + n),
        )
        for n in range(30)
    ]
    bare = numbered(50, title="", tags=[], description="", body_text="")
    return [*plain, bare, article(1, text="玉米价格继续上涨", title="玉米价格")]


@pytest.fixture
def lectures(site: WebSite) -> Iterator[TestClient]:
    """A client of a site with articles of three subjects and users."""
    fill(site.store_url, articles_of_three_subjects())
    add_users(site)
    with client_of(site) as client:
        yield client


def front(client: TestClient, site: WebSite) -> str:
    """Return the front page once nothing is being prepared any more."""

    async def prepared() -> None:
        for cache in (site.recent_articles, site.suggestions):
            await asyncio.gather(*cache._making.values())
        # What waits for them keeps them then.
        await asyncio.sleep(0)

    client.get("/articles")
    client.portal.call(prepared)  # type: ignore[union-attr]
    return client.get("/articles").text


def suggested(text: str) -> list[str]:
    part = re.search(r'id="for-you"(.*?)</section>', text, re.S)
    assert part
    return re.findall(r'href="/articles/([0-9a-f]{32})"', part[1])


def like(client: TestClient, *numbers: int, what: str = "like", action: str = "add") -> None:
    for n in numbers:
        address = f"/articles/{numbered(n).url_md5}/{what}"
        assert client.post(address, data={"action": action}).status_code == 303


def keys(numbers: range) -> set[str]:
    return {numbered(n).url_md5 for n in numbers}


def test_sections_are_the_tags_of_articles_the_most_liked_and_read_first(
    lectures: TestClient, site: WebSite
) -> None:
    log_in(lectures, Role.READER)
    like(lectures, 3)
    lectures.get(f"/articles/{numbered(6).url_md5}", headers={"User-Agent": "Mozilla/5.0 Firefox"})
    text = front(lectures, site)
    found = dict(re.findall(r"<h2>(\S+) <a class=\"more\" href=\"/search\?q=(.*?)</section>", text, re.S))  # fmt: skip
    assert set(found) == set(_SUBJECTS)
    listed = re.findall("[0-9a-f]{32}", found["爬虫"])
    assert listed == [numbered(n).url_md5 for n in (3, 6, 27, 24, 21)]


def test_readers_of_different_taste_get_different_articles(
    lectures: TestClient, site: WebSite
) -> None:
    log_in(lectures, Role.READER)
    assert "点“喜欢”或“加入书单”后" in front(lectures, site)
    like(lectures, 0, 3)
    assert "正在准备" in lectures.get("/articles/for-you").text
    text = front(lectures, site)
    assert set(suggested(text)) == keys(range(6, 30, 3))
    assert "共同词语：" in text
    assert suggested(lectures.get("/articles/for-you").text) == suggested(text)
    log_in(lectures, Role.ANALYST)
    like(lectures, 1, 4, 7, what="keep")
    # Articles of lists as well.
    found = set(suggested(front(lectures, site)))
    assert found == keys(range(10, 30, 3)) | {article(1).url_md5}


def test_begun_anew_suggestions_draw_on_later_marks_only(
    lectures: TestClient, site: WebSite
) -> None:
    log_in(lectures, Role.READER)
    like(lectures, 0, 3)
    like(lectures, 6, what="keep")
    assert suggested(front(lectures, site))
    assert lectures.post("/mine/suggestions").headers["location"] == "/articles"
    assert suggested(front(lectures, site)) == []
    assert "爬虫第0讲" in lectures.get("/mine").text
    like(lectures, 1)
    found = set(suggested(front(lectures, site)))
    assert found
    assert not found & keys(range(0, 30, 3))
    # What is liked no longer counts no longer.
    like(lectures, 1, action="remove")
    assert suggested(front(lectures, site)) == []


def test_hidden_and_deleted_articles_are_neither_suggested_nor_drawn_on(
    lectures: TestClient, site: WebSite
) -> None:
    log_in(lectures, Role.READER)
    like(lectures, 0)
    site.database.run_now(reader_marks.set_like, "reader", "0" * 32, True)
    first = suggested(front(lectures, site))[0]
    editor = another(lectures, Role.EDITOR)
    state = re.search(r'name="state" value="(\w+)"', editor.get(f"/articles/{first}/edit").text)
    assert state
    editor.post(f"/articles/{first}/edit", data={"state": state[1], "is_hidden": "1"})
    assert first not in suggested(front(lectures, site))
    lectures.post("/mine/suggestions")
    site.database.run_now(reader_marks.set_like, "reader", "1" * 32, True)
    assert suggested(front(lectures, site)) == []


def _fans(site: WebSite, number: int, *liked: int) -> None:
    for n in range(number):
        name = f"fan{liked[0]}-{n}"
        site.database.run_now(
            account_store.add_user, Author("", ""), name, Role.READER, QUICK.hash(PASSWORD)
        )
        for one in liked:
            site.database.run_now(reader_marks.set_like, name, numbered(one).url_md5, True)


def test_what_readers_alike_like_is_suggested_with_their_number(
    lectures: TestClient, site: WebSite
) -> None:
    log_in(lectures, Role.READER)
    like(lectures, 0)
    _fans(site, 3, 0, 1, 4)
    assert "共同喜好" not in front(lectures, site)
    _fans(site, 2, 2, 5)
    site.recent_articles._kept.clear()
    site.suggestions._kept.clear()
    text = front(lectures, site)
    assert text.count("3 位与你有共同喜好的读者也喜欢") == 2
    assert keys(range(1, 5, 3)) < set(suggested(text))
    assert not keys(range(2, 6, 3)) & set(suggested(text))


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_suggestions_appear_when_they_are_ready(
    site: WebSite, visit: Callable[..., Any], has_script: bool
) -> None:
    fill(site.store_url, articles_of_three_subjects())
    add_users(site)
    site.database.run_now(reader_marks.set_like, "reader", numbered(0).url_md5, True)
    with served(site) as address:
        page = visit(f"{address}/login?next=/articles", java_script_enabled=has_script)
        page.fill("[name=name]", "reader")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_url("**/articles")
        if not has_script:
            while page.locator("#for-you li").count() == 0:
                page.click("#for-you a")
        page.wait_for_selector("#for-you li")
        assert page.locator("#for-you li").count() == 8
        assert "爬虫" in page.text_content("#for-you li")
        page.click("text=重新开始推荐")
        page.wait_for_selector("#for-you :text('点“喜欢”')")
