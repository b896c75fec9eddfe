"""One mean price of an entity and a day in the workbook, the web views, their alarms and the SQL views."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from focuscrawl.items import Article, GoneArticle, PriceDecision, Quote
from focuscrawl.reports.price_figures import price_figures
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.text.places.gazetteer import Location
from focuscrawl.web.alarms.alarm_runner import prices_of
from focuscrawl.web.alarms.alarm_store import AlarmRule
from focuscrawl.web.prices.daily_prices import calendars, daily_prices
from focuscrawl.web.prices.price_snapshots import read_prices
from focuscrawl.web.prices.price_table import PriceTable, day_number, day_of
from tests.stores.record_examples import NOW, article, quote

TODAY = date.today()
GOODS = ("玉米", "小麦")
PLACES = [("山东", "潍坊", "寿光"), ("山东", "潍坊", ""), ("河北", "", ""), ("", "", "")]
Means = dict[tuple[str, str, date], float]


def any_quote(choose: Random, number: int) -> Quote:
    low = Decimal(choose.choice([1990, 2010, "2070.25", 2200]))
    place = choose.choice(PLACES)
    return quote(
        date=TODAY - timedelta(days=choose.choice([0, 0, 1, 7, -3])),
        commodity=choose.choice(GOODS),
        entity=choose.choice(["甲", "甲", "乙", ""]),
        province=place[0], city=place[1], county=place[2], region=place[0],
        price_yuan_per_ton_low=low,
        price_yuan_per_ton_high=low + choose.choice([0, 0, 15]),
        is_primary=choose.random() < 0.8,
        flag=choose.choice(["", "", "", "odd"]),
        entity_type=choose.choice(["firm", "port"]),
        span=f"第{number}句",
    )  # fmt: skip


def any_batches(seed: int) -> list[list[Article | GoneArticle | PriceDecision]]:
    """Return articles; verdicts on their quotes; and some read again with other prices, or gone."""
    choose = Random(seed)
    first: list[Article | GoneArticle | PriceDecision] = []
    verdicts, later = first.copy(), first.copy()
    for number in range(choose.randint(12, 20)):
        own = [any_quote(choose, seq) for seq in range(choose.randint(1, 6))]
        one = article(number, published=TODAY, quotes=own)
        first.append(one)
        for about in own:
            if verdict := choose.choice(["", "", "confirmed", "refused"]):
                verdicts.append(_decision(one, about, verdict))
        changed = [replace(about, price_yuan_per_ton_high=Decimal(2300)) for about in own]
        again = replace(one, text="改", quotes=changed)
        gone = GoneArticle(url=one.url, site=one.site, gone_at=NOW)
        later += choose.choice([[], [], [again], [gone], [again, gone]])
    return [first, verdicts, later]


def _decision(one: Article, about: Quote, verdict: Any) -> PriceDecision:
    return PriceDecision(
        url=one.url, commodity=about.commodity, entity=about.entity, price_low=about.price_low,
        price_high=about.price_high, unit=about.unit, span=about.span, reader_flag=about.flag,
        verdict=verdict, decided_by="李", decided_at=datetime.now(UTC),
    )  # fmt: skip


async def stored(url: str, batches: list[list[Any]]) -> tuple[PriceTable, Means]:
    """Store batches; return the table of the web views and the means of the workbook."""
    (writer,) = make_stores(url)
    await writer.open()
    for batch in batches:
        if batch:
            await writer.write(batch)
    await writer.close()
    reader = database_at(url)
    await reader.open()
    try:
        facts = QuoteFacts()
        async for one in reader.quotes():
            facts.add(one)
        daily = price_figures(facts, TODAY).daily.astype({"commodity": str, "entity": str})
        rows = daily.itertuples(index=False)
        return await read_prices(reader), {(r[0], r[1], r[2].date()): r[3] for r in rows}
    finally:
        await reader.close()


def shown(table: PriceTable) -> tuple[Means, Means]:
    """Return the means of the pages: as points of charts, and as rows of calendars."""
    points, cells = {}, {}
    first, last = day_number(TODAY - timedelta(days=9)), day_number(TODAY)
    for number, goods in enumerate(table.commodities):
        part = table.slice_of(number)
        rows = np.flatnonzero(table.is_counted[part]) + part.start
        daily = daily_prices(table, rows)
        for owner, day, price in zip(daily.owner, daily.day, daily.price, strict=True):
            points[goods, table.series[owner].name, day_of(day) or date.min] = float(price)
        owners = [*range(len(table.series))]
        for owner, prices in zip(owners, calendars(table, rows, owners, first, last), strict=True):
            for place in np.flatnonzero(~np.isnan(prices)):
                name = table.series[owner].name
                cells[goods, name, day_of(first + place) or date.min] = float(prices[place])
    return points, cells


def watched(table: PriceTable) -> Means:
    rules = [AlarmRule(kind="price", commodity=goods) for goods in GOODS]  # type: ignore[arg-type]
    return {
        (rule.commodity, entity, day): price
        for rule in rules
        for day, prices in prices_of(rule, table, TODAY - timedelta(days=9), TODAY).items()
        for entity, price in prices.items()
    }


def viewed(path: Path, table: PriceTable) -> Means:
    names = {(one.name.partition("(")[0], one.place): one.name for one in table.series}
    query = "SELECT commodity, entity, province, city, county, date, price FROM daily_prices"
    with closing(sqlite3.connect(path)) as connection:
        return {
            (goods, names[entity, Location(*place)], date.fromisoformat(day)): price
            for goods, entity, *place, day, price in connection.execute(query)
        }


@pytest.mark.parametrize("seed", range(4))
async def test_all_show_the_same_mean(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    table, workbook = await stored(f"sqlite:///{path}", any_batches(seed))
    points, cells = shown(table)
    assert len(workbook) > 3
    assert points == cells == watched(table) == pytest.approx(workbook)
    assert viewed(path, table) == pytest.approx(workbook, abs=0.0051)
