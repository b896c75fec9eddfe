"""Overhead of ``scrapy crawl maize`` compared with a bare Scrapy spider, in one run.

All crawl the recorded maize site (or, without ``../shared``, the demo web) through a proxy on
127.0.0.1 without delays, alternately. The bare spider writes the same articles to SQLite, one
transaction each; "articles" is our ``list`` doing just that, and maize also reads quotes and renders
the workbook. Processor time (user and system) of
whole commands with their worker processes: unlike wall-clock time, it hardly depends on the machine's load.
They run from bytecode, as an installed package does; a first turn, which is not counted, writes it.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from importlib.resources import files
from pathlib import Path

from benchmarks.harness import MAIZE, SHARED
from focuscrawl.demo import DemoServer, DemoWeb

NO_DELAYS = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False"]

BARE_SPIDER = """
import sqlite3

import scrapy

class Store:
    def open_spider(self):
        self.database = sqlite3.connect("bare.sqlite")
        self.database.execute("CREATE TABLE IF NOT EXISTS articles (url PRIMARY KEY, title, text)")

    def process_item(self, item):
        with self.database:
            self.database.execute("REPLACE INTO articles VALUES (:url, :title, :text)", item)
        return item

    def close_spider(self):
        self.database.close()

class Bare(scrapy.Spider):
    name = "bare"
    custom_settings = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False,
                       "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "ITEM_PIPELINES": {Store: 300}}
    START, TITLE, ENTRY, LINK, NAME, BODY = %r
    start_urls = [START]

    def parse(self, response):
        for entry in response.xpath(self.ENTRY):
            title = entry.xpath(self.NAME).get("")
            if self.TITLE in title:
                yield response.follow(entry.xpath(self.LINK).get(), self.article,
                                      cb_kwargs={"title": title, "texts": []})
        for link in response.xpath("//a[normalize-space()='下一页']/@href").getall()[:1]:
            yield response.follow(link)

    def article(self, response, title, texts):
        texts.append(" ".join(response.xpath(self.BODY + "//text()").getall()))
        link = response.xpath("//a[normalize-space()='下一页']/@href").get()
        if link:
            yield response.follow(link, self.article, cb_kwargs={"title": title, "texts": texts})
        else:
            yield {"url": response.url, "title": title, "text": "\\n".join(texts)}
"""

YZ88 = ("http://www.yz88.cn/sz/List_25.shtml", "日山东玉米", "//li[span[@class='time']]",
        "./a[contains(@title, '文章标题')]/@href", "./a[contains(@title, '文章标题')]/@title",
        "//div[@class='content']")  # fmt: skip
DEMO = ("http://bulletins.demo.test/list/", "山东玉米", "//ul[@class='newslist']/li", "./a/@href",
        "./a/text()", "//div[@class='content']")  # fmt: skip


@contextmanager
def recorded() -> Iterator[dict[str, str]]:
    """Serve the recorded maize site; yield the proxy variables."""
    command = [
        sys.executable,
        str(SHARED / "replay/replay_proxy.py"),
        str(MAIZE),
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        proxy = f"http://127.0.0.1:{process.stdout.readline().rsplit(':', 1)[1].strip()}"
        try:
            yield {"http_proxy": proxy, "https_proxy": proxy}
        finally:
            process.terminate()


@contextmanager
def demo_web() -> Iterator[dict[str, str]]:
    """Serve the demo web; yield the proxy variables."""
    with DemoServer(DemoWeb(seed=1, days=60, today=date(2026, 3, 5))) as server:
        yield server.proxy_environment


def seconds(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """Run a command and return the processor time of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def count_articles(path: Path) -> int:
    """Return the number of articles in a SQLite file."""
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT COUNT(*) FROM articles").fetchone()[0])


def main() -> None:
    """Print the seconds of the three crawls, and their ratios to the bare one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    has_recording = SHARED.exists()
    site, title, selectors = (
        ("yz88", "日山东玉米", YZ88) if has_recording else ("demo", "山东玉米", DEMO)
    )
    times: dict[str, list[float]] = {"bare": [], "articles": [], "maize": []}
    with (
        (recorded if has_recording else demo_web)() as proxy,
        tempfile.TemporaryDirectory() as name,
    ):
        folder = Path(name)
        proxy |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        (folder / "bare.py").write_text(BARE_SPIDER % (selectors,), encoding="utf-8")
        profile = (files("focuscrawl.sites") / f"{site}.yaml").read_text(encoding="utf-8")
        without_prices = profile.replace("reader: prices\n", "")
        (folder / "articles.yaml").write_text(without_prices, encoding="utf-8")
        scrapy = [sys.executable, "-m", "scrapy"]
        project = proxy | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        for turn in range(turns + 1):
            ours = ["-a", f"title={title}", *NO_DELAYS]
            articles = [*scrapy, "crawl", "list", "-a", "site=./articles.yaml", *ours,
                        "-s", f"FOCUSCRAWL_DATA=articles{turn}",
                        "-s", f"FOCUSCRAWL_STORES=sqlite:///articles{turn}.sqlite"]  # fmt: skip
            maize = [*scrapy, "crawl", "maize", "-a", f"site={site}", *ours,
                     "-s", f"FOCUSCRAWL_DATA=maize{turn}"]  # fmt: skip
            bare = [*scrapy, "runspider", "bare.py", *NO_DELAYS]
            times["bare"].append(seconds(bare, proxy, folder))
            times["articles"].append(seconds(articles, project, folder))
            times["maize"].append(seconds(maize, project, folder))
            print(f"turn {turn}:", *(f"{kind} {taken[-1]:.2f} s" for kind, taken in times.items()))
        counts = [
            count_articles(folder / name)
            for name in ("bare.sqlite", "articles0.sqlite", "maize0/focuscrawl.sqlite")
        ]
    print(f"{site}, articles stored by each: {counts}")
    for kind, taken in times.items():
        ratios = [ours / bare for ours, bare in zip(taken[1:], times["bare"][1:], strict=True)]
        print(f"{kind}: median {statistics.median(taken[1:]):.2f} s,"
              f" {statistics.median(ratios):.2f} times the bare spider")  # fmt: skip


if __name__ == "__main__":
    main()
