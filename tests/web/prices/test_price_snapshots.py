"""The table of all quotes: what it has, when it is read again, and a store that is away."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.items import CrawlRun
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.sql.sql_prices import Columns
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.prices import price_snapshots
from focuscrawl.web.prices.price_snapshots import read_prices
from focuscrawl.web.prices.price_table import PriceTable, day_of
from focuscrawl.web.web_site import WebSite
from tests.servers.process import ServerProcess
from tests.stores.record_examples import NOW, article, crawl_run, price_decision, quote
from tests.web.conftest import client_of, fill, run_async, site_over
from tests.web.prices.conftest import FIRST, priced, weeks

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
    table = table_at(store_url)
    assert table.commodities == ["玉米", "小麦"]
    days = [day_of(table.day[row]) or date.min for row in table.newest_first]
    # What is dated in the future is no news.
    assert days == sorted(days, key=lambda day: day.year % 9999, reverse=True)
    # Columns are sorted by commodity, series and day.
    keys = list(zip(table.commodity, table.owner, table.day, strict=True))
    assert keys == sorted(keys)
    found = {
        table.seq[row]: (
            table.series[table.owner[row]].name,
            day_of(table.day[row]),
            bool(table.is_primary[row]),
            bool(table.is_counted[row]),
        )
        for row in range(len(table))
        if table.articles.urls[table.article[row]] == article("odd").url
    }
    here, there = "寿光(山东潍坊寿光)", "寿光(河北)"
    assert [found[seq] for seq in range(6)] == [
        (here, FIRST, True, True),
        (there, FIRST, True, True),
        ("", FIRST, True, False),
        (here, None, True, False),
        (here, FIRST.replace(year=9999), True, False),
        (here, date(2026, 3, 4), False, False),
    ]
    # The quote of an article that is gone is there, and counts no longer.
    standing = table.is_standing[table.article]
    assert (len(table), standing.sum(), table.is_counted[~standing].any()) == (27, 26, False)


def test_a_crawl_that_writes_meanwhile_and_a_reader_that_ends_leave_no_part_of_a_table(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, [article(1, quotes=[quote()]), article(2, quotes=[quote()])])
    monkeypatch.setattr("focuscrawl.stores.sql.sql_prices._ARTICLES_AT_ONCE", 1)
    monkeypatch.setattr("focuscrawl.stores.sql.price_columns._AT_ONCE", 1)
    monkeypatch.setattr(price_snapshots, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(price_snapshots, "_SHARE", 0)
    monkeypatch.setattr("focuscrawl.web.prices.price_requests.FIRST_SECONDS", 0.05)
    later = [article(number, quotes=[quote()]) for number in range(3, 9)]
    shares: list[float] = []
    written: list[int] = []

    async def interrupted(
        store: SQLStore, note: Callable[[float], None], file: Path, *, is_whole: bool
    ) -> PriceTable:
        def noted(share: float) -> None:
            note(share)
            shares.append(share)
            if not written:
                written.append(3)
                raise StoreUnavailableError("gone in the middle")
            if len(written) == 1:
                written.append(4)
                # Some of them where the reading has been already.
                crawl = threading.Thread(target=fill, args=(store_url, later))
                crawl.start()
                crawl.join()

        return await read_prices(store, noted, file, is_whole=is_whole)

    monkeypatch.setattr(price_snapshots, "read_prices", interrupted)
    with client_of(site) as client:
        answer = client.get("/prices")
        assert answer.status_code in (200, 503)
        wait_until(lambda: not site.prices.is_empty and len(site.prices.table or ()) == 8)
    assert all(0 <= share < 1 for share in shares)


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
def test_it_is_read_again_after_a_change_and_from_time_to_time(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, [article(1, quotes=[quote()])])

    def has(number: int) -> bool:
        return site.prices.table is not None and len(site.prices.table) == number

    with client_of(site) as client:
        client.get("/prices")
        first = site.prices.table
        assert first is not None
        time.sleep(0.3)
        assert site.prices.table is first
        fill(store_url, [article(2, quotes=[quote()])])
        wait_until(lambda: has(2))
        # A changed article changes no number of articles, but its crawl leaves a run.
        fill(store_url, [article(2, text="neu", quotes=[], fetched_at=NOW + timedelta(days=1))])
        write_run(store_url, crawl_run(1))
        wait_until(lambda: has(1))
        monkeypatch.setattr(price_snapshots, "WHOLE_SECONDS", 0.2)
        fill(store_url, [article(1, text="neu", quotes=[], fetched_at=NOW + timedelta(days=1))])
        wait_until(lambda: has(0))


def test_a_start_reads_what_the_last_one_kept_and_verdicts_given_meanwhile(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.stores.sql.price_columns.KEPT_FROM", 1)
    fill(store_url, [*weeks(1), article(1, quotes=[quote(entity="甲"), quote(entity="乙")])])
    asked: list[str] = []
    read = SQLStore.price_quotes

    async def noted(store: SQLStore, md5s: Sequence[str]) -> Columns:
        asked.extend(md5s)
        return await read(store, md5s)

    monkeypatch.setattr(SQLStore, "price_quotes", noted)

    def flags_shown() -> list[str]:
        # Each server has a database of its own, and all have the same folder of data.
        site = site_over(store_url, tmp_path)
        asked.clear()
        with closing(site.database), client_of(site) as client:
            assert client.get("/prices").status_code == 200
            table = site.prices.table
            assert table is not None
            return sorted(table.flags[flag] for flag in table.flag)

    before = flags_shown()
    assert asked
    assert flags_shown() == before
    assert asked == []
    refused = price_decision(
        url=article(1).url,
        verdict="refused",
        **{
            name: getattr(quote(), name)
            for name in "commodity price_low price_high unit span".split()
        },
        entity="乙",
    )
    fill(store_url, [refused])
    assert sorted(flags_shown()) == sorted([*before[1:], "人工剔除"])
    assert asked == [article(1).url_md5]


def test_before_the_first_table_a_page_says_so_and_an_error_ends_the_waiting(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store_url, weeks(1))
    goes_on = threading.Event()

    async def fail_late(
        store: object, note: Callable[[float], None], file: Path, *, is_whole: bool
    ) -> PriceTable:
        note(0.42)
        await asyncio.to_thread(goes_on.wait, _PATIENCE)
        raise ZeroDivisionError

    monkeypatch.setattr(price_snapshots, "read_prices", fail_late)
    monkeypatch.setattr("focuscrawl.web.prices.price_requests.FIRST_SECONDS", 0.05)
    with client_of(site) as client:
        try:
            answer = client.get("/prices")
            assert answer.status_code == 503
            assert answer.headers["refresh"] == "2"
            assert "正在读取" in answer.text
            assert "已读 42%" in answer.text
        finally:
            goes_on.set()
        wait_until(lambda: site.prices.error is not None)
        answer = client.get("/prices")
        assert answer.status_code == 503
        assert "正在读取" not in answer.text


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
