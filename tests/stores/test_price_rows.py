"""All quotes as plain rows, alike in SQL databases."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.sql import price_columns, sql_prices
from focuscrawl.stores.sql.price_columns import IS_KNOWN, IS_PRIMARY, NEVER, UNDATED, read_columns
from focuscrawl.stores.sql.sql_prices import QUOTE_TEXTS, SEPARATOR
from tests.stores.conftest import SQL
from tests.stores.record_examples import NOW, article, crawl_run, gone, price_decision, quote

STORE_KINDS = SQL


async def test_columns_have_all_articles_and_the_quotes_of_some(
    store: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sql_prices, "_ARTICLES_AT_ONCE", 20)
    monkeypatch.setattr(price_columns, "_AT_ONCE", 20)
    third = Decimal("1633.333333")
    odd = f"寿光{SEPARATOR}"
    quotes = [
        quote(price_yuan_per_ton_high=third, province="山东", city="潍坊", entity_type="place"),
        quote(date=None, flag="odd", is_primary=False, entity_is_known=False, moisture="14%"),
        quote(date=date(9999, 12, 31), entity=odd, commodity="", goods_condition="烘干"),
    ]
    many = [article(number, quotes=[]) for number in range(50)]
    await store.write([*many, article("a", quotes=quotes), article("b", quotes=[quote()])])
    await store.write([gone("b"), article("c", published=None, quotes=[])])
    batches = [batch async for batch in store.price_articles()]
    assert len(batches) == 3
    found = {row[0]: row[1:] for batch in batches for row in zip(*batch.values(), strict=True)}
    assert list(found) == sorted(article(name).url_md5 for name in [*range(50), *"abc"])
    md5s = [article(name).url_md5 for name in "ab"]
    columns = await store.price_quotes(md5s)
    own = [row for row in zip(*columns.values(), strict=True) if row[0] == md5s[0]]
    assert [row[1] for row in own] == [0, 1, 2]
    texts = [dict(zip(QUOTE_TEXTS, row[3].rsplit(SEPARATOR, 9), strict=True)) for row in own]
    whole = {name: [getattr(one, name) for one in quotes] for name in QUOTE_TEXTS}
    assert {name: [one[name] for one in texts] for name in QUOTE_TEXTS} == whole
    assert [(float(low), float(high)) for *_, low, high, _ in own] == [
        (1630, float(third)), (1630, 1660), (1630, 1660),
    ]  # fmt: skip
    assert [row[-1] for row in own] == [IS_PRIMARY + IS_KNOWN, 0, IS_PRIMARY + IS_KNOWN]
    # As columns, they are the same in all databases.
    read = await read_columns(store, lambda share: None, None, is_whole=True)
    assert read["day"].tolist().count(UNDATED) == 1
    assert read["day"].max() == date(9999, 12, 31).toordinal() - date(1970, 1, 1).toordinal()
    milliseconds = round(NOW.timestamp() * 1000)
    places = [read.md5(place) for place in range(len(read["keys"]))]
    assert places == list(found)
    assert set(read["first_seen"].tolist()) == {milliseconds}
    assert read["gone_at"][places.index(md5s[1])] == milliseconds
    assert read["gone_at"][places.index(md5s[0])] == NEVER
    assert read["published"][places.index(article("c").url_md5)] == UNDATED
    assert await store.price_quotes([article("c").url_md5]) == {}
    # From the file of an earlier reading as well.
    monkeypatch.setattr(price_columns, "KEPT_FROM", 1)
    monkeypatch.setattr(price_columns, "_AT_ONCE", 1000)
    for _ in range(2):
        again = await read_columns(store, lambda share: None, tmp_path / "kept", is_whole=False)
        for name in ("article", "seq", "day", "low", "high", "marks"):
            assert sorted(again[name].tolist()) == sorted(read[name].tolist())


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
