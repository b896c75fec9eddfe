"""Median and 95th percentile of the web views' pages at many users at once, and resident memory.

Run: python -m benchmarks.web_pages [--quotes N] [--users N] [--store FILE] [PAGE ...]

Without --store, a SQLite store with 1,000,000 quotes of 2,000 entities in 100,000 articles is built in a
temporary folder; with it, in FILE, once. Users ask one after the other without a pause, from this machine,
which has to make the requests as well. A page is measured twice: with addresses that nobody has asked for
before (new), and with ten addresses that all users ask for (again).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import http.client
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import quote, urlsplit

from benchmarks.harness import ROOT, resident_mb
from focuscrawl.stores.database_urls import database_at, sqlite_url

ENTITIES, PER_ARTICLE = 2000, 10
LAST_DAY = date(2026, 3, 31)
GOODS = ("玉米", "玉米", "玉米", "玉米", "玉米", "小麦", "小麦", "大豆")
PLACES = [
    ("山东", city) for city in "潍坊 临沂 德州 聊城 滨州 泰安 菏泽 青岛 枣庄 济南".split()
] + [
    (province, city)
    for province, cities in {
        "吉林": "长春 四平 松原 吉林 通化",
        "黑龙江": "哈尔滨 绥化 齐齐哈尔 大庆 佳木斯",
        "河北": "石家庄 邢台 衡水 沧州 邯郸",
        "河南": "郑州 周口 商丘 新乡 开封",
        "辽宁": "沈阳 铁岭 锦州 阜新 营口",
    }.items()
    for city in cities.split()
]
PAGES = (
    "/prices?since={since}",
    "/prices?province=山东&since={since}",
    "/prices?province=山东&city=潍坊&since={since}",
    "/prices?entity={entity}",
    "/prices?view=years&entity={entity}",
    "/prices?view=festival&province=山东&until={until}",
    "/prices?view=moves&province=吉林&since={since}",
    "/prices?unit=jin&known_on=2026-04-01&province=河南&since={since}",
    "/prices/matrix?until={until}",
    "/prices/morning?until={until}",
    "/prices/morning?sort=-day&province=山东&entity={entity}",
    "/prices?entity={entity}&province=山东&province=吉林&compare=difference",
    "/prices/quotes?since={since}",
    "/prices/quotes?entity={entity}",
    "/prices.json?province=山东&since={since}",
    "/prices/quotes/{article}/{seq}",
)
REQUESTS = 200


def entity_name(number: int) -> str:
    return f"第{number:04}号玉米深加工企业"


def article_md5(number: int) -> str:
    return hashlib.md5(article_url(number).encode()).hexdigest()


def article_url(number: int) -> str:
    return f"http://127.0.0.1/jiage/{number}.html"


def build(path: Path, quotes: int) -> None:
    """Create the store and fill it beside the store's own writer, which takes minutes for so much."""

    async def create() -> None:
        store = database_at(sqlite_url(path))
        await store.open()
        await store.close()

    asyncio.run(create())
    articles = quotes // PER_ARTICLE
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        _insert(connection, "articles", _articles(articles))
        _insert(connection, "quotes", _quotes(articles))
        connection.execute("ANALYZE")


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[dict[str, object]]) -> None:
    first = next(rows)
    names = ", ".join(first)
    values = ", ".join(f":{name}" for name in first)
    statement = f"INSERT INTO {table} ({names}) VALUES ({values})"  # noqa: S608
    connection.execute(statement, first)
    connection.executemany(statement, rows)


