"""Stored texts read again."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from focuscrawl.commands import reread as reread_command
from focuscrawl.demo import DemoWeb
from focuscrawl.items import Article, GoneArticle
from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.crawl.conftest import Crawler
from tests.servers import warm_scrapy
from tests.stores.record_examples import article, quote
from tests.web.conftest import fill


def reread(crawl: Crawler, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    return warm_scrapy.run(["reread", *arguments], cwd=crawl.folder, env=environment)


def test_another_alias_table_reaches_stored_quotes(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=12)
    assert crawl("-a", "site=demo").code == 0
    web.advance(1)
    gone = crawl("-a", "site=demo", "-a", "refresh=all").count("gone")
    before = crawl.content()
    same = reread(crawl)
    assert same.returncode == 0, same.stderr
    articles = len(before[0]) - gone
    assert same.stdout == f"{articles} articles read again, 0 with other quotes\n"
    assert crawl.content() == before
    (mention, count), *_ = crawl.rows(
        "select mention, count(*) from quotes join articles on url_md5 = article_md5"
        " where not entity_is_known and gone_at is null group by 1 order by 2 desc, 1"
    )
    aliases = crawl.folder / "aliases.yaml"
    aliases.write_text(f"某某集团: [{mention}]\n", encoding="utf-8")
    run = reread(crawl, "-s", f"FOCUSCRAWL_ALIASES={aliases}")
    assert run.returncode == 0, run.stderr
    ((known,),) = crawl.rows(
        "select count(*) from quotes where entity = '某某集团' and entity_is_known"
    )
    assert known >= count > 0
    assert crawl.rows("select count(*) from articles where gone_at is not null") == [(gone,)]


def test_columns_that_an_upgrade_added_are_filled(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=3)
    assert crawl("-a", "site=demo").code == 0
    before = crawl.content()
    with closing(sqlite3.connect(crawl.database)) as connection:
        connection.execute("update quotes set province = '', city = '', entity_type = ''")
        # Reading again compares with this sum of the whole record, in which the columns were missing.
        connection.execute("update articles set record_md5 = ''")
        connection.commit()
    run = reread(crawl)
    assert run.stdout.count("with other quotes") == 1, run.stderr
    assert crawl.content() == before
    assert crawl.rows("select count(*) from quotes where entity_type = ''") == [(0,)]


def test_an_article_that_another_store_refuses_holds_up_no_other_one(
    crawl: Crawler, mysql_url: str
) -> None:
    sqlite_url = f"sqlite:///{crawl.folder}/a.sqlite"
    asyncio.run(write(sqlite_url, [article(1), article(2, title="价" * 30_000), article(3)]))
    run = reread(crawl, "-s", f"FOCUSCRAWL_STORES={sqlite_url},{mysql_url}")
    assert run.returncode == 3, run.stderr
    assert run.stdout.startswith("3 articles read again")
    assert f"not stored: 1 articles, {article(2).url} is refused by mysql" in run.stderr
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT url FROM articles ORDER BY url")
        assert cursor.fetchall() == ((article(1).url,), (article(3).url,))


async def write(url: str, records: list[Article]) -> None:
    (store,) = make_stores(url)
    await store.open()
    await store.write(records)
    await store.close()


def test_mistakes_get_one_sentence(crawl: Crawler) -> None:
    for arguments, part in (
        ((), "or the setting FOCUSCRAWL_STORES"),
        (("-s", "FOCUSCRAWL_READER=x"), "choose from rules, paper"),
        (("y",), "'y'"),
    ):
        run = reread(crawl, *arguments)
        assert run.returncode == 2
        assert part in run.stderr
        assert run.stderr.count("\n") == 1
        assert not crawl.database.exists()


def test_what_waits_for_a_store_that_is_away_is_said(crawl: Crawler) -> None:
    url = sqlite_url(crawl.folder / "data" / "focuscrawl.sqlite")
    fill(url, [article(1), article(2)])
    away = "mysql+pymysql://a:b@127.0.0.1:1/x"
    run = reread(crawl, "-s", f"FOCUSCRAWL_STORES={url},{away}", "-s", "FOCUSCRAWL_STORE_RETRY=0")
    assert run.returncode == 3
    assert "waiting: 2 articles for mysql+pymysql://a@127.0.0.1:1/x in data/spill/" in run.stderr


def test_what_a_crawl_stores_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = sqlite_url(tmp_path / "focuscrawl.sqlite")
    early = [article(url=f"http://a.example/{name}", quotes=[]) for name in ("new", "gone", "same")]
    fill(url, early)
    now = early[0].fetched_at + timedelta(days=1)
    newer = replace(early[0], text="玉米新价", fetched_at=now)
    later = [newer, GoneArticle(url=early[1].url, site=early[1].site, gone_at=now)]

    async def read(work: Callable[..., Any], *values: Any) -> Any:
        """Read a text so slowly that a crawl stores something in the meantime."""
        await asyncio.to_thread(fill, url, later)
        return [quote()]

    monkeypatch.setattr(reread_command, "read_in_worker", read)
    values = {"FOCUSCRAWL_STORES": url, "FOCUSCRAWL_DATA": str(tmp_path)}
    command = reread_command.Command()
    command.carry_out([], Namespace(), Settings(values))
    assert command.exitcode == 3
    printed = capsys.readouterr()
    assert printed.out.startswith("3 articles read again, 1 with other quotes")
    assert "1 articles that a crawl has changed meanwhile" in printed.err
    query = "select text, gone_at is null, (select count(*) from quotes) from articles order by url"
    with closing(sqlite3.connect(tmp_path / "focuscrawl.sqlite")) as connection:
        rows = connection.execute(query).fetchall()
    same = early[1].text
    assert rows == [(same, 0, 1), ("玉米新价", 1, 1), (same, 1, 1)]
