"""Search times on each database compared with LIKE, and recall of the results of LIKE.

Run: python -m benchmarks.search [ARTICLES] [--recorded WARC] [--only sqlite,mysql,mongodb]

ARTICLES (default: 20,000) are generated from the demo's words, about 400 characters each; queries are
two words of the theme of one article. All databases are new ones in a temporary folder, with 1 GB of
cache. MongoDB's index is built after the articles are inserted, as when opening a store without one.
With --recorded, pages of a recording are searched for parts of their own text, on SQLite.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pymysql
from pymongo import MongoClient
from sqlalchemy.engine import make_url

from focuscrawl.demo.communities.community_articles import Writer, common_words, load_themes
from focuscrawl.items import NumberedArticle
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.text.main_text import main_text
from focuscrawl.text.page_charset import detect
from focuscrawl.text.tokeniser import make_tokeniser
from tests.servers import mariadb, mongodb
from tests.servers.process import ServerProcess

QUERIES, LIKE_QUERIES, LIMIT = 200, 40, 20
BATCH = 500
RECORDED_PAGES, SUBSTRINGS = 600, 500
SERIES = "http://n.example/article/{n}.htm"
CACHE = {
    "--innodb-buffer-pool-size": "--innodb-buffer-pool-size=1G",
    "--wiredTigerCacheSizeGB": "--wiredTigerCacheSizeGB=1",
}
KINDS = ("sqlite", "mysql", "mongodb")


def invented(number: int) -> NumberedArticle:
    """Return an article about one of the themes; the same for the same number."""
    themes = [*load_themes().values()]
    writer = Writer(themes[number % len(themes)], "search", number)
    title = writer.headline()
    text = "\n".join(writer.paragraph(5) for _ in range(4))
    return article(number, title, text, make_tokeniser().tokens(title)[:3])


def article(number: int, title: str, text: str, tags: Sequence[str] = ()) -> NumberedArticle:
    return NumberedArticle(
        url=SERIES.format(n=number),
        site="n.example",
        series=SERIES,
        number=number,
        title=title,
        tags=[*tags],
        published=date(2012, 1, 1) + timedelta(days=number % 5000),
        body_text=text,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def two_words(count: int) -> Iterator[str]:
    """Yield queries of two words of one article, the same in every run."""
    themes = load_themes().values()
    vocabulary = {word for theme in themes for word in theme.words} | {*common_words().words}
    chance = random.Random(11)
    while True:
        text = invented(chance.randrange(count)).body_text
        yield " ".join(chance.sample(sorted(word for word in vocabulary if word in text), 2))


async def load(store: Any, count: int) -> None:
    await store.open()
    is_mongo = store.label.startswith("mongodb")
    if is_mongo:
        await store._db["numbered_articles"].drop_index("numbered_search")
    start = time.perf_counter()
    for first in range(0, count, BATCH):
        await store.write([invented(n) for n in range(first, min(count, first + BATCH))])
    end = time.perf_counter()
    await store.open()
    built = f", then {time.perf_counter() - end:.0f} s for the index" if is_mongo else ""
    print(f"{store.label}: {count / (end - start):,.0f} articles/s written{built}", flush=True)


async def timed(queries: Sequence[str], ask: Callable[[str], Awaitable[Any]]) -> list[Any]:
    """Run the queries after a warm-up; print median and 99th percentile, return the results."""
    for query in queries[:5]:
        await ask(query)
    answers, times = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(await ask(query))
        times.append((time.perf_counter() - start) * 1000)
    high = statistics.quantiles(times, n=100)[98]
    print(f"  {len(times)} queries: median {statistics.median(times):.1f} ms, p99 {high:.1f} ms, "
          f"most {max(times):.1f} ms", flush=True)  # fmt: skip
    return answers


async def beside_like(url: str, queries: Sequence[str]) -> None:
    """Time LIKE for the same queries on the same server: all words, the newest first."""
    parts = make_url(url)
    connection = pymysql.connect(
        host=parts.host, port=parts.port, user=parts.username, password=parts.password,
        database=parts.database, charset="utf8mb4",
    )  # fmt: skip
    anywhere = "CONCAT_WS(' ', title, tags, description, body_text) LIKE %s"
    statement = (
        f"SELECT url, title FROM numbered_articles WHERE {anywhere} AND {anywhere} "  # noqa: S608
        f"ORDER BY published DESC, url_md5 LIMIT {LIMIT}"
    )

    async def ask(query: str) -> Any:
        with connection.cursor() as cursor:
            cursor.execute(statement, [f"%{word}%" for word in query.split()])
            return cursor.fetchall()

    print("LIKE '%…%' on the same MySQL:")
    await timed(queries, ask)
    connection.close()


def started(kind: str, folder: Path) -> tuple[str, ServerProcess | None]:
    """Return the URL of a new database, and its server."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/search.sqlite", None
    server = (mariadb if kind == "mysql" else mongodb).make(folder)
    server.command = [CACHE.get(part.partition("=")[0], part) for part in server.command]
    server.start()
    user = f"tester:{quote(mariadb.PASSWORD, safe='')}@" if kind == "mysql" else ""
    scheme = "mysql+pymysql" if kind == "mysql" else "mongodb"
    return f"{scheme}://{user}127.0.0.1:{server.port}/search", server


