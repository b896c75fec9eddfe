"""Prices of three towns over some weeks, with gaps, flags and a second site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import Article, Quote, Record
from focuscrawl.stores.database_urls import sqlite_url
from tests.stores.record_examples import article, gone, incomplete, quote
from tests.web.conftest import client_of, fill, site_over

FIRST = date(2026, 2, 1)
PLACES = {
    "寿光": ("山东", "潍坊", "寿光"),
    "诸城": ("山东", "潍坊", "诸城"),
    "邹平": ("山东", "滨州", "邹平"),
    "长春": ("吉林", "长春", ""),
}


def priced(entity: str, day: date, price: float, **fields: Any) -> Quote:
    """Return a quote of an entity in yuan per ton."""
    province, city, county = PLACES.get(entity, ("", "", ""))
    amount = Decimal(str(price))
    plain: dict[str, Any] = {
        "entity": entity,
        "mention": entity,
        "date": day,
        "region": "",
        "province": province,
        "city": city,
        "county": county,
        "entity_type": "firm",
        "unit": "元/吨",
        "price_low": amount,
        "price_high": amount,
        "price_yuan_per_ton_low": amount,
        "price_yuan_per_ton_high": amount,
        "span": f"{entity}{price}元/吨",
    }
    return quote(**(plain | fields))


def bulletin(day: date, quotes: list[Quote], **fields: Any) -> Article:
    """Return the article of a day with its quotes."""
    return article(f"{day}", published=day, quotes=quotes, **fields)


def weeks(number: int = 4) -> list[Record]:
    """Return a bulletin for each day: all rise by one a day; three days lack prices, in three ways."""
    records: list[Record] = []
    for place in range(7 * number):
        day = FIRST + timedelta(days=place)
        if place == 5:
            continue
        if place == 6:
            records.append(incomplete(f"{day}", published=day, quotes=[]))
            continue
        flag = "odd" if place == 7 else ""
        quotes = [
            priced(entity, day, 2000 + 10 * rank + place, flag=flag)
            for rank, entity in enumerate(PLACES)
        ]
        records.append(bulletin(day, quotes))
    records.append(article("gone", published=FIRST, quotes=[priced("寿光", FIRST, 9999)]))
    records.append(gone("gone"))
    return records


LAST = FIRST + timedelta(days=27)
"""The newest day of four weeks."""


@pytest.fixture(scope="session")
def four_weeks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a site with the prices of four weeks, for tests that only look."""
    folder = tmp_path_factory.mktemp("prices")
    url = sqlite_url(folder / "store.sqlite")
    fill(url, weeks())
    site = site_over(url, folder)
    with closing(site.database), client_of(site) as client:
        yield client
