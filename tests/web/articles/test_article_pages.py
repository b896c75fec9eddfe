"""Front page, lists, searches and single articles, as a visitor gets them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.articles.article_lists import read_sections
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import (
    SERIES,
    article,
    gone,
    numbered,
    own,
    page,
    template_record,
)
from tests.web.articles.conftest import numbered_ones
from tests.web.conftest import add_users, client_of, fill, log_in

FIRST = numbered(1).url_md5
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
_LINK = re.compile(r'<(?:li|span class="title")><a href="/articles/([0-9a-f]{32})">')


def shown(client: TestClient, address: str) -> list[str]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return _LINK.findall(answer.text)


def test_an_empty_store_says_how_to_fill_it(client: TestClient) -> None:
    assert "scrapy crawl article" in client.get("/articles").text
    assert "没有符合条件的内容" in client.get("/search?q=python").text


def test_the_front_page_has_the_newest_and_the_sections(filled: str, site: WebSite) -> None:
    site.sections = "玉米", "没有这个词"
    with client_of(site) as client:
        text = client.get("/articles").text
    newest = [article(3).url_md5, numbered(100).url_md5, article(1).url_md5]
    assert _LINK.findall(text)[:3] == newest
    assert "<h2>玉米" in text
    assert "没有这个词" not in text


def test_sections_are_keywords_between_commas() -> None:
    assert read_sections(" 玉米，Python ,, 玉米") == ("玉米", "Python")
    assert read_sections("") == ()
    with pytest.raises(ArgumentError, match="FOCUSCRAWL_WEB_SECTIONS: there is no word"):
        read_sections("玉米, ???")


def test_most_read_and_most_liked(filled: str, site: WebSite) -> None:
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        assert "读得最多" not in client.get("/articles").text
        for _ in range(2):
            client.get(f"/articles/{FIRST}", headers=BROWSER)
        client.post(f"/articles/{numbered(2).url_md5}/like", data={"action": "add"})
        text = client.get("/articles").text
    read = re.search(r"读得最多</h2>(.*?)</section>", text, re.S)
    liked = re.search(r"最受喜欢</h2>(.*?)</section>", text, re.S)
    assert read
    assert liked
    assert re.findall("[0-9a-f]{32}", read[1]) == [FIRST]
    assert re.findall("[0-9a-f]{32}", liked[1]) == [numbered(2).url_md5]


@pytest.mark.parametrize("address", ["/search", "/search?q=爬虫",
                                     "/search?tag=教程", f"/search?series={SERIES}"])  # fmt: skip
def test_all_articles_page_by_page(library: TestClient, address: str) -> None:
    found: list[str] = []
    following: str | None = address
    while following:
        text = library.get(following).text
        part = _LINK.findall(text)
        assert 0 < len(part) <= 50
        found += part
        more = re.search(r'rel="next" href="([^"]+)"', text)
        following = unescape(more[1]) if more else None
    every = {entry.url_md5 for entry in numbered_ones()[:45]}  # type: ignore[union-attr]
    assert len(found) == len(set(found))
    assert set(found) >= every


def test_a_search_marks_the_words_of_its_passage(library: TestClient) -> None:
    text = library.get("/search?q=网络爬虫").text
    assert "<mark>网络爬虫</mark>。" in text
    assert "&lt;b&gt;粗体&lt;/b&gt;" in text
    assert "共 45 条" in text


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("q=python&since=2026-01-20&until=2026-01-22", 3),
        ("tag=单号&since=2026-01-20&until=2026-01-22", 3),
        ("site=demo", 3),
        (f"q=教程&series={SERIES}&tag=双号", 23),
        ("q=python&site=else", 0),
        ("tag=单", 0),
        ("tag=%22", 0),
        ("tag=%2B%2B", 0),
        ("site=demo&until=2026-01-29", 0),
    ],
)
def test_filters(library: TestClient, query: str, number: int) -> None:
    assert len(shown(library, f"/search?{query}")) == number


UNUSABLE = (
    f"q={'长' * 501}",
    "q=%3F%3F%3F",
    "since=2026-02-30",
    "before=-1",
    "before=x",
    "new=x",
    "new=9999999999999999999",
    "kind=x",
    "state=x",
    "site=" + "x" * 300,
)


def test_odd_queries_are_answered_or_refused(library: TestClient) -> None:
    found = {query: library.get(f"/search?{query}").status_code for query in UNUSABLE}
    assert found == dict.fromkeys(UNUSABLE, 400)
    for query in ("q=", "q=%00python", "q=%E2%80%AE玉米", "q=%ff%fe教程", "tag=%00", "site=%00",
                  "q=<script>alert(1)</script>", "q='; DROP TABLE numbered_articles; --"):  # fmt: skip
        answer = library.get(f"/search?{query}")
        assert answer.status_code == 200, query
        assert "<script>alert" not in answer.text


def test_an_article(library: TestClient) -> None:
    text = library.get(f"/articles/{FIRST}").text
    assert "<h1><bdi>Python 教程 1</bdi></h1>" in text
    assert '<p dir="auto">第1篇讲网络爬虫。</p>' in text
    assert '<p dir="auto">第二段 &lt;b&gt;粗体&lt;/b&gt;</p>' in text
    assert f'href="{numbered(1).url}" rel="noopener noreferrer"' in text
    assert "alert(1)" not in text
    assert "/like" not in text
    assert "/edit" not in text


def test_an_article_of_a_list_crawl_leads_to_its_prices(library: TestClient) -> None:
    key = article(1).url_md5
    assert f'href="/prices/articles/{key}"' in library.get(f"/articles/{key}").text
    assert "/prices/articles/" not in library.get(f"/articles/{article(3).url_md5}").text
    assert "本文不完整" in library.get(f"/articles/{article(2).url_md5}").text
    gone = library.get(f"/articles/{article(4).url_md5}").text
    assert "原站已删除本文（2026-03-05）" in gone


def test_related_ones_say_why(library: TestClient) -> None:
    assert f"/articles/{FIRST}/related" in library.get(f"/articles/{FIRST}").text
    text = library.get(f"/articles/{FIRST}/related").text
    assert "共同标签：<bdi>单号</bdi> · <bdi>教程</bdi>" in text
    assert "共同词语：" in text
    # They are known now.
    assert "共同标签：<bdi>单号</bdi>" in library.get(f"/articles/{FIRST}").text
    assert "没有相关文章" in library.get(f"/articles/{article(1).url_md5}/related").text


def test_an_unknown_address(library: TestClient) -> None:
    for key in ("0" * 32, "1", FIRST.upper(), f"{FIRST}0", "..%2F..%2Fetc", "%00"):
        assert library.get(f"/articles/{key}").status_code == 404, key
        assert library.get(f"/articles/{key}/related").status_code == 404, key


def test_a_title_of_a_million_characters_is_cut(library: TestClient) -> None:
    key = numbered(101).url_md5
    answer = library.get(f"/articles/{key}")
    assert answer.status_code == 200
    assert "长…" in answer.text
    for address in (f"/articles/{key}", "/articles", "/search?q=长长长"):
        assert len(library.get(address).text) < 60_000


def test_a_read_counts_once_for_a_person(filled: str, site: WebSite) -> None:
    add_users(site)
    address = f"/articles/{FIRST}"
    with client_of(site) as client:
        log_in(client, Role.READER)
        client.get(address, headers={"User-Agent": "Googlebot/2.1"})
        client.get(address, headers=BROWSER | {"Sec-Purpose": "prefetch"})
        client.head(address, headers=BROWSER)
        client.get("/search", headers=BROWSER)
        assert "阅读" not in client.get(address, headers=BROWSER).text.split("</article>")[0]
        assert "阅读 1" in client.get(address, headers=BROWSER).text
        log_in(client, Role.ANALYST)
        client.get(address, headers=BROWSER)
        assert "阅读 2" in client.get(address, headers=BROWSER).text


def test_a_search_lists_all_stored_texts(store_url: str, client: TestClient) -> None:
    """Each leads to its page, an own item to its source; gone ones are left out."""
    listed, item = article(1, title="独角兽玉米"), own(1, item='{"name": "独角兽"}')
    fetched, record = page(1, title="独角兽笔记"), template_record(1, title="独角兽公司")
    fill(store_url, [listed, fetched, record, item, article(4, title="独角兽"), gone(4)])
    text = client.get("/search?q=独角兽").text
    dated = client.get("/search?q=独角兽&since=2026-01-01").text
    places = [f"/articles/{listed.url_md5}", f"/pages/{fetched.key}", f"/records/{record.key}"]
    assert [client.get(place).status_code for place in places] == [200] * 3
    assert all(kind in text for kind in ("主题网页", "模板记录", "自定义条目"))
    linked = re.findall(r'<span class="title"><a href="([^"]+)"', text)
    assert sorted(linked) == sorted([*places, item.url])
    assert re.findall(r'<span class="title"><a href="([^"]+)"', dated)[-1:] == places[:1]
