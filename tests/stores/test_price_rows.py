"""All quotes as plain rows, alike in SQL databases."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from focuscrawl.stores.database_urls import Database
from tests.stores.conftest import SQL
from tests.stores.record_examples import NOW, article, crawl_run, gone, price_decision, quote

STORE_KINDS = SQL


async def test_rows_have_all_articles_with_all_quotes(store: Database) -> None:
    third = Decimal("1633.333333")
    quotes = [
        quote(price_yuan_per_ton_high=third, province="山东", city="潍坊", entity_type="place"),
        quote(date=None, flag="odd", is_primary=False, entity_is_known=False),
    ]
    # More than are read at a time.
    many = [article(number, quotes=[quote()]) for number in range(1100)]
    await store.write([*many, article("a", quotes=quotes), article("b", quotes=[])])
    await store.write([gone("b")])
    batches = [batch async for batch in store.price_rows()]
    articles = [row for batch in batches for row in batch[0]]
    rows = [row for batch in batches for row in batch[1]]
    assert len(batches) > 1
    assert [row[0] for row in articles] == sorted(
        article(name).url_md5 for name in [*range(1100), "a", "b"]
    )
    assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)
    (own,) = (row for row in articles if row[1] == article("a").url)
    assert own[1:] == (article("a").url, "demo", article().published, True, None, NOW, NOW)
    assert [row[5] for row in articles if row[1] == article("b").url] == [NOW]
    first, second = (row for row in rows if row[0] == article("a").url_md5)
    day = quote().date
    place = ("山东", "潍坊", "", "place")
    price = (1630.0, float(third))
    assert first[1:] == (0, day, "玉米", "寿光", "山东", *place, *price, "", True, True, "", "")
    assert [type(value) for value in first[10:]] == [float, float, str, bool, bool, str, str]
    empty = ("", "", "", "")
    assert second[1:6] + second[12:15] == (1, None, "玉米", "寿光", "山东", "odd", False, False)
    assert second[6:10] == empty


async def test_the_mark_changes_with_crawls_verdicts_and_articles(store: Database) -> None:
    marks = [await store.price_mark()]
    for write in (
        store.write([article()]),
        store.write_run(crawl_run(1)),
        store.write_run(crawl_run(1, updated_at=NOW + timedelta(days=2))),
        store.write_run(crawl_run(1, ended_at=NOW + timedelta(days=3))),
        store.write([price_decision()]),
    ):
        await write
        marks.append(await store.price_mark())
        assert marks[-1] == await store.price_mark()
    assert len(set(marks)) == len(marks)


async def test_spans_are_found_by_article_and_position(store: Database) -> None:
    await store.write([article(1, quotes=[quote(), quote(span="潍坊")]), article(2)])
    key = article(1).url_md5
    assert await store.spans([key]) == {(key, 0): quote().span, (key, 1): "潍坊"}
    assert await store.spans([]) == {}
