"""Overhead of ``scrapy crawl maize`` compared with a bare Scrapy spider, in one run.

Both crawl the recorded maize site (or, without ``../shared``, the demo web) through a proxy on
127.0.0.1 without delays, alternately. The bare spider writes the same articles to a JSON lines file;
ours also reads quotes, writes SQLite and renders the workbook. Wall-clock time of whole processes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from benchmarks.harness import MAIZE, SHARED
from focuscrawl.demo import DemoServer, DemoWeb

NO_DELAYS = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False"]

BARE_SPIDER = """
import scrapy

class Bare(scrapy.Spider):
    name = "bare"
    custom_settings = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False,
                       "CONCURRENT_REQUESTS_PER_DOMAIN": 4}
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
        SHARED / "replay/replay_proxy.py",
        MAIZE,
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        proxy = f"http://127.0.0.1:{process.stdout.readline().rsplit(':', 1)[1].strip()}"
        yield {"http_proxy": proxy, "https_proxy": proxy}
        process.terminate()


@contextmanager
def demo_web() -> Iterator[dict[str, str]]:
    """Serve the demo web; yield the proxy variables."""
    with DemoServer(DemoWeb(seed=1, days=60, today=date(2026, 3, 5))) as server:
        yield server.proxy_environment


def seconds(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """Run a command and return its wall time."""
    started = time.perf_counter()
    subprocess.run(
        command, cwd=folder, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started


def main() -> None:
    """Print the seconds of both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    has_recording = SHARED.exists()
    site, title, selectors = (
        ("yz88", "日山东玉米", YZ88) if has_recording else ("demo", "山东玉米", DEMO)
    )
    bare_times, our_times = [], []
    with (
        (recorded if has_recording else demo_web)() as proxy,
        tempfile.TemporaryDirectory() as name,
    ):
        folder = Path(name)
        (folder / "bare.py").write_text(BARE_SPIDER % (selectors,), encoding="utf-8")
        scrapy = [sys.executable, "-m", "scrapy"]
        for turn in range(turns):
            bare = [*scrapy, "runspider", "bare.py", "-O", f"bare{turn}.jsonl", *NO_DELAYS]
            bare_times.append(seconds(bare, proxy, folder))
            ours = [*scrapy, "crawl", "maize", "-a", f"site={site}", "-a", f"title={title}",
                    "-s", f"FOCUSCRAWL_DATA=data{turn}", *NO_DELAYS]  # fmt: skip
            our_times.append(
                seconds(ours, proxy | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}, folder)
            )
            print(
                f"turn {turn + 1}: bare {bare_times[-1]:.2f} s, focuscrawl {our_times[-1]:.2f} s, ratio {our_times[-1] / bare_times[-1]:.2f}"
            )
        articles = sum(1 for _ in (folder / "bare0.jsonl").open(encoding="utf-8"))
    ratio = statistics.median(ours / bare for ours, bare in zip(our_times, bare_times, strict=True))
    print(f"{site}, {articles} articles: median bare {statistics.median(bare_times):.2f} s,"
          f" focuscrawl {statistics.median(our_times):.2f} s, ratio {ratio:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
