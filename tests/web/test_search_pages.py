"""The search over all stored texts, as a visitor and a real browser get it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import FoundValue
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import NOW, article, gone, numbered, own, page, template_record
from tests.web.conftest import add_users, client_of, fill, log_in, served, site_over
from tests.web.prices.conftest import bulletin, priced

AGENT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
NAME = FoundValue(field="name", title="名称", value="玉米 丁", raw="玉米 丁", confidence=0.9)
EACH = [
    article(1, title="玉米 甲", published=date(2026, 3, 2), site="a.example"),
    numbered(1, title="玉米 乙", tags=["行情"], published=date(2026, 3, 2), site="b.example"),
    page(1, title="玉米 丙", topic="粮食"),
    template_record(1, values=[NAME], title="企业", crawl="template-企业"),
    own(1, item='{"name": "玉米 戊"}'),
]


def titles(text: str) -> list[str]:
    found = re.findall(r'<span class="title"><a[^>]*><bdi>(.*?)</bdi>', text)
    return [unescape(re.sub("<.*?>", "", one)) for one in found]


def links(text: str) -> dict[str, str]:
    """Return the links of the facets and of the chips by their words."""
    found = re.findall(r'<a[^>]* href="(/search\?[^"]+)">(.*?)</a>', text)
    return {re.sub("<.*?>", "", words).strip(): unescape(to) for to, words in found}


def test_all_of_558_articles_of_a_list_are_found(store_url: str, client: TestClient) -> None:
    """A list of at most 200 was all of it, and before that only numbered articles were searched."""
    first = date(2024, 1, 1)
    fill(
        store_url,
        [
            article(n, title=f"{n}日玉米", quotes=[], published=first + timedelta(n))
            for n in range(558)
        ],
    )
    address: str | None = "/search?q=玉米"
    found: list[str] = []
    while address:
        text = client.get(address).text
        assert "共 558 条" in text
        found += titles(text)
        following = re.search(r'rel="next" href="([^"]+)"', text)
        address = unescape(following[1]) if following else None
    assert found == [f"{n}日玉米" for n in reversed(range(558))]


def test_one_list_of_all_kinds_by_day_with_numbers(store_url: str, client: TestClient) -> None:
    fill(store_url, EACH)
    text = client.get("/search?q=玉米").text
    assert "共 5 条" in text
    assert sorted(titles(text)) == ["Offer [1]", "玉米 丁", "玉米 丙", "玉米 乙", "玉米 甲"]
    assert re.findall("<h2>([-0-9]{10})</h2>", text) == sorted(
        {"2026-03-02", f"{NOW.date()}"}, reverse=True
    )
    found = links(text)
    for words, expected in {
        "主题网页": ["玉米 丙"],
        "b.example": ["玉米 乙"],
        "行情": ["玉米 乙"],
        "template-企业": ["玉米 丁"],
        "粮食": ["玉米 丙"],
    }.items():
        chosen = client.get(found[words]).text
        assert titles(chosen) == expected, words
        # One leaves the choice again, with the words kept.
        (leave,) = (to for name, to in links(chosen).items() if name.endswith(f"{words} ×"))
        assert "共 5 条" in client.get(leave).text


@pytest.mark.parametrize(
    "words", ["没有的词", '玉米"', "AND OR NOT", "NEAR(a b)", "*", "-玉米", "玉米 -"]
)
def test_words_that_occur_nowhere_and_signs(words: str, store_url: str, client: TestClient) -> None:
    fill(store_url, EACH)
    answer = client.get("/search", params={"q": words})
    expected = 5 if "玉米" in words else 0
    assert answer.status_code == (400 if words == "*" else 200)
    assert len(titles(answer.text)) == expected


def test_traditional_words_find_simplified_ones(store_url: str, client: TestClient) -> None:
    fill(store_url, [article(1, title="青島港價格"), article(2, title="青岛港价格")])
    for words in ("青岛港", "青島港"):
        assert sorted(titles(client.get(f"/search?q={words}").text)) == ["青岛港价格", "青島港價格"]


def test_none_and_one(store_url: str, client: TestClient, tmp_path: Path) -> None:
    empty = client.get("/search").text
    assert "没有符合条件的内容" in empty
    url = store_url.replace("store.sqlite", "one.sqlite")
    fill(url, [article(1, title="唯一")])
    (tmp_path / "one").mkdir()
    site = site_over(url, tmp_path / "one")
    with closing(site.database), client_of(site) as other:
        text = other.get("/search").text
        assert (titles(text), "共 1 条" in text) == (["唯一"], True)
        assert 'rel="next"' not in text


def test_words_that_two_texts_have_by_chance_only(store_url: str, client: TestClient) -> None:
    """The index knows pairs of characters; a text that has all of them elsewhere is none."""
    fill(store_url, [article(1, title="玉米价格，价格表现"), article(2, title="玉米价，米价格")])
    assert titles(client.get("/search?q=玉米价格").text) == ["玉米价格，价格表现"]


def test_a_bulletin_tells_its_largest_move(store_url: str, site: WebSite) -> None:
    days = [date(2026, 2, 2), date(2026, 2, 3)]
    fill(
        store_url,
        [
            bulletin(days[0], [priced("寿光", days[0], 2300), priced("诸城", days[0], 2400)]),
            bulletin(days[1], [priced("寿光", days[1], 2310), priced("诸城", days[1], 2370)]),
        ],
    )
    with client_of(site) as client:
        while site.prices.is_empty:
            client.get("/prices")
        text = client.get("/search").text
    moves = re.findall(r'<span class="move">(.*?)</span></span>', text)
    assert [re.sub("<.*?>", "", one) for one in moves] == ["诸城 2,370 ▼ −30"]


def test_new_since_the_last_visit_and_read_marks(
    store_url: str, site: WebSite, tmp_path: Path
) -> None:
    fill(store_url, EACH)
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        text = client.get("/search").text
        assert "上次来访" not in text
        assert "已读" not in text
        for path in (
            f"/pages/{EACH[2].key}",
            f"/records/{EACH[3].key}",
            f"/articles/{EACH[0].url_md5}",
        ):  # type: ignore[union-attr]
            client.get(path, headers=AGENT)
        assert client.get("/search").text.count("已读") == 3
        log_in(client, Role.ANALYST)
        assert "已读" not in client.get("/search").text
    _move_visits_back(tmp_path / "web.sqlite")
    fill(store_url, [article(9, title="新到", published=date(2020, 1, 1))])
    site.texts = type(site.texts)(tmp_path)
    with client_of(site) as client:
        log_in(client, Role.READER)
        text = client.get("/search?q=新到").text
        address = links(text)["上次来访后新到 1 条"]
        assert titles(client.get(address).text) == ["新到"]
        # The address holds the time: it shows the same when it is loaded again, in any tab.
        assert titles(client.get(address).text) == ["新到"]
        every = client.get(f"/search?new={parse_qs(urlsplit(address).query)['new'][0]}").text
        assert titles(every) == ["新到"]
        assert "只看新到的" in every


def test_only_what_a_user_has_not_read(store_url: str, site: WebSite, tmp_path: Path) -> None:
    fill(store_url, [*EACH, *(article(n, title=f"第{n}篇") for n in range(10, 70))])
    add_users(site)
    with client_of(site) as client:
        assert "只看未读" not in client.get("/search").text
        log_in(client, Role.READER)
        client.get(f"/pages/{EACH[2].key}", headers=AGENT)  # type: ignore[union-attr]
        client.get(f"/articles/{article(69).url_md5}", headers=AGENT)
        address = links(client.get("/search?kind=article").text)["只看未读"]
        text = client.get(address).text
        assert "第69篇" not in titles(text)
        assert "共 60 条" in text
        # It stays chosen on the pages that follow and for other words, and is left again.
        following = re.search(r'rel="next" href="([^"]+)"', text)
        assert following
        rest = titles(client.get(unescape(following[1])).text)
        assert (len(rest), "第69篇" in rest) == (10, False)
        assert re.search(r'type="hidden" name="unread" value="True"', text)
        assert "共 61 条" in client.get(links(text)["只看未读 ×"]).text
        assert titles(client.get("/search?q=玉米+丙&unread=True").text) == []
        log_in(client, Role.ANALYST)
        assert "第69篇" in titles(client.get(address).text)
        assert client.get("/search?unread=maybe").status_code == 400


def _move_visits_back(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE web_visits SET seen_at = datetime('now', '-1 hour') || '.000000'")
    # What is stored now arrives after that visit, and what was there before it does not.
    with closing(sqlite3.connect(path.with_name("search.sqlite"))) as index, index:
        index.execute("UPDATE texts SET arrived = 1")


def test_hidden_and_gone_texts_are_left_out(store_url: str, client: TestClient) -> None:
    fill(store_url, [article(1, title="在"), article(4, title="去"), gone(4), article(5, text="")])
    assert titles(client.get("/search").text) == ["在"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/articles/search?q=玉米&site=demo&page=2", "/search?q=玉米&site=demo"),
        (
            "/records?crawl=a&state=gone&after=" + "0" * 32,
            "/search?kind=record&series=a&state=gone",
        ),
        ("/pages?topic=绿色&least=0.5", "/search?kind=page&series=绿色&least=0.5"),
        ("/records?address=x&kind=page&request=1", "/search?kind=page"),
    ],
)
def test_earlier_addresses(old: str, new: str, client: TestClient) -> None:
    answer = client.get(old)
    assert answer.status_code == 303
    found, expected = urlsplit(answer.headers["location"]), urlsplit(new)
    assert (found.path, parse_qs(found.query)) == (expected.path, parse_qs(expected.query))


def test_a_search_is_a_rule_that_mails(store_url: str, site: WebSite) -> None:
    fill(store_url, EACH)
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        assert "用邮件通知我" not in client.get("/search?q=玉米").text
        log_in(client, Role.OPERATOR)
        text = client.get("/search?q=玉米&site=a.example&kind=article").text
        (address,) = re.findall(r'href="(/alarms/rules/new[^"]+)"', text)
        form = client.get(unescape(address)).text
        for field in ('name="words" value="玉米"', 'name="site" value="a.example"', 'value="article" checked',
                      'name="by_mail" value="true" checked'):  # fmt: skip
            assert field in form, field


def test_editors_choose_on_the_page_and_readers_do_not(store_url: str, site: WebSite) -> None:
    fill(store_url, EACH)
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.EDITOR)
        # Pages, records and own items have nothing to correct.
        assert client.get("/search").text.count('name="article"') == 2
        assert "/judge" in client.get("/search?kind=page").text
        log_in(client, Role.READER)
        assert 'name="article"' not in client.get("/search").text


def test_english_pages_have_no_chinese_of_ours(store_url: str, client: TestClient) -> None:
    fill(store_url, [article(1, title="Maize", site="demo", text="Prices")])
    for query in (
        "",
        "q=maize",
        "kind=record",
        "q=nothing",
        "kind=article&site=demo&since=2020-01-01",
    ):
        text = client.get(f"/search?{query}", headers={"Accept-Language": "en"}).text
        content = text.split("<main")[1]
        assert re.findall("[一-鿿]+", content) == [], query


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_a_morning_with_the_search(
    store_url: str, site: WebSite, visit: Callable[..., Any], has_script: bool, tmp_path: Path
) -> None:
    """Facets, keys, read marks, and what is new since the last visit, in Chromium."""
    # An own item would lead elsewhere.
    fill(store_url, EACH[:4])
    add_users(site)
    with served(site) as address:
        page = visit(f"{address}/login?next=/search", java_script_enabled=has_script)
        page.fill("[name=name]", "reader")
        page.fill("[name=password]", "correct horse battery")
        page.click("main button")
        page.wait_for_url("**/search")
        page.click("nav.facets a:has-text('行情')")
        assert titles(page.content()) == ["玉米 乙"]
        page.go_back()
        assert len(titles(page.content())) == 4
        shown = titles(page.content())
        page.reload()
        assert titles(page.content()) == shown
        if has_script:
            page.keyboard.press("j")
            page.keyboard.press("j")
            page.keyboard.press("k")
            focused = page.evaluate("document.activeElement.textContent")
            assert focused == shown[0]
            page.keyboard.press("o")
            page.wait_for_url(re.compile("/(articles|pages|records)/"))
        else:
            page.click(".hits .title a")
        page.wait_for_load_state("networkidle")
        assert shown[0] in page.text_content("h1")
        page.goto(f"{address}/search")
        assert page.locator(".hits li:has-text('已读')").count() == 1
        _move_visits_back(tmp_path / "web.sqlite")
        page.goto(f"{address}/search")
        page.click("text=上次来访后新到 0 条")
        assert "没有符合条件的内容" in page.text_content("main")
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{address}/search?q=玉米")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        card = page.locator(".hits li").first
        assert card.evaluate("one => getComputedStyle(one).display") == "block"
