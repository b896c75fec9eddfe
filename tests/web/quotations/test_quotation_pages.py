"""The page of a quote, its JSON, and its article."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import GoneArticle
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.articles.article_edits import NONE, Correction, correct
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import NOW, article, price_decision, quote
from tests.web.conftest import add_users, client_of, fill, log_in
from tests.web.quotations.quoted_articles import FLAG, TEXT, quoted

ONE = quoted()
PAGE = f"/prices/quotes/{ONE.url_md5}"
HOSTILE = "<script>alert(1)</script>\u202e<b onclick=x>"


def test_a_quote_is_marked_in_its_article(store_url: str, client: TestClient) -> None:
    fill(store_url, [ONE])
    text = client.get(f"{PAGE}/2").text
    assert re.findall(r'<mark id="price"><bdi>(.*?)</bdi></mark>', text) == ["0.83元/斤"]
    assert f'<a class="other" href="{PAGE}/3#price"><bdi>5000元/吨</bdi></a>' in text
    assert f'href="{ONE.url}" rel="noopener noreferrer"' in text
    for word in ("昌乐盛泰", "1630–1660", "0.815–0.83", "2026-03-04", ONE.title):
        assert word in text
    assert '<form method="post" action="/prices' not in text


def test_the_confidence_leads_to_its_explanation(store_url: str, client: TestClient) -> None:
    assert ONE.quotes
    fill(store_url, [replace(ONE, quotes=[replace(one, confidence=0.62) for one in ONE.quotes])])
    text = client.get(f"{PAGE}/2").text
    assert re.search('href="/help#quotations.confidence"[^>]*>可信度</a></dt><dd>62%', text)
    assert 'id="quotations.confidence">可信度' in client.get("/help").text


def test_a_quote_as_json(store_url: str, client: TestClient) -> None:
    fill(store_url, [ONE, GoneArticle(url=ONE.url, site=ONE.site, gone_at=NOW)])
    answer = client.get(f"{PAGE}/3.json")
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    start, end = found["text_start"], found["text_end"]
    assert TEXT[start:end] == "5000元/吨"
    assert (found["entity"], found["price_low"], found["flag"]) == ("青岛港", 5000, FLAG)
    assert (found["sentence"], found["verdict"]) == ("青岛港5000元/吨。", "open")
    assert found["article_url"] == ONE.url
    assert found["gone_at"] == NOW.isoformat()


UNKNOWN = (
    f"{PAGE}/4",
    f"{PAGE}/4.json",
    f"{PAGE}/-1",
    f"{PAGE}/１",
    f"{PAGE}/{'9' * 5000}",
    f"{PAGE}/x",
    f"{PAGE}/",
    f"/prices/quotes/{'0' * 32}/0",
    "/prices/quotes/..%2F..%2Fetc/0",
    f"/prices/articles/{'0' * 32}",
    f"/prices/articles/{ONE.url_md5.upper()}",
    "/prices/articles/%00",
)


def test_unknown_addresses_and_days_are_refused(store_url: str, client: TestClient) -> None:
    fill(store_url, [ONE])
    found = {path: client.get(path).status_code for path in UNKNOWN}
    assert found == dict.fromkeys(UNKNOWN, 404)
    days = {"2026-02-30": 400, "x": 400, "1": 400, "99999-01-01": 400, "\u202e": 400}
    # The first and the last one there are.
    days |= {"0001-01-01": 200, "9999-12-31": 200}
    path = f"/prices/articles/{ONE.url_md5}"
    assert {day: client.get(path, params={"known_on": day}).status_code for day in days} == days


def test_an_article_shows_all_its_quotes(store_url: str, client: TestClient) -> None:
    refused = price_decision(
        url=ONE.url,
        **{
            name: getattr((ONE.quotes or [])[3], name)
            for name in ("commodity", "entity", "price_low", "price_high", "unit", "span")
        },
        verdict="refused",
    )
    fill(store_url, [ONE, refused])
    text = client.get(f"/prices/articles/{ONE.url_md5}").text
    assert [f'href="{PAGE}/{seq}#price">' in text for seq in range(5)] == [True] * 4 + [False]
    assert "已剔除" in text
    assert "人工剔除" in text


@pytest.mark.parametrize(("quotes", "words"), [(None, "未读取价格"), ([], "没有报价")])
def test_an_article_without_quotes_says_why(
    store_url: str, client: TestClient, quotes: list[object] | None, words: str
) -> None:
    fill(store_url, [article(1, quotes=quotes)])
    assert words in client.get(f"/prices/articles/{article(1).url_md5}").text


def test_a_megabyte_without_a_blank_is_shown(store_url: str, client: TestClient) -> None:
    text = "玉" * 2**20 + "0.8元/斤"
    fill(store_url, [article(1, text=text, quotes=[quote(text_start=2**20, text_end=2**20 + 6)])])
    answer = client.get(f"/prices/quotes/{article(1).url_md5}/0")
    assert '<mark id="price"><bdi>0.8元/斤</bdi></mark>' in answer.text


def test_an_article_and_a_quote_as_known_on_a_day(store_url: str, client: TestClient) -> None:
    text = "寿光0.8元/斤"
    old = article(1, title="旧标题", text=text, quotes=[quote(text_start=2, text_end=8)])
    new = article(1, title="新标题", text="今日停收", quotes=[], fetched_at=NOW + timedelta(days=1))
    for entry in (old, new):
        fill(store_url, [entry])
    path = f"/prices/articles/{old.url_md5}"
    for day, words in {
        "2026-03-04": ["当时尚未见到"],
        "2026-03-05": ["旧标题", "历史版本", "<mark><bdi>0.8元/斤</bdi></mark>"],
        "2026-03-07": ["新标题", "今日停收"],
        "": ["新标题", "今日停收"],
    }.items():
        shown = client.get(path, params={"known_on": day}).text
        assert [word for word in words if word not in shown] == [], day
    # A quote that only an earlier version has leads to that version.
    quotation = f"/prices/quotes/{old.url_md5}/0"
    assert client.get(quotation).status_code == 404
    answer = client.get(quotation, params={"known_on": "2026-03-05"})
    assert answer.headers["location"] == f"{path}?known_on=2026-03-05"


def test_a_hidden_article_is_hidden_here_as_well(store_url: str, site: WebSite) -> None:
    changed = replace(ONE, text=ONE.text.replace("0.815元/斤", "0.816元/斤"))
    fill(store_url, [ONE, changed])
    add_users(site)
    hidden, author = Correction(is_hidden=True), Author("editor", "")
    site.database.run_now(correct, author, ONE.url_md5, ONE.url, NONE.state, hidden)
    article_page = f"/prices/articles/{ONE.url_md5}"
    pages = (f"{PAGE}/0", f"{PAGE}/0.json", article_page, f"{article_page}/versions")
    for role, status in ((Role.EDITOR, 200), (Role.ANALYST, 404)):
        with client_of(site) as client:
            log_in(client, role)
            assert {client.get(page).status_code for page in pages} == {status}
            exported = client.get("/prices/quotes.json").text
            assert ('"span": ""' in exported) == (role is not Role.EDITOR)
            for page in ("/prices/doubts", "/prices/revised"):
                assert ONE.title not in client.get(page).text or role is Role.EDITOR
