"""Prices as they were known at the end of a day."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from focuscrawl.items import Article
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import NOW, gone
from tests.web.conftest import client_of, fill
from tests.web.prices.conftest import FIRST, bulletin, priced

MORNING = datetime(2026, 3, 1, 4, tzinfo=UTC)


def version(day: int, price: float, number: int = 0, **fields: Any) -> Article:
    """Return the bulletin of a day in the version that was fetched some days after 1 March."""
    own = FIRST + timedelta(days=number)
    fetched = MORNING + timedelta(days=day)
    quotes = fields.pop("quotes", None) or [priced("寿光", own, price)]
    return bulletin(own, quotes, text=f"{price}", fetched_at=fetched, **fields)


@pytest.fixture
def known(site: WebSite) -> Any:
    """The low prices of the quotes known on a day of March, by day of the quote."""
    new_goods = [priced("新厂", FIRST, 2100), priced("寿光", FIRST, 50, flag="odd")]
    for entry in (
        version(0, 2000),
        version(3, 2010, quotes=[priced("寿光", FIRST, 2010), *new_goods]),
        version(6, 2020),
        version(2, 1900, number=1),
        version(9, 1950, number=2),
    ):
        fill(site.store_url, [entry])

    with client_of(site) as client:

        def known(day: int, **query: str) -> set[tuple[str, str, float]]:
            more = "".join(f"&{name}={value}" for name, value in query.items())
            on = date(2026, 3, 1) + timedelta(days=day)
            found = client.get(f"/prices/quotes.json?known_on={on}{more}").json()["quotes"]
            return {(row["date"], row["entity"], row["price_low"]) for row in found}

        yield known


def test_each_day_has_the_versions_of_then(known: Any) -> None:
    first, second, third = (str(FIRST + timedelta(days=number)) for number in range(3))
    assert known(-1) == set()
    assert known(0) == known(1) == {(first, "寿光", 2000)}
    assert known(2) == {(first, "寿光", 2000), (second, "寿光", 1900)}
    both = {(first, "寿光", 2010), (first, "寿光", 50), (first, "新厂", 2100)}
    assert known(3) == known(5) == both | {(second, "寿光", 1900)}
    assert known(4, entity="新厂") == {(first, "新厂", 2100)}
    assert known(4, flag="flagged") == {(first, "寿光", 50)}
    assert known(6) == {(first, "寿光", 2020), (second, "寿光", 1900)}
    assert known(20) == known(6) | {(third, "寿光", 1950)}


def test_an_article_that_was_gone_later_counts(site: WebSite) -> None:
    fill(site.store_url, [bulletin(FIRST, [priced("寿光", FIRST, 2000)], fetched_at=NOW)])
    fill(site.store_url, [replace(gone(f"{FIRST}"), gone_at=NOW + timedelta(days=5))])
    with client_of(site) as client:

        def number(days: int) -> int:
            day = NOW.date() + timedelta(days=days)
            return len(client.get(f"/prices.json?known_on={day}").json()["days"])

        assert [number(days) for days in (-1, 0, 4, 5, 6)] == [0, 1, 1, 0, 0]


def test_pages_say_what_they_show_and_keep_the_day(site: WebSite) -> None:
    fill(site.store_url, [version(0, 2000)])
    with client_of(site) as other:
        text = other.get("/prices?known_on=2026-03-02").text
        assert "2026-03-02 当日结束前" in text
        assert "known_on=2026-03-02" in text
        point = other.get(
            f"/prices/points?entity=寿光&commodity=玉米&day={FIRST}&known_on=2026-03-02"
        )
        assert point.headers["location"].endswith("/0?known_on=2026-03-02")
        assert other.get("/prices?known_on=9999-12-31").status_code == 400
        assert other.get("/prices?known_on=0001-01-01").status_code in (200, 400)


def test_all_goods_are_known_and_those_of_an_entity(site: WebSite) -> None:
    unnamed = [priced(name, FIRST, 2000, commodity="") for name in ("寿光", "诸城")]
    meal = priced("邹平", FIRST, 3000, commodity="豆粕")
    fill(site.store_url, [bulletin(FIRST, [*unnamed, meal], fetched_at=NOW)])
    on = NOW.date() + timedelta(days=5)
    with client_of(site) as client:
        every = client.get(f"/prices/quotes.json?known_on={on}").json()["quotes"]
        assert sorted(row["commodity"] for row in every) == ["", "", "豆粕"]
        own = client.get(f"/prices.json?entity=邹平&known_on={on}").json()["days"]
        assert [(row["commodity"], row["price"]) for row in own] == [("豆粕", 3000)]


def test_all_goods_of_a_comparison_are_as_known(site: WebSite) -> None:
    for day, price in ((0, 2000), (5, 2100)):
        meal = priced("寿光", FIRST, price + 1000, commodity="豆粕")
        fill(site.store_url, [version(day, price, quotes=[priced("寿光", FIRST, price), meal])])
    asked = "/prices.json?entity=寿光&commodity=玉米&commodity=豆粕&known_on=2026-03"
    with client_of(site) as client:
        for on, prices in (("02", [2000, 3000]), ("07", [2100, 3100])):
            found = client.get(f"{asked}-{on}").json()["days"]
            assert sorted(row["value"] for row in found) == prices
