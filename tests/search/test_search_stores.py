"""Equal results of a query in SQLite, MariaDB and MongoDB, with real servers."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from focuscrawl.demo.communities.community_articles import Writer, load_themes
from focuscrawl.errors import ArgumentError
from focuscrawl.items import GoneRecord, NumberedArticle
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.search.search_results import EVERYWHERE, FoundText, Scope
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.text.page_charset import detect
from tests.conftest import mysql_connection
from tests.stores.record_examples import (
    NOW,
    article,
    gone,
    numbered,
    own,
    page,
    template_record,
)

RECORDING = Path(__file__).resolve().parents[3] / "shared" / "replay" / "maize-2017.warc.gz"
TRICKS = [
    "'; DROP TABLE numbered_articles; --",
    '"unclosed',
    'python" OR "1"="1',
    "NEAR(python 教程, 2)",
    "terms_title:python AND NOT 教程",
    "python* ^教程 {a b}",
    "+python -教程 ~爬虫 <a >b (c) @3",
    '-"教程" \\"python\\"',
    "100% py_hon [a-z]",
    "$where {$ne: 1} .*",
    "py\0thon",
    "\ud800 教程",
    "🐍 python 𠮷",
]


def invented(number: int) -> NumberedArticle:
    themes = [*load_themes().values()]
    writer = Writer(themes[number % len(themes)], "search", number)
    title, text = writer.headline(), writer.paragraph(6)
    day = date(2020, 1, 1) + timedelta(days=number % 7)
    return numbered(number, title=title, tags=[title[:2]], body_text=text, published=day)


@pytest.fixture
async def stores(tmp_path: Path, mysql_url: str, mongo_url: str) -> AsyncIterator[list[Database]]:
    """An open store of each kind."""
    opened = make_stores([f"sqlite:///{tmp_path}/search.sqlite", mysql_url, mongo_url])
    for store in opened:
        await store.open()
    yield opened
    for store in opened:
        await store.close()


async def write(stores: list[Database], *articles: NumberedArticle) -> None:
    for store in stores:
        await store.write(articles)


async def found_by_all(stores: list[Database], query: str, **options: Any) -> list[FoundText]:
    first, *others = [await store.search(query, **options) for store in stores]
    assert others == [first] * len(others), query
    return first


async def numbers(stores: list[Database], query: str, **options: Any) -> list[int]:
    return [one.number for one in await found_by_all(stores, query, **options)]


async def test_all_find_the_same_in_the_same_order(stores: list[Database]) -> None:
    entries = [invented(number) for number in range(150)]
    await write(stores, *entries)
    chance = random.Random(3)
    found = 0
    for _ in range(25):
        text = chance.choice(entries).body_text
        start, length = chance.randrange(len(text) - 5), chance.choice((1, 2, 2, 3, 4))
        query = f"{text[start : start + length]} {text[length : length + 2]}"
        if re.search(r"\w", query):
            found += len(await found_by_all(stores, query, limit=300))
    assert found > 100
    for entry in entries[:3]:
        nearest = [await store.related(entry.url, 5) for store in stores]
        assert nearest[0] == nearest[1] == nearest[2]
        assert entry.url not in {one.url for one in nearest[0]}


async def test_queries_with_and_without_results(stores: list[Database]) -> None:
    other = "http://else.example/{n}.htm"
    await write(
        stores,
        numbered(1, title="機器學習入門", body_text="讲神经网络", tags=[], description=""),
        numbered(
            2, title="养猫", body_text="机器与学习；ＰＹＴＨＯＮ", tags=["C++"], description=""
        ),
        numbered(3, title="Go", body_text="the com is 12 谷歌", tags=[], description="一只猫"),
        numbered(4, title="谷歌", url=other.format(n=4), site="else.example", series=other),
        numbered(5, title="牧羊", tags=[], body_text=""),
        numbered(6, title="", tags=[], description="", body_text="山脉\0河流" + "长" * 30_000),
    )
    for query, expected in {
        "机器学习": [1, 2],
        "学习 机器": [1, 2],
        "器学": [1],
        "神經": [1],
        "python": [2, 4],
        "ytho": [2, 4],
        "猫": [2, 3],
        "c++": [2],
        "go": [3],
        "om": [3],
        "谷歌, 2": [3],
        "the": [3],
        "com": [3],
        "12": [3],
        "谷歌": [4, 3],
        "谷歌 猫": [3],
        "牧羊": [5],
        "河流": [6],
        "没有": [],
    }.items():
        assert sorted(await numbers(stores, query)) == sorted(expected), query
    (found,) = await found_by_all(stores, "河流")
    assert found.snippet.text.startswith("山脉 河流")
    assert found.snippet.spans
    assert await numbers(stores, "谷歌", limit=1) == [4]
    assert await numbers(stores, "谷歌", scope=Scope(site="n.example")) == [3]
    assert await numbers(stores, "谷歌", scope=Scope(series=other)) == [4]


async def test_the_index_follows_articles_that_change_and_go(
    stores: list[Database], tmp_path: Path, mysql_url: str, mongo_url: str
) -> None:
    first, second = (numbered(n, title="旧闻", body_text="河流") for n in (1, 2))
    await write(stores, first, second, numbered(3, title="河流"))
    assert await numbers(stores, "旧闻 河流") == [1, 2]
    await write(stores, replace(first, title="新闻", body_text="山脉"))
    assert await numbers(stores, "旧闻") == [2]
    assert await numbers(stores, "新闻 山脉") == [1]
    assert await numbers(stores, "新闻 河流") == []
    with closing(sqlite3.connect(tmp_path / "search.sqlite", isolation_level=None)) as file:
        file.execute("DELETE FROM numbered_articles WHERE number = 2")
        file.execute("VACUUM")
    with mysql_connection(mysql_url) as server, server.cursor() as cursor:
        cursor.execute("DELETE FROM numbered_articles WHERE number = 2")
    with MongoClient(mongo_url) as client:
        client.get_default_database()["numbered_articles"].delete_one({"number": 2})
    await write(stores, numbered(4, title="河流"))
    assert sorted(await numbers(stores, "河流")) == [3, 4]


async def test_the_index_is_created_when_an_old_database_is_opened(
    stores: list[Database], tmp_path: Path, mysql_url: str, mongo_url: str
) -> None:
    await write(stores, numbered(1, title="河流", extra={"language": "english"}))
    with closing(sqlite3.connect(tmp_path / "search.sqlite", isolation_level=None)) as file:
        for name in ("insert", "update", "delete"):
            file.execute(f"DROP TRIGGER numbered_search_{name}")
        file.execute("DROP TABLE numbered_search")
    with mysql_connection(mysql_url) as server, server.cursor() as cursor:
        cursor.execute("DROP INDEX numbered_search ON numbered_articles")
    with MongoClient(mongo_url) as client:
        client.get_default_database()["numbered_articles"].drop_index("numbered_search")
    for store in stores:
        await store.open()
    await write(stores, numbered(2, title="河流"))
    assert await numbers(stores, "河流") == [1, 2]


async def test_the_index_of_a_table_that_was_dropped_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    for title in ("养猫", "玉米"):
        (store,) = make_stores(f"sqlite:///{path}")
        await store.open()
        await store.write([numbered(1, title=title)])
        assert [one.number for one in await store.search(title)] == [1]
        await store.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TABLE numbered_articles")


async def test_operators_are_plain_text(stores: list[Database]) -> None:
    """Operators of the databases cause neither an error nor another result."""
    entry = numbered(1, title="python", body_text="的教程", published=None)
    await write(stores, entry, *(numbered(n + 2, title=TRICKS[n]) for n in range(len(TRICKS))))
    for number, trick in enumerate(TRICKS):
        assert number + 2 in await numbers(stores, trick), trick
    for query in ("python OR 没有", "没有*", '-"教程"没有', "terms_body:没有"):
        assert await numbers(stores, query) == [], query
    assert len(await found_by_all(stores, "python")) >= 5


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    queries=st.lists(
        st.text(max_size=30) | st.text("猫的ab1\"'+-~<>()@*%_\\\0:^{}[].$ 𠮷あ", max_size=30),
        min_size=3,
        max_size=6,
    )
)
@example(queries=["猫" * 500, "一二三四五六七八九十" * 50, " ".join("猫狗鸟鱼虫花草树木山")])
def test_any_query_has_results_or_an_error_of_one_sentence(
    queries: list[str], tmp_path: Path, mysql_url: str, mongo_url: str
) -> None:
    async def ask() -> None:
        for store in make_stores([f"sqlite:///{tmp_path}/any.sqlite", mysql_url, mongo_url]):
            await store.open()
            try:
                for query in queries:
                    await store.write([numbered(1, title=query, body_text="猫的ab1𠮷あ")])
                    try:
                        await store.search(query)
                    except ArgumentError as error:
                        assert "\n" not in str(error)  # noqa: PT017
            finally:
                await store.close()

    asyncio.run(ask())


def recorded_texts(count: int) -> list[str]:
    if not RECORDING.is_file():
        pytest.skip(f"there is no {RECORDING}")
    pages = (page for page in recorded_pages(RECORDING) if page.status == 200)
    bodies = (page.body.decode(detect(page.body, ""), "replace") for page in pages)
    texts = (re.sub(r"<[^>]*>", "\n", body) for body in bodies)
    return [*islice(texts, count)]


@pytest.mark.slow
async def test_parts_of_recorded_texts_are_found_as_like_finds_them(tmp_path: Path) -> None:
    texts = recorded_texts(40)
    (store,) = make_stores(f"sqlite:///{tmp_path}/recorded.sqlite")
    await store.open()
    await store.write([numbered(n, title="", body_text=text) for n, text in enumerate(texts)])
    runs = [run for text in texts for run in re.findall(r"[\u4e00-\u9fff\d.]{4,}", text)]
    chance = random.Random(1)
    shares = []
    for run in chance.sample(runs, 120):
        start = chance.randrange(len(run) - 3)
        part = run[start : start + chance.randint(2, 4)]
        liked = {n for n, text in enumerate(texts) if part in text}
        if any(map(str.isalnum, part)):
            found = {one.number for one in await store.search(part, 100)}
            shares.append(len(liked & found) / len(liked))
    await store.close()
    assert sum(shares) / len(shares) >= 0.95


OTHERS = [
    article(1, title="山东玉米價格行情", text="潍坊收购价上涨", published=date(2026, 3, 4)),
    article(2, title="大豆行情", text="另有玉 米与ＤＤＧＳ报价\0后文小麦", published=None),
    article(3, title="玉米旧闻"),
    gone(3),
    page(1, title="种植笔记", text="玉米价格与灌溉" + "长" * 30_000 + "末尾番茄"),
    template_record(1),
    template_record(2, title="玉米价格公司", url="http://firm2.example/gone"),
    GoneRecord(crawl="template-contacts", url="http://firm2.example/gone", gone_at=NOW),
    own(1, item=json.dumps({"name": "玉米价格表", "kind": "ddgs"}, ensure_ascii=False)),
    numbered(1, title="玉米价格", body_text="教程", published=date(2026, 3, 4)),
]


FOUND_KINDS = [
    ("玉米价格", EVERYWHERE, {"article", "page", "item", "numbered"}),
    ("玉米價格", Scope(site="shop.example"), {"item"}),
    ("价格", Scope(series=numbered().series), {"numbered"}),
    ("价格", Scope(since=date(2026, 3, 4), until=date(2026, 3, 4)), {"article", "numbered"}),
    ("ddgs", EVERYWHERE, {"article", "item"}),
    ("小麦", EVERYWHERE, {"article"}),
    ("番茄", EVERYWHERE, {"page"}),
    ("第1公司", EVERYWHERE, {"record"}),
    ("5550100", EVERYWHERE, {"record"}),
    ("confidence", EVERYWHERE, set()),
    ("旧闻", EVERYWHERE, set()),
]


async def test_all_stored_texts_are_searched(stores: list[Database]) -> None:
    for store in stores:
        await store.write(OTHERS)
    for query, scope, kinds in FOUND_KINDS:
        found = await found_by_all(stores, query, scope=scope)
        assert sorted(one.kind for one in found) == sorted(kinds), (query, scope)
    every = {one.kind: one.key for one in await found_by_all(stores, "玉米价格")}
    for kinds in (set(every), {"page", "numbered"}, {"item"}, set()):
        keys = frozenset(every[kind] for kind in kinds)
        found = await found_by_all(stores, "玉米价格", scope=Scope(keys=keys))
        assert {one.kind for one in found} == kinds


async def test_a_search_while_a_crawl_writes(
    stores: list[Database], tmp_path: Path, mysql_url: str, mongo_url: str
) -> None:
    """What is found is whole at any moment, and all of it is found at the end."""
    urls = [f"sqlite:///{tmp_path}/search.sqlite", mysql_url, mongo_url]
    for url, store in zip(urls, stores, strict=True):
        (crawl,) = make_stores(url)
        await crawl.open()
        seen: list[int] = []
        writing = asyncio.create_task(written_by(crawl))
        while not writing.done():
            seen.append(len(await store.search("玉米", 100)))
        await writing
        await crawl.close()
        assert seen == sorted(seen)
        # A MongoDB server alone has no transactions.
        assert url == mongo_url or all(number % 5 == 0 for number in seen), url
        assert len(await store.search("玉米", 100)) == 40


async def written_by(crawl: Database) -> None:
    for start in range(0, 40, 5):
        await crawl.write([article(n, title=f"玉米 {n}") for n in range(start, start + 5)])
