"""The table of all quotes: what it has, when it is read again, and a store that is away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from focuscrawl.items import CrawlRun
from focuscrawl.reports.entity_series import location_of, series_names, settled_places
from focuscrawl.reports.quote_facts import is_counted
from focuscrawl.stores.database_urls import database_at
from focuscrawl.web.prices.figures import price_snapshots
from focuscrawl.web.prices.figures.price_snapshots import read_prices
from focuscrawl.web.prices.figures.price_table import PriceTable, day_of
from focuscrawl.web.web_site import WebSite
from tests.servers.process import ServerProcess
from tests.stores.record_examples import NOW, article, crawl_run, quote
from tests.web.conftest import client_of, fill, run_async, site_over
from tests.web.prices.conftest import FIRST, bulletin, priced, weeks

_PATIENCE = 60


def table_at(url: str) -> PriceTable:
    async def read() -> PriceTable:
        store = database_at(url)
        await store.open()
        try:
            return await read_prices(store)
        finally:
            await store.close()

    return run_async(read())


def test_it_has_the_quotes_of_the_store(store_url: str) -> None:
    odd = [
        priced("寿光", FIRST, 2000, province="", city="", county="", region="山东省寿光市"),
        priced("寿光", FIRST, 2000, province="河北", city="", county=""),
        priced("", FIRST, 2000),
        quote(date=None),
        quote(date=FIRST.replace(year=9999), commodity="小麦"),
        quote(is_primary=False),
    ]
    fill(store_url, [*weeks(1), article("odd", quotes=odd)])

    async def stored() -> list[tuple[object, ...]]:
        store = database_at(store_url)
        await store.open()
        try:
            listed = [entry async for entry in store.quotes()]
        finally:
            await store.close()
        pairs = [(one.quote.entity, location_of(one.quote)) for one in listed]
        names = series_names(settled_places(pairs))
        return [
            (
                one.quote.date,
                one.quote.commodity,
                names[pair],
                float(one.quote.price_yuan_per_ton_low),
                float(one.quote.price_yuan_per_ton_high),
                one.quote.flag,
                one.quote.is_primary,
                is_counted(one.quote) and one.quote.date.year < 9999,  # type: ignore[union-attr]
                one.article_url,
                one.site,
            )
            for one, pair in zip(listed, pairs, strict=True)
        ]

    table = table_at(store_url)
    found = [
        (
            day_of(table.day[row]),
            table.commodities[table.commodity[row]],
            table.series[table.owner[row]].name,
            table.low[row],
            table.high[row],
            table.flags[table.flag[row]],
            table.is_primary[row],
            table.is_counted[row],
            table.articles.urls[table.article[row]],
            table.articles.site_name(table.article[row]),
        )
        for row in range(len(table))
        if table.is_standing[table.article[row]]
    ]
    assert sorted(found, key=str) == sorted(run_async(stored()), key=str)
    assert table.commodities == ["玉米", "小麦"]
    days = [day_of(table.day[row]) or date.min for row in table.newest_first]
    # What is dated in the future is no news.
    assert days == sorted(days, key=lambda day: day.year % 9999, reverse=True)
    # Columns are sorted by commodity, series and day.
    keys = list(zip(table.commodity, table.owner, table.day, strict=True))
    assert keys == sorted(keys)


def wait_until(check: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not check():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the store all the time."""
    monkeypatch.setattr(price_snapshots, "CHECK_SECONDS", 0.05)


def write_run(url: str, run: CrawlRun) -> None:
    async def write() -> None:
        store = database_at(url)
        await store.open()
        try:
            await store.write_run(run)
        finally:
            await store.close()

    run_async(write())


@pytest.mark.usefixtures("quick")
def test_it_is_read_again_after_a_change_only(site: WebSite, store_url: str) -> None:
    fill(store_url, [article(1, quotes=[quote()])])
    with client_of(site) as client:
        client.get("/prices")
        first = site.prices.table
        assert first is not None
        time.sleep(0.3)
        assert site.prices.table is first
        fill(store_url, [article(2, quotes=[quote()])])
        wait_until(lambda: site.prices.table is not first)
        second = site.prices.table
        assert second is not None
        assert len(second) == 2
        # A changed article changes no number of articles, but its crawl leaves a run.
        fill(store_url, [article(2, text="neu", quotes=[], fetched_at=NOW + timedelta(days=1))])
        write_run(store_url, crawl_run(1))
        wait_until(lambda: len(site.prices.table or second) == 1)


