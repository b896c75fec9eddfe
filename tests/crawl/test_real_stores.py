"""The recorded crawl into real servers, also into one that goes away in the middle."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pymysql

from focuscrawl.items import check_code
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.crawl.conftest import Crawler, Replay
from tests.servers.process import ServerProcess

ARGUMENTS = ("-a", "site=yz88", "-a", "title=日山东玉米")


def records(url: str) -> dict[str, Any]:
    """Return every article of a store with its quotes, as a comparable value, by URL."""

    async def read() -> dict[str, Any]:
        (store,) = make_stores(url)
        await store.open()
        try:
            return {article.url: comparable(article) async for article in store.articles()}
        finally:
            await store.close()

    return asyncio.run(read())


def comparable(article: Any) -> Any:
    quotes = [
        json.dumps(
            {name: getattr(quote, name) for name in quote.__slots__},
            default=lambda value: (
                str(value.normalize()) if isinstance(value, Decimal) else str(value)
            ),
            ensure_ascii=False,
        )
        for quote in article.quotes
    ]
    return (
        article.title, article.text, article.published, article.stamp,
        article.page_urls, article.missing_urls, quotes,
    )  # fmt: skip


def wait_for_articles(url: str, count: int) -> None:
    """Return when a running crawl has written some articles to a MySQL store."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(pymysql.err.MySQLError), mysql_connection(url) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT count(*) FROM articles")
            if cursor.fetchone()[0] >= count:
                return
        time.sleep(0.05)
    raise AssertionError("the crawl wrote nothing")


def test_the_same_articles_and_quotes_stand_in_all_stores(
    crawl: Crawler, maize_replay: Callable[..., Replay], mysql_url: str, mongo_url: str
) -> None:
    maize_replay()
    sqlite_url = f"sqlite:///{crawl.folder}/one.sqlite"
    stores = (
        f"FOCUSCRAWL_STORES={sqlite_url},{mysql_url},{mongo_url},excel:///{crawl.folder}/book.xlsx"
    )
    run = crawl(*ARGUMENTS, "-s", stores)
    assert run.code == 0, run.err
    found = records(sqlite_url)
    assert len(found) == 39
    assert records(mysql_url) == found
    assert records(mongo_url) == found
    again = crawl(*ARGUMENTS, "-s", stores)
    assert again.count("new") == again.count("changed") == 0
    assert "4 requests" in again.out


def test_a_database_that_stays_away_is_made_good_by_the_next_run(
    crawl: Crawler,
    maize_replay: Callable[..., Replay],
    mysql_server: ServerProcess,
    mysql_url: str,
) -> None:
    replay = maize_replay("--latency-ms", "60")
    undisturbed = f"sqlite:///{crawl.folder}/one.sqlite"
    assert crawl(*ARGUMENTS, "-s", f"FOCUSCRAWL_STORES={undisturbed}").code == 0
    settings = ("-s", f"FOCUSCRAWL_STORES={mysql_url}", "-s", "FOCUSCRAWL_STORE_RETRY=1")
    process = crawl.start(*ARGUMENTS, *settings)
    try:
        wait_for_articles(mysql_url, 5)
        mysql_server.stop(at_once=True)
        out, err = process.communicate(timeout=180)
    finally:
        mysql_server.start()
    assert process.returncode == 3, err
    assert "the next run loads them first" in out
    assert "results" not in out
    replay.requests()
    assert crawl(*ARGUMENTS, *settings).code == 0
    assert records(mysql_url) == records(undisturbed)
    articles = [line for line in replay.requests() if ".shtml" in line and "List" not in line]
    assert articles == []


def test_an_article_that_does_not_fit_holds_up_no_other_one(
    crawl: Crawler, odd: Callable[..., str], mysql_url: str
) -> None:
    titles = {n: "价" * 30_000 if n == 4 else f"标题{n}" for n in range(1, 31)}
    entries = "".join(f"<li><a href='/{n}.htm'>{title}</a></li>" for n, title in titles.items())
    # Texts that are alike would be taken for those of an error page.
    texts = {f"/{n}.htm": f"<div id='body'>{check_code(str(n))}</div>".encode() for n in titles}
    site = odd({"/": entries.encode("gb18030")} | texts)
    settings = (f"FOCUSCRAWL_STORES={mysql_url}", "FOCUSCRAWL_BATCH_SIZE=5")
    arguments = ("-a", site, *(part for setting in settings for part in ("-s", setting)))
    for new in (29, 0):
        run = crawl(*arguments)
        assert run.code == 3, run.out + run.err
        assert run.count("new") == new
        assert "not stored: 1 items, http://odd.test/4.htm is refused by mysql" in run.out
        assert "column 'title'" in run.out
        assert "1 not stored" in run.out
    assert len(records(mysql_url)) == 29
    assert not list(crawl.folder.glob("data/spill/*"))