def _day_of(number: int) -> date:
    a_day = ENTITIES // PER_ARTICLE
    return LAST_DAY - timedelta(days=number // a_day)


def _articles(number: int) -> Iterator[dict[str, object]]:
    text = "今日国内玉米深加工企业收购价格以稳为主，个别企业小幅调整。" * 12
    for place in range(number):
        url, day = article_url(place), _day_of(place)
        yield {
            "url_md5": article_md5(place), "url": url, "site": f"demo{place % 3}",
            "title": f"{day} 国内玉米深加工企业收购价格汇总（{place % 200}）", "published": f"{day}",
            "stamp": "", "pages": 1, "page_urls": f'["{url}"]', "missing_urls": "[]",
            "is_complete": place % 50 != 0, "text": text, "content_md5": article_md5(place),
            "record_md5": "0" * 32, "validators": "{}",
            "first_seen": f"{day} 08:00:00.000000", "fetched_at": f"{day} 08:00:00.000000",
            "gone_at": None,
        }  # fmt: skip


def _quotes(articles: int) -> Iterator[dict[str, object]]:
    chance = random.Random(7)
    for number in range(articles):
        day = _day_of(number)
        for seq in range(PER_ARTICLE):
            entity = (number * PER_ARTICLE + seq) % ENTITIES
            # Not every entity on every day.
            price = 2300 + entity % 300 + (LAST_DAY - day).days // 5 + chance.randint(-10, 10)
            province, city = PLACES[entity % len(PLACES)]
            name = entity_name(entity)
            span = f"{name}收购价格{price}-{price + 20}元/吨"
            yield {
                "article_md5": article_md5(number), "seq": seq, "date": f"{day}",
                "commodity": GOODS[entity % len(GOODS)], "mention": name, "entity": name,
                "entity_is_known": entity % 50 != 0, "region": province + city, "price_low": price,
                "price_high": price + 20, "unit": "yuan/ton", "price_yuan_per_ton_low": price,
                "price_yuan_per_ton_high": price + 20, "moisture": "14%", "goods_condition": "",
                "price_change": None, "price_change_high": None, "is_primary": chance.random() < 0.9,
                "span": span, "text_start": 0, "text_end": 4,
                "flag": "超出合理范围" if chance.random() < 0.01 else "", "province": province,
                "city": city, "county": "", "entity_type": "firm",
            }  # fmt: skip


@contextmanager
def serving(store: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """Serve a store; yield the address and the process."""
    command = [sys.executable, "-m", "scrapy", "serve", "--port", "0", "--store", sqlite_url(store)]
    web = f"FOCUSCRAWL_WEB_DATABASE=sqlite:///{folder}/web.sqlite"
    server = subprocess.Popen(
        [*command, "-s", web, "-s", f"FOCUSCRAWL_DATA={folder}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=ROOT,
    )  # fmt: skip
    try:
        assert server.stdout
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            said = server.stdout.readline()
            assert said, "the server has ended"
        yield found[0].rstrip("/"), server.pid
    finally:
        server.terminate()
        server.wait()


def wait_loaded(address: str) -> float:
    """Wait until the prices are read, and return the seconds."""
    began = time.perf_counter()
    while asked(http.client.HTTPConnection(urlsplit(address).netloc), "/prices")[0] == 503:
        time.sleep(0.2)
    return time.perf_counter() - began


def asked(connection: http.client.HTTPConnection, path: str) -> tuple[int, int]:
    connection.request("GET", quote(path, safe="/?&=%."), headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    return answer.status, len(answer.read())


def measured(address: str, page: str, users: int, *, is_new: bool) -> tuple[list[float], int]:
    """Return the milliseconds of each request to a page, and the bytes of one answer."""
    chance = random.Random(page)
    numbers = [chance.randrange(400) for _ in range(10)]
    counter = iter(range(10**6))

    def filled() -> str:
        number = next(counter)
        chosen = number % 400 if is_new else numbers[number % 10]
        return page.format(
            since=LAST_DAY - timedelta(days=60 + chosen),
            until=LAST_DAY - timedelta(days=chosen),
            entity=entity_name(chosen * 5 if is_new else chosen),
            article=article_md5(chosen),
            seq=chosen % PER_ARTICLE,
        )

    def user(_number: int) -> tuple[list[float], int]:
        connection = http.client.HTTPConnection(urlsplit(address).netloc)
        times, size = [], 0
        for _ in range(max(1, REQUESTS // users)):
            path = filled()
            began = time.perf_counter()
            status, size = asked(connection, path)
            times.append((time.perf_counter() - began) * 1000)
            assert status in (200, 303), (status, path)
        return times, size

    with ThreadPoolExecutor(users) as pool:
        found = list(pool.map(user, range(users)))
    return [one for times, _ in found for one in times], found[0][1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quotes", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--store", type=Path)
    parser.add_argument("pages", nargs="*", default=PAGES)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = chosen.store or Path(folder) / "store.sqlite"
        if not store.exists():
            began = time.perf_counter()
            build(store, chosen.quotes)
            print(
                f"store: {store.stat().st_size / 1e6:,.0f} MB in {time.perf_counter() - began:.0f} s"
            )
        with serving(store, Path(folder)) as (address, pid):
            print(
                f"read for the first time in {wait_loaded(address):.1f} s; most {resident_mb(pid, 'VmHWM'):.0f} MB"
            )
        with serving(store, Path(folder)) as (address, pid):
            before = resident_mb(pid)
            print(f"read in {wait_loaded(address):.1f} s; resident {before:.0f} MB before, "
                  f"{resident_mb(pid):.0f} MB after, most {resident_mb(pid, 'VmHWM'):.0f} MB")  # fmt: skip
            print(
                f"{'page':60} {'new: median':>12} {'p95':>6} {'again: median':>14} {'p95':>6} {'KB':>6}"
            )
            for page in chosen.pages:
                row = f"{page:60}"
                for is_new in (True, False):
                    times, size = measured(address, page, chosen.users, is_new=is_new)
                    p95 = statistics.quantiles(times, n=20)[-1]
                    row += f" {statistics.median(times):{12 if is_new else 14}.0f} {p95:6.0f}"
                print(f"{row} {size / 1000:6.0f}", flush=True)
            time.sleep(20)
            print(f"resident {resident_mb(pid):.0f} MB, most {resident_mb(pid, 'VmHWM'):.0f} MB")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
