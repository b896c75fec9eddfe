"""Processor time of `report` and `export` over a database with many quotes, beside that of a bare copy.

Run: python -m benchmarks.quote_files [QUOTES]    (default: 100,000)

The bare copy reads the rows of the same quotes by ``sqlite3`` and writes them by ``csv``. The commands
start Scrapy, too; all are whole processes.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from benchmarks.crawl_overhead import seconds
from benchmarks.workbook import invented_quotes
from focuscrawl.items import Article
from focuscrawl.stores.database_urls import sql_store_at

BARE = """
import csv, sqlite3, sys
with open("bare.csv", "w", encoding="utf-8-sig", newline="") as out:
    rows = sqlite3.connect("prices.sqlite").execute(
        "SELECT * FROM quotes JOIN articles ON url_md5 = article_md5 ORDER BY date, article_md5, seq")
    csv.writer(out).writerows(rows)
"""


async def fill(url: str, number: int) -> None:
    """Store invented quotes with their articles."""
    store = sql_store_at(url)
    await store.open()
    fetched = datetime(2026, 1, 2, tzinfo=UTC)
    articles = []
    for address, group in groupby(invented_quotes(number), key=lambda one: one.article_url):
        first, *rest = group
        quotes = [one.quote for one in (first, *rest)]
        articles.append(
            Article(url=address, site=first.site, title=first.article_title, text="价格",
                    published=first.quote.date, page_urls=[address], fetched_at=fetched, quotes=quotes)
        )  # fmt: skip
    for start in range(0, len(articles), 200):
        await store.write(articles[start : start + 200])
    await store.close()


def main() -> None:
    """Print the seconds of each command, and how many times those of the bare copy they are."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(fill(f"sqlite:///{folder}/prices.sqlite", number))
        scrapy = [sys.executable, "-m", "scrapy"]
        store = ["--store", "sqlite:///prices.sqlite"]
        commands = {
            "bare copy": [sys.executable, "-c", BARE],
            "export": [*scrapy, "export", "quotes", "-o", "quotes.csv", *store],
            "report": [*scrapy, "report", "-o", "prices.xlsx", *store],
        }
        settings = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        taken = {kind: seconds(words, settings, folder) for kind, words in commands.items()}
    for kind, spent in taken.items():
        print(f"{kind}: {spent:.1f} s, {spent / taken['bare copy']:.1f} times the bare copy")


if __name__ == "__main__":
    main()
