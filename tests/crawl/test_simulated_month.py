"""A month of cron, server and editors together: every exit code, every row, the workbook at the end."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import MetaData, Table, text

from focuscrawl.demo.numbered_site import PATTERN
from focuscrawl.items import check_code
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.stores.schema_version import SCHEMA_VERSION
from tests.commands.test_users import PASSWORD
from tests.crawl.conftest import wait_until
from tests.crawl.simulated_month import Command, Month
from tests.servers.process import ServerProcess
from tests.servers.warm_scrapy import Process
from tests.stores.old_databases import mark, version
from tests.web.conftest import fill
from tests.web.quotations.test_decision_pages import stored

# Between them nothing runs, in the short form of the month.
EVENTFUL = {
    "sqlite": {1, 3, 8, 9, 12, 13, 15, 17, 25},
    "mariadb": {1, 3, 15},
}
# A price of the news that rises each day: the median of all may not have moved when the server looks.
PRICE_RULE = {
    "shown": "", "kind": "price", "commodity": "玉米", "region": "", "entity": "昌乐盛泰", "amount": "0.1",
    "unit": "yuan", "days": "7", "webhook": "",
}  # fmt: skip
MOST_NUMBERS = 200
NEWS = "http://news.test/3.html"
CORRECTED = "编辑改过的标题"


@pytest.fixture(params=["sqlite", "mariadb"])
def month(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Month]:
    """A month on the default stores, and one with a MariaDB for all that is stored."""
    if request.param == "sqlite":
        with closing(Month(tmp_path / "month")) as month:
            yield month
        return
    url, database = request.getfixturevalue("mysql_url"), request.getfixturevalue("mysql_server")
    with closing(Month(tmp_path / "month", url, url, database)) as month:
        yield month


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


def other_content(month: Month) -> None:
    """Crawl numbered articles and own items."""
    done = month.crawl("numbered", "titles")
    assert codes(done) == [0, 0], done
    found = month.rows("select url from numbered_articles")
    numbers = [number for number in month.numbered.existing() if number <= MOST_NUMBERS]
    assert {url for (url,) in found} == {PATTERN.format(n=number) for number in numbers}


def labelled(month: Month) -> None:
    """Crawl labels of links, which go on where the last crawl ended."""
    crawl = month.start_crawl("labels", "-a", f"max_pages={10 * month.day}")
    ended = month.finish("labels", crawl)
    assert ended.code == 0, ended.out
    assert f"walk      {10 * month.day} pages requested by all runs" in ended.out


def verdicts(month: Month) -> None:
    of_newest = "select article_md5, min(seq) from quotes group by article_md5 order by 1 limit 3"
    for (md5, seq), verdict in zip(
        month.rows(of_newest), ("confirmed", "refused", "refused"), strict=True
    ):
        month.decide(md5, seq, verdict)
    month.decide(md5, seq, "open")
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    month.decide(check_code(NEWS), 0, "refused")
    stored = dict(month.rows("select verdict, count(*) from price_decisions group by 1"))
    assert stored == {"confirmed": 1, "refused": 2, "open": 1}


def corrected(month: Month) -> None:
    month.correct(PATTERN.format(n=month.numbered.existing()[0]), CORRECTED)


def flags(month: Month) -> list[tuple[int, str]]:
    """Return price and flag of the quotes of the article that is edited."""
    query = "select price_low, flag from quotes where article_md5 = :md5"
    found = month.rows(query, md5=check_code(NEWS))
    return [(int(price), flag) for price, flag in found]


def edited(month: Month) -> None:
    """Crawl a text that the site has changed silently: the verdict was on another price."""
    assert flags(month) == [(2330, REFUSED)]
    month.news.prices[3] = 2400
    month.news.turn_to(month.news.today)
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    assert flags(month) == [(2400, "")]


def other_commands(month: Month) -> None:
    for arguments in (
        ("transfer", month.store_url, "sqlite:///data/copy.sqlite"),
        ("report", "-o", "data/report.xlsx"),
        ("export", "quotes", "-o", "data/quotes.csv"), ("reread",),
    ):  # fmt: skip
        assert month.run(*arguments).code == 0, month.commands[-1]
    assert month.workbook("data/report.xlsx")["报价明细"] == month.workbook()["报价明细"]


def killed(month: Month) -> None:
    """Kill crawls in the middle, the server and the database with them; the next crawl goes on."""
    before = article_count(month)
    crawls = [month.start_crawl(site) for site in ("demo", "news.yaml")]
    wait_until(crawls[0], lambda: article_count(month) > before)
    for crawl in crawls:
        crawl.kill()
        crawl.wait()
    month.kill_server()
    if month.database:
        month.database.stop(at_once=True)
        month.database.start()
    month.serve()
    assert month.request("/prices").status == 200


def redesigned(month: Month) -> None:
    month.news.redesign()
    demo, news = month.crawl()
    assert (demo.code, news.code) == (0, 2), news.out
    assert "the site has probably been redesigned" in news.out


def repaired(month: Month) -> None:
    """Crawl the new layout by a new profile; the edited text is again what it was, as the list says."""
    month.news.redesign()
    month.write_profile("articles")
    month.news.prices.clear()
    month.news.changed[3] = month.news.today
    month.news.turn_to(month.news.today)
    _, news = month.crawl()
    assert news.code == 0, news.out
    found = month.rows("select count(*) from articles where url like 'http://news.test/%'")
    assert found == [(month.day,)]
    assert flags(month) == [(2330, REFUSED)]
    revisions = "select count(*) from article_revisions where article_md5 = :md5"
    assert month.rows(revisions, md5=check_code(NEWS)) == [(2,)]


def interrupted(month: Month) -> None:
    """Restart the database while the sites are crawled, or lock it, as a backup does."""
    month.web.latency_ms = 100
    names = "demo", "news.yaml", "numbered", "titles"
    for some in (names[:2], names[2:]) if month.is_whole else (names,):
        crawls = [month.start_crawl(name) for name in some]
        wait_for_requests(month, 4)
        if month.database:
            restarted(month, month.database, crawls[0], at_once=names[2] in some)
        else:
            locked(month)
        for name, one in zip(some, crawls, strict=True):
            assert month.finish(f"crawl {name}", one).code == 0, month.commands[-1].out
    month.web.latency_ms = 0
    assert month.request("/prices.csv").status == 200


def wait_for_requests(month: Month, count: int) -> None:
    asked = len(month.web.log)
    assert month.server
    wait_until(month.server, lambda: len(month.web.log) >= asked + count)


def restarted(month: Month, database: ServerProcess, crawl: Process, *, at_once: bool) -> None:
    database.stop(at_once=at_once)
    try:
        assert month.request("/prices.csv").status == 503
        assert crawl.poll() is None
    finally:
        database.start()


def locked(month: Month) -> None:
    with month.connection() as connection:
        connection.exec_driver_sql("begin exclusive")
        wait_for_requests(month, 4)
        connection.rollback()


def restored(month: Month) -> None:
    """Restore the users from a dump: in between there are none."""
    with month.connection(month.web_url) as connection:
        users = Table("web_users", MetaData(), autoload_with=connection)
        dump = [row._asdict() for row in connection.execute(users.select())]
        connection.execute(users.delete())
    assert month.request("/prices.csv", is_known=False).status != 200
    assert month.request("/prices.csv").status != 200
    with month.connection(month.web_url) as connection:
        connection.execute(users.insert(), dump)
    month.log_in()
    assert month.request("/prices.csv").status == 200
    assert month.request("/prices.csv", is_known=False).status != 200


def upgraded(month: Month) -> None:
    """Crawl with the database of the version before, which the server has open."""
    with month.connection() as connection:
        connection.execute(text("drop table items"))
        if not month.database:
            connection.exec_driver_sql("pragma user_version = 5")
    mark(month.store_url, 5)
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    assert version(month.store_url) == f"{SCHEMA_VERSION:04}"
    assert month.rows("select count(*) from items") == [(0,)]
    assert month.request("/prices").status == 200


@pytest.mark.parametrize(
    "is_whole",
    [False, pytest.param(True, marks=(pytest.mark.exhaustive, pytest.mark.timeout(3600)))],
)
def test_a_month_of_cron_server_and_editors(month: Month, tmp_path: Path, is_whole: bool) -> None:
    month.is_whole = is_whole
    steps = {
        1: [first_day, other_content], 3: [verdicts, corrected], 4: [other_commands, labelled], 8: [killed],
        9: [edited], 12: [redesigned], 13: [repaired], 15: [interrupted], 17: [restored],
        20: [killed, labelled], 25: [upgraded],
    }  # fmt: skip
    days = EVENTFUL["mariadb" if month.database else "sqlite"]
    for day in range(1, 31) if month.is_whole else sorted(days):
        month.turn_to(day)
        for step in steps.get(day, []):
            step(month)
        if day not in steps:
            assert codes(month.crawl("demo")) == [0], month.commands[-1]
    assert codes(month.crawl()) == [0, 0], month.commands[-2:]
    other_content(month)
    listed = {*month.web.truth()}
    stored = dict(
        month.rows("select url, gone_at from articles where url not like 'http://news.test/%'")
    )
    assert {url for url, gone in stored.items() if not gone} == listed
    news = month.rows("select count(*) from articles where url like 'http://news.test/%'")
    assert news == month.rows("select count(*) from items") == [(month.day,)]
    wait_until_alarmed(month)
    assert_decisions_last(month)
    assert_is_as_fresh(month, tmp_path)


def wait_until_alarmed(month: Month) -> None:
    assert month.server
    wait_until(month.server, lambda: bool(month.rows("select 1 from web_alarms", month.web_url)))
    assert "玉米" in month.request("/alarms").text


def assert_decisions_last(month: Month) -> None:
    """Look for the refused price and the corrected title where people read them."""
    assert month.run("export", "quotes", "-o", "data/quotes.csv").code == 0
    with (month.folder / "data/quotes.csv").open(encoding="utf-8-sig") as file:
        exported = [row["flag"] for row in csv.DictReader(file) if row["article_url"] == NEWS]
    assert exported == [REFUSED]
    url = PATTERN.format(n=month.numbered.existing()[0])
    assert CORRECTED in month.request(f"/articles/{check_code(url)}").text


def assert_is_as_fresh(month: Month, folder: Path) -> None:
    """Compare the workbook with that of a first crawl today into SQLite, by the same editor."""
    with closing(Month(folder / "fresh")) as fresh:
        fresh.turn_to(month.day)
        fresh.web.sites.update(month.web.sites)
        fresh.write_profile(month.news.layout)
        fill(fresh.store_url, stored(month.store_url))
        assert {*codes(fresh.crawl("demo", "news.yaml", "numbered", "titles"))} == {0}
        expected, found = fresh.workbook(), month.workbook()
    gone = [row for row in found["数据质量"] if row[0] == "文章已下线"]
    assert len(gone) == month.rows("select count(*) from articles where gone_at is not null")[0][0]
    found["数据质量"] = [row for row in found["数据质量"] if row not in gone]
    assert [REFUSED in row for row in found["报价明细"] if NEWS in row] == [True]
    assert found == expected
