"""A month of cron, server and editors together: every exit code, every row, the workbook at the end."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.stores.schema_version import SCHEMA_VERSION
from tests.commands.test_users import PASSWORD
from tests.crawl.conftest import wait_until
from tests.crawl.simulated_month import Command, Month
from tests.web.conftest import fill
from tests.web.quotations.test_decision_pages import stored

# Between them nothing runs, in the short form of the month.
EVENTFUL = {1, 3, 8, 9, 12, 13, 15, 17, 20, 25, 30}
DAYS = sorted(EVENTFUL) if not os.environ.get("FOCUSCRAWL_TEST_WHOLE_MONTH") else range(1, 31)
PRICE_RULE = {
    "shown": "", "kind": "price", "commodity": "玉米", "region": "", "entity": "", "amount": "0.1",
    "unit": "yuan", "days": "7", "webhook": "",
}  # fmt: skip


@pytest.fixture
def month(tmp_path: Path) -> Iterator[Month]:
    """A month on the default stores."""
    month = Month(tmp_path / "month")
    yield month
    month.close()


def codes(commands: list[Command]) -> list[int]:
    return [one.code for one in commands]


def article_count(month: Month) -> int:
    return int(month.rows("select count(*) from articles")[0][0])


def first_day(month: Month) -> None:
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    given = f"{PASSWORD}\n"
    assert month.run("users", "add", "wang", "--role", "administrator", given=given).code == 0
    month.serve()
    assert month.request("/alarms/rules", PRICE_RULE).status == 303


def verdicts(month: Month) -> None:
    of_newest = "select article_md5, min(seq) from quotes group by article_md5 order by 1 limit 3"
    for (md5, seq), verdict in zip(
        month.rows(of_newest), ("confirmed", "refused", "refused"), strict=True
    ):
        month.decide(md5, seq, verdict)
    month.decide(md5, seq, "open")
    assert codes(month.crawl("demo")) == [0], month.commands[-1]
    stored = dict(month.rows("select verdict, count(*) from price_decisions group by 1"))
    assert stored == {"confirmed": 1, "refused": 1, "open": 1}


def other_commands(month: Month) -> None:
    copy = "sqlite:///data/copy.sqlite"
    for arguments in (
        ("transfer", "sqlite:///data/focuscrawl.sqlite", copy), ("report", "-o", "data/report.xlsx"),
        ("export", "quotes", "-o", "data/quotes.csv"), ("reread",),
    ):  # fmt: skip
        assert month.run(*arguments).code == 0, month.commands[-1]
    assert month.workbook("data/report.xlsx")["报价明细"] == month.workbook()["报价明细"]


def killed(month: Month) -> None:
    """Kill crawls in the middle, and the server with them; the next crawl goes on."""
    before = article_count(month)
    crawls = [month.start_crawl(site) for site in ("demo", "news.yaml")]
    wait_until(crawls[0], lambda: article_count(month) > before)
    assert month.server
    month.kill_all(*crawls, month.server)
    month.serve()
    assert month.request("/prices").status == 200


def redesigned(month: Month) -> None:
    month.news.redesign()
    demo, news = month.crawl()
    assert (demo.code, news.code) == (0, 2), news.out
    assert "the site has probably been redesigned" in news.out


def repaired(month: Month) -> None:
    month.write_profile("articles")
    _, news = month.crawl()
    assert news.code == 0
    found = month.rows("select count(*) from articles where url like 'http://news.test/%'")
    assert found == [(month.day,)]


def locked(month: Month) -> None:
    """Lock the database while the sites are crawled, as a backup does."""
    crawls = [month.start_crawl(site) for site in ("demo", "news.yaml")]
    with closing(sqlite3.connect(month.folder / "data/focuscrawl.sqlite")) as connection:
        connection.execute("begin exclusive")
        asked = len(month.web.log)
        wait_until(crawls[0], lambda: len(month.web.log) >= asked + 4)
        connection.rollback()
    for one in crawls:
        assert month.finish("crawl", one).code == 0, month.commands[-1].out


def restored(month: Month) -> None:
    """Restore the users from a dump: in between there are none."""
    with closing(sqlite3.connect(month.folder / "data/web.sqlite")) as connection:
        connection.execute("create temp table dump as select * from web_users")
        with connection:
            connection.execute("delete from web_users")
        assert month.request("/prices.csv", is_known=False).status != 200
        assert month.request("/prices.csv").status != 200
        with connection:
            connection.execute("insert into web_users select * from dump")
    month.log_in()
    assert month.request("/prices.csv").status == 200
    assert month.request("/prices.csv", is_known=False).status != 200


def upgraded(month: Month) -> None:
    """Crawl with the database of the version before, which the server has open."""
    with (
        closing(sqlite3.connect(month.folder / "data/focuscrawl.sqlite")) as connection,
        connection,
    ):
        connection.execute("drop table items")
        connection.execute("update focuscrawl_schema set version_num = '0005'")
        connection.execute("pragma user_version = 5")
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    assert month.rows("pragma user_version") == [(SCHEMA_VERSION,)]
    assert month.rows("select count(*) from items") == [(0,)]
    assert month.request("/prices").status == 200


def test_a_month_of_cron_server_and_editors(month: Month, tmp_path: Path) -> None:
    steps = {
        1: [first_day], 3: [verdicts, other_commands], 8: [killed], 12: [redesigned], 13: [repaired],
        15: [locked], 17: [restored], 20: [killed], 25: [upgraded],
    }  # fmt: skip
    for day in DAYS:
        month.turn_to(day)
        for step in steps.get(day, []):
            step(month)
        if day not in steps:
            sites = ("demo", "news.yaml") if day in (9, 30) else ("demo",)
            assert {*codes(month.crawl(*sites))} == {0}, month.commands[-2:]
    listed = {*month.web.truth()}
    stored = dict(
        month.rows("select url, gone_at from articles where url not like 'http://news.test/%'")
    )
    assert {url for url, gone in stored.items() if not gone} == listed
    assert month.rows("select count(*) from articles where url like 'http://news.test/%'") == [
        (30,)
    ]
    wait_until_alarmed(month)
    assert_is_as_fresh(month, tmp_path)


def wait_until_alarmed(month: Month) -> None:
    assert month.server
    wait_until(month.server, lambda: bool(month.rows("select 1 from web_alarms", "web.sqlite")))
    assert "玉米" in month.request("/alarms").text


def assert_is_as_fresh(month: Month, folder: Path) -> None:
    """Compare the workbook with that of a first crawl today, by the same editor."""
    fresh = Month(folder / "fresh")
    try:
        fresh.turn_to(month.day)
        fresh.news.redesign()
        fresh.write_profile("articles")
        fill(fresh.store_url, stored(month.store_url))
        assert codes(fresh.crawl()) == [0, 0], fresh.commands[-2:]
        expected, found = fresh.workbook(), month.workbook()
    finally:
        fresh.close()
    gone = [row for row in found["数据质量"] if row[0] == "文章已下线"]
    assert len(gone) == month.rows("select count(*) from articles where gone_at is not null")[0][0]
    found["数据质量"] = [row for row in found["数据质量"] if row not in gone]
    assert found == expected
