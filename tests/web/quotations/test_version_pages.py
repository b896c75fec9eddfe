"""Earlier versions of articles, and articles whose prices changed."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

from starlette.testclient import TestClient

from focuscrawl.items import Article
from focuscrawl.web.quotations.version_pages import PriceChange, price_changes
from tests.stores.record_examples import NOW, article, quote
from tests.web.conftest import fill

DAY = timedelta(days=1)
OLD, NEW = Decimal("0.815"), Decimal("0.825")


def version(day: int, price: Decimal = OLD, number: int = 1, **fields: Any) -> Article:
    text = f"寿光{price}元/斤\n<b>不变</b>"
    quotes = [quote(price_low=price, price_high=price, unit="yuan/jin", span=text[:9])]
    plain = {"text": text, "quotes": quotes, "fetched_at": NOW + day * DAY}
    return article(number, **(plain | fields))


def write(url: str, *articles: Article) -> None:
    for one in articles:
        fill(url, [one])


PATH = f"/prices/articles/{version(0).url_md5}/versions"


def test_changes_are_shown_with_their_times(store_url: str, client: TestClient) -> None:
    write(store_url, version(0), version(1, NEW), version(2, NEW, title="<i>新标题</i>"))
    text = client.get(PATH).text
    assert len(re.findall(r"<h2>.* 的改动</h2>", text)) == 2
    assert "寿光0.8<del>1</del><ins>2</ins>5元/斤" in text
    assert "<del>0.815 元/斤</del>" in text
    assert "<ins>0.825 元/斤</ins>" in text
    assert "价格没有变化" in text
    assert "&lt;b&gt;不变" in text
    assert "<i>" not in text
    assert "历史版本（2）" in client.get(f"/prices/quotes/{version(0).url_md5}/0").text


def test_an_article_without_versions(store_url: str, client: TestClient) -> None:
    write(store_url, version(0))
    assert "没有变过" in client.get(PATH).text
    assert client.get(PATH.replace(version(0).url_md5, "0" * 32)).status_code == 404


def test_many_changes_are_shown_page_by_page(store_url: str, client: TestClient) -> None:
    write(store_url, *(version(day, Decimal(day + 1)) for day in range(9)))
    seen: list[str] = []
    path = PATH
    while path:
        text = client.get(path).text
        seen += re.findall(r"<ins>(\d+) 元/斤</ins>", text)
        following = re.search(r'href="([^"]+)" rel="next"', text)
        path = following[1] if following else ""
    assert seen == [str(number) for number in range(9, 1, -1)]
    first, last = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"
    times = {first: 200, last: 200, "x": 400, "2026-02-30T00:00:00Z": 400, "2026-02-01": 400}
    found = {time: client.get(PATH, params={"before": time}).status_code for time in times}
    assert found == times


def test_only_articles_whose_prices_changed_are_listed(store_url: str, client: TestClient) -> None:
    assert "没有文章" in client.get("/prices/revised").text
    write(store_url, *(version(0, OLD, number) for number in range(25)))
    write(store_url, *(version(1, NEW, number) for number in range(0, 25, 2)))
    write(store_url, *(version(2, OLD, number, text="改") for number in range(1, 25, 2)))
    found = re.findall(r'href="/prices/articles/(\w+)/versions"', whole_list(client))
    expected = {version(0, OLD, number).url_md5 for number in range(0, 25, 2)}
    assert len(found) == len(expected)
    assert set(found) == expected
    for after, status in {"0" * 32: 200, "x": 400, "\u202e": 400}.items():
        assert client.get("/prices/revised", params={"after": after}).status_code == status


def whole_list(client: TestClient) -> str:
    path, texts = "/prices/revised", ""
    while path:
        text = client.get(path).text
        following = re.search(r'href="([^"]+)" rel="next"', text)
        path = following[1] if following else ""
        texts += text
    return texts


def test_quotes_of_one_owner_are_compared_in_order() -> None:
    before = [quote(price_low=Decimal(one)) for one in (1, 2, 2)]
    after = [quote(price_low=Decimal(one)) for one in (1, 3)]
    other = quote(entity="诸城")
    assert price_changes(before, [other, *after]) == [
        PriceChange(before[1], after[1]),
        PriceChange(before[2], None),
        PriceChange(None, other),
    ]
    assert price_changes(before, before) == []