def index_size(url: str, folder: Path) -> int:
    """Return the size of the full-text index on disk in bytes."""
    if url.startswith("mysql"):
        return sum(file.stat().st_size for file in folder.rglob("FTS_*"))
    if url.startswith("mongodb"):
        with MongoClient[Any](url) as client:
            facts = client.get_default_database().command("collstats", "numbered_articles")
            return int(facts["indexSizes"]["numbered_search"])
    with closing(sqlite3.connect(folder / "search.sqlite")) as file:
        (size,) = file.execute("SELECT sum(length(block)) FROM numbered_search_data").fetchone()
        return int(size)


async def measure(kind: str, count: int, queries: Sequence[str]) -> list[Any]:
    with tempfile.TemporaryDirectory(prefix="fc-") as name:
        url, server = started(kind, Path(name))
        (store,) = make_stores(url)
        try:
            await load(store, count)
            print(f"  {index_size(url, Path(name)) / 1e6:,.0f} MB of index")
            found = await timed(queries, lambda query: store.search(query, LIMIT))
            if kind == "mysql":
                await beside_like(url, queries[:LIKE_QUERIES])
        finally:
            await store.close()
            if server:
                server.stop(at_once=True)
    return [[one.url for one in answer] for answer in found]


def recorded(path: Path) -> Iterator[NumberedArticle]:
    for number, page in enumerate(recorded_pages(path)):
        if page.status == 200 and "html" in page.content_type:
            html = page.body.decode(detect(page.body, ""), "replace")
            if text := main_text(html, page.url):
                yield article(number, "", text)


def substrings(texts: Sequence[str], count: int) -> Iterator[str]:
    """Yield substrings of 2 to 8 characters of random lines."""
    chance = random.Random(5)
    while count:
        line = chance.choice(chance.choice(texts).splitlines())
        length = chance.randint(2, 8)
        start = chance.randrange(max(1, len(line) - length + 1))
        part = line[start : start + length]
        if re.search(r"[^\W_]", part) and part == part.strip():
            count -= 1
            yield part


async def recall(path: Path) -> None:
    """Print the share of the articles found by LIKE for parts of their text that a search finds, too."""
    entries = [*islice(recorded(path), RECORDED_PAGES)]
    texts = [entry.body_text for entry in entries]
    with tempfile.TemporaryDirectory() as folder:
        store: Database = make_stores(f"sqlite:///{folder}/recorded.sqlite")[0]
        await store.open()
        await store.write(entries)
        shares: dict[str, list[float]] = {"Chinese only": [], "with Latin": []}
        for part in substrings(texts, SUBSTRINGS):
            # Case-insensitive, like LIKE on SQLite and on most MySQL servers.
            liked = {e.url for e in entries if part.lower() in e.body_text.lower()}
            found = {one.url for one in await store.search(part, RECORDED_PAGES)}
            kind = "with Latin" if re.search("[a-zA-Z0-9]", part) else "Chinese only"
            shares[kind].append(len(liked & found) / len(liked))
        await store.close()
    every = [share for kind in shares.values() for share in kind]
    print(f"Recall of LIKE on {len(entries)} recorded pages: {statistics.mean(every):.4f}")
    for name, kind in shares.items():
        full = sum(share == 1 for share in kind)
        print(f"  {name}: {statistics.mean(kind):.4f} ({full} of {len(kind)} substrings in full)")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("articles", nargs="?", type=int, default=20_000)
    parser.add_argument("--recorded", type=Path)
    parser.add_argument("--only", default=",".join(KINDS))
    options = parser.parse_args()
    if options.articles:
        queries = [*islice(two_words(options.articles), QUERIES)]
        kinds = options.only.split(",")
        answers = [await measure(kind, options.articles, queries) for kind in kinds]
        same = sum(all(one == first for one in rest) for first, *rest in zip(*answers, strict=True))
        print(f"The same articles in the same order on all: {same} of {len(queries)} queries")
    if options.recorded:
        await recall(options.recorded)


if __name__ == "__main__":
    asyncio.run(main())
