"""The views give the same rows in every database, and the statements of the documentation run."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bson.decimal128 import Decimal128
from sqlalchemy import create_engine, text

from focuscrawl.errors import StoreError
from focuscrawl.items import Article, GoneArticle
from focuscrawl.reports.entity_series import settled
from focuscrawl.stores.sql.sql_creation import COLUMNS, VIEWS
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.text.places.locations import Location
from tests.conftest import mysql_connection
from tests.stores.conftest import limited_user
from tests.stores.record_examples import NOW, article, quote

ROOT = Path(__file__).parents[2]
STATEMENTS = re.findall(
    r"```sql\n(.*?);\n```", (ROOT / "docs/analysis.md").read_text(encoding="utf-8"), re.DOTALL
)
FIRMS = {
    "寿光金玉米淀粉": ("潍坊", "寿光", "firm"),
    "昌乐盛泰": ("潍坊", "昌乐", "firm"),
    "平度市": ("青岛", "平度", "place"),
    "山东": ("", "", "average"),
}
DAYS = [date(2017, 1, 31), date(2017, 2, 1), date(2017, 2, 3)]


def bulletin(day: date, number: int) -> Article:
    """Return an article in which the second firm is missing on the last day."""
    quotes = []
    for place, (name, (city, county, kind)) in enumerate(FIRMS.items()):
        price = Decimal(1600 + 10 * place + (number * number * (place + 1)) % 7)
        one = quote(
            date=day, entity=name, province="山东", city=city, county=county, entity_type=kind,
            price_yuan_per_ton_low=price, price_yuan_per_ton_high=price + place,
        )  # fmt: skip
        if (name, day) != ("昌乐盛泰", DAYS[-1]):
            quotes += [one, replace(one, price_yuan_per_ton_low=price - 3)]
    odd = [{"flag": "odd"}, {"is_primary": False}, {"date": None}, {"entity": ""}]
    quotes += [replace(quotes[0], **fields) for fields in odd]
    return article(number, published=day, quotes=quotes)


GONE = bulletin(date(2017, 2, 4), 5)
BULLETINS = [
    *map(bulletin, DAYS, range(1, 4)),
    bulletin(DAYS[1], 4),
    GONE,
    GoneArticle(url=GONE.url, site=GONE.site, gone_at=NOW),
]


async def fill(url: str) -> None:
    (store,) = make_stores(url)
    await store.open()
    await store.write(BULLETINS)
    await store.close()


def plain(value: Any) -> Any:
    """Return a value as all databases have it: numbers as floats, days as text."""
    if isinstance(value, Decimal128):
        value = value.to_decimal()
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, int | Decimal) else value


def select(url: str, statement: str) -> list[tuple[Any, ...]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(text(statement)).all()
    engine.dispose()
    return [tuple(map(plain, row)) for row in rows]


def view_of(url: str, name: str) -> list[tuple[Any, ...]]:
    rows = select(url, f"SELECT {', '.join(COLUMNS)} FROM {name}")  # noqa: S608
    return sorted(rows, key=repr)


async def test_daily_prices_of_an_entity(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    await fill(url)
    found = select(
        url,
        "SELECT date, price, move, previous_date, quotes FROM daily_prices "
        "WHERE entity = '昌乐盛泰' ORDER BY date",
    )
    # 1612..1613 and 1609..1613; on the second day 1611..1612, 1608..1612, 1614..1615, 1611..1615.
    assert found == [("2017-01-31", 1611.75, None, None, 2.0), ("2017-02-01", 1612.25, 0.5, "2017-01-31", 4.0)]  # fmt: skip
    latest = select(url, "SELECT entity, date FROM latest_prices ORDER BY price")
    assert dict(latest) == dict.fromkeys(FIRMS, "2017-02-03") | {"昌乐盛泰": "2017-02-01"}
    assert len(select(url, "SELECT * FROM daily_prices")) == 11


PLACES = [
    # The places of an entity, each with the place under which it is shown.
    ("饲料厂接", {"山东|临沂|沂水": "山东|临沂|沂水", "山东|青岛|": "山东|青岛|", "||": "||"}),
    ("恒仁工贸", {"山东|枣庄|": "山东|枣庄|滕州", "山东|枣庄|滕州": "山东|枣庄|滕州", "||": "山东|枣庄|滕州"}),
    ("开发区", {"山东|潍坊|": "山东|潍坊|", "山东|潍坊|寿光": "山东|潍坊|寿光", "山东|潍坊|诸城": "山东|潍坊|诸城"}),
    ("港", {"山东||": "山东|青岛|", "山东|青岛|": "山东|青岛|", "||": "山东|青岛|"}),
    ("省", {"山东||": "山东||", "吉林||": "吉林|长春|", "吉林|长春|": "吉林|长春|"}),
    ("无", {"||": "||"}),
]  # fmt: skip


async def fill_places(url: str) -> None:
    """Store quotes of each entity in its places, on a day of their own and all together on another."""
    quotes = []
    for entity, places in PLACES:
        for number, place in enumerate(places):
            province, city, county = place.split("|")
            own = quote(
                date=DAYS[0], entity=entity, province=province, city=city, county=county,
                price_yuan_per_ton_low=Decimal(1600), price_yuan_per_ton_high=Decimal(1600),
            )  # fmt: skip
            quotes += [own, replace(own, date=date(2017, 3, 1 + number))]
    (store,) = make_stores(url)
    await store.open()
    await store.write([article(1, quotes=quotes)])
    await store.close()


def expected_places() -> list[tuple[str, str, str]]:
    days = {DAYS[0], *(date(2017, 3, 1 + n) for n in range(3))}
    return sorted(
        {
            (day.isoformat(), entity, shown)
            for entity, places in PLACES
            for number, shown in enumerate(places.values())
            for day in days & {DAYS[0], date(2017, 3, 1 + number)}
        }
    )


def shown_places(url: str) -> list[tuple[str, str, str]]:
    at = {name: place for place, name in enumerate(COLUMNS)}
    return sorted(
        (row[at["date"]], row[at["entity"]], "|".join(row[at[n]] for n in ("province", "city", "county")))
        for row in view_of(url, "daily_prices")
    )  # fmt: skip


async def test_a_name_in_two_places_is_two_series(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    await fill_places(url)
    assert shown_places(url) == expected_places()
    assert len(select(url, "SELECT * FROM latest_prices WHERE entity = '饲料厂接'")) == 3


def test_the_views_tell_series_apart_as_the_workbook_does() -> None:
    for entity, places in PLACES:
        known = [Location(*place.split("|")) for place in places]
        for place, shown in zip(known, places.values(), strict=True):
            assert "|".join(settled(place, known)) == shown, entity


@pytest.mark.server
async def test_views_that_are_missing_or_of_an_older_version_are_made_again(
    tmp_path: Path, mysql_url: str
) -> None:
    """Both databases tell the same series apart."""
    for url in (f"sqlite:///{tmp_path}/a.sqlite", mysql_url):
        await fill_places(url)
        latest = view_of(url, "latest_prices")
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("DROP VIEW latest_prices"))
            connection.execute(text("DROP VIEW daily_prices"))
            columns = ", ".join(f"'old' AS {column}" for column in COLUMNS)
            connection.execute(text(f"CREATE VIEW daily_prices AS SELECT {columns}"))
        engine.dispose()
        (store,) = make_stores(url)
        await store.open()
        await store.close()
        assert shown_places(url) == expected_places()
        assert view_of(url, "latest_prices") == latest


@pytest.mark.server
async def test_all_databases_give_the_same(tmp_path: Path, mysql_url: str) -> None:
    urls = [f"sqlite:///{tmp_path}/a.sqlite", mysql_url]
    for url in urls:
        await fill(url)
    for name in VIEWS:
        ours, theirs = (view_of(url, name) for url in urls)
        assert ours
        assert ours == theirs
    assert len(STATEMENTS) == 10
    for statement in STATEMENTS:
        ours, theirs = select(urls[0], statement), select(urls[1], statement)
        assert ours
        assert ours == theirs


@pytest.mark.server
async def test_all_databases_round_halves_alike(tmp_path: Path, mysql_url: str) -> None:
    """The middle of 1600.25 and 1600 is 1600.125, which is printed as 1600.13 everywhere."""
    ranges = {"甲": (1600, "1600.25"), "乙": (1600, "1600.01"), "丙": ("-5.25", -5), "丁": (0, 0)}
    quotes = [
        quote(
            entity=name, price_yuan_per_ton_low=Decimal(low), price_yuan_per_ton_high=Decimal(high)
        )
        for name, (low, high) in ranges.items()
    ]
    for url in (f"sqlite:///{tmp_path}/a.sqlite", mysql_url):
        (store,) = make_stores(url)
        await store.open()
        await store.write([article(1, quotes=quotes)])
        await store.close()
        at = COLUMNS.index("price")
        prices = {row[COLUMNS.index("entity")]: row[at] for row in view_of(url, "daily_prices")}
        assert prices == {"甲": 1600.13, "乙": 1600.01, "丙": -5.13, "丁": 0}, url


async def test_a_view_of_the_user_on_sqlite_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW latest_prices AS SELECT 1 AS price")
    (store,) = make_stores(f"sqlite:///{path}")
    with pytest.raises(StoreError, match="has a table or view 'latest_prices' of another"):
        await store.open()
    await store.close()


@pytest.mark.server
async def test_a_user_who_may_not_create_views_is_warned(
    mysql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {mysql_url.rsplit('/', 1)[1]} CHARSET utf8mb4")
    with limited_user(mysql_url, but="CREATE VIEW") as url:
        await fill(url)
    assert "has no view daily_prices; grant the user CREATE VIEW" in caplog.text
    assert select(mysql_url, "SELECT COUNT(*) FROM quotes") != [(0,)]
    await fill(mysql_url)
    assert view_of(mysql_url, "latest_prices")