@pytest.mark.usefixtures("quick")
def test_everything_is_read_from_time_to_time(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(price_snapshots, "WHOLE_SECONDS", 0.2)
    fill(store_url, [article(1, quotes=[quote()])])
    with client_of(site) as client:
        client.get("/prices")
        fill(store_url, [article(1, text="neu", quotes=[])])
        wait_until(lambda: site.prices.table is not None and len(site.prices.table) == 0)


def test_before_the_first_table_a_page_says_so(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, weeks(1))
    going_on = asyncio.Event()

    async def never(store: object) -> PriceTable:
        await going_on.wait()
        raise AssertionError

    monkeypatch.setattr(price_snapshots, "read_prices", never)
    monkeypatch.setattr("focuscrawl.web.prices.price_requests.FIRST_SECONDS", 0.05)
    with client_of(site) as client:
        answer = client.get("/prices")
        assert answer.status_code == 503
        assert answer.headers["refresh"] == "2"
        assert "正在读取" in answer.text


@pytest.mark.usefixtures("quick")
def test_a_store_that_is_away_and_comes_back(
    mysql_server: ServerProcess, mysql_url: str, tmp_path: Path
) -> None:
    fill(mysql_url, weeks(1))
    site = site_over(mysql_url, tmp_path)
    mysql_server.stop()
    with closing(site.database):
        try:
            with client_of(site) as client:
                said = client.get("/prices")
                assert said.status_code == 503
                assert said.headers["refresh"]
                mysql_server.start()
                wait_until(lambda: client.get("/prices").status_code == 200)
                mysql_server.stop()
                wait_until(lambda: "数据库暂时无法访问" in client.get("/prices").text)
                # The table of before is shown meanwhile.
                assert client.get("/prices").status_code == 200
                mysql_server.start()
                wait_until(lambda: "数据库暂时无法访问" not in client.get("/prices").text)
        finally:
            mysql_server.stop()
            mysql_server.start()


def test_an_error_of_ours_is_shown_instead_of_waiting_for_ever(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(store: object) -> PriceTable:
        raise ZeroDivisionError

    monkeypatch.setattr(price_snapshots, "read_prices", fail)
    with client_of(site) as client:
        assert client.get("/prices").status_code == 503


@pytest.mark.server
def test_all_stores_show_the_same(store_url: str, mysql_url: str, tmp_path: Path) -> None:
    later = timedelta(days=3)
    changed = replace(
        bulletin(FIRST, [priced("寿光", FIRST, 2222)]), text="neu", fetched_at=NOW + later
    )
    shown = []
    for number, url in enumerate((store_url, mysql_url)):
        fill(url, weeks(2))
        fill(url, [changed])
        write_run(url, crawl_run(1, details={"rules": {"name": "demo"}}, ended_at=NOW))
        folder = tmp_path / str(number)
        folder.mkdir()
        site = site_over(url, folder)
        with closing(site.database), client_of(site) as client:
            pages = ("/prices.csv", "/prices.csv?rows=days", "/prices/quotes.csv", "/prices/moves.csv",
                     "/prices/matrix.csv", "/prices.csv?known_on=2026-03-06", "/prices?view=years",
                     "/prices/quotes", "/prices", "/prices/matrix")  # fmt: skip
            texts = [client.get(address).text for address in pages]
            texts.append(str(client.get("/prices/quotes.json").json()["quotes"]))
            known = str(site.prices.table.read_at.astimezone().strftime("%H:%M"))  # type: ignore[union-attr]
            shown.append([text.replace(known, "") for text in texts])
    assert shown[0] == shown[1]
    assert "2222" in shown[0][0]
    assert "2222" not in shown[0][5]
