"""A focused crawl with all features compared with a stock ``CrawlSpider`` over the same pages.

    python -m benchmarks.tunnel [--rounds 3] [--text main]

Both spiders fetch all recorded blogs reachable from their seeds, alternately, with the same replay
inside Scrapy. Ours judges every page, scores all links, keeps its frontier on disk, learns, and
stores relevant pages in SQLite with their main texts; the other follows links. Each has the event
loop of its defaults: that of focuscrawl/settings.py, and that of Scrapy. Memory is the peak of
the resident memory of all processes of a crawl; shared memory counts in each of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import BLOGS, SHARED
from focuscrawl import settings
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from tests.hostile.processes import Bounds, watched

TOPIC = "security"

COMMON = """
import json
from functools import lru_cache
from pathlib import Path
from focuscrawl.pages.canonical_urls import canonical_url
WANTED = frozenset(json.loads(Path("wanted.json").read_text()))
SEEDS = json.loads(Path("seeds.json").read_text())
COMMON = {"TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 16,
          "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
          "COOKIES_ENABLED": False, "RETRY_ENABLED": False, "HTTPPROXY_ENABLED": False}

@lru_cache(None)
def wanted(url):
    try:
        return canonical_url(url) in WANTED
    except ValueError:
        return False
"""
STOCK = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

HANDLER = "focuscrawl.extensions.replay_handler.ReplayHandler"

class Stock(CrawlSpider):
    name = "stock"
    start_urls = SEEDS
    custom_settings = COMMON | {
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER}, "FOCUSCRAWL_REPLAY_LATENCY": 0,
        "EXTENSIONS": {"focuscrawl.extensions.web_replay.Replay": 5}}
    rules = [Rule(LinkExtractor(), follow=True,
                  process_links=lambda links: [link for link in links if wanted(link.url)])]
"""
FOCUSED = """
from focuscrawl.spiders.tunnel import TunnelSpider

class Focused(TunnelSpider):
    name = "focused"
    custom_settings = TunnelSpider.custom_settings | COMMON | {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500}}

    async def _begin(self):
        await super()._begin()
        self._crawl._is_blacklisted = lambda url: not wanted(url)
"""


def run_spider(name: str, folder: Path, arguments: list[str]) -> tuple[float, int, int]:
    """Return the wall-clock seconds of ``scrapy runspider``, its number of pages, and its memory in MB."""
    for path in [*folder.glob("run/*.sqlite*"), folder / f"log-{name}"]:
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "scrapy", "runspider", f"{name}.py", "-s", "FOCUSCRAWL_DATA=run",
               "-s", f"FOCUSCRAWL_REPLAY={BLOGS}", "-s", "LOG_LEVEL=INFO", "-s",
               f"LOG_FILE=log-{name}", *arguments]  # fmt: skip
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": ""}
    ended = watched(command, folder, environment, Bounds(seconds=3600, memory=8 << 30))
    if ended.code:
        sys.exit(f"{name} ended with {ended.code}: {ended.err[-500:]}")
    log = (folder / f"log-{name}").read_text(encoding="utf-8")
    got = int(log.partition("'downloader/response_status_count/200': ")[2].split(",")[0])
    return ended.seconds, got, ended.peak >> 20


def compare(rounds: int, text: str, folder: Path) -> None:
    """Crawl the same pages with each spider alternately."""
    seeds = json.loads((SHARED / "replay/blogs/seeds.json").read_text())[TOPIC]
    first = [url for urls in seeds.values() for url in urls]
    wanted = [canonical_url(page.url) for page in recorded_pages(BLOGS)]
    (folder / "seeds.json").write_text(json.dumps(first))
    (folder / "wanted.json").write_text(json.dumps(wanted))
    for name, code in (("stock", STOCK), ("focused", FOCUSED)):
        (folder / f"{name}.py").write_text(COMMON + code)
    options = {"stock": [], "focused": ["-a", f"topic={TOPIC}", "-a", "seeds=" + ",".join(first),
               "-a", "mode=best-first", "-a", "learn=true", "-a", f"text={text}",
               "-s", f"FOCUSCRAWL_STORES=sqlite:///{folder}/run/pages.sqlite"]}  # fmt: skip
    if loop := getattr(settings, "ASYNCIO_EVENT_LOOP", None):
        options["focused"] += ["-s", f"ASYNCIO_EVENT_LOOP={loop}"]
    speeds: dict[str, list[float]] = {name: [] for name in options}
    for number in range(rounds):
        for name in random.Random(number).sample(sorted(options), 2):
            seconds, got, memory = run_spider(name, folder, options[name])
            speeds[name].append(got / seconds)
            print(f"{name:8} {got} pages in {seconds:.2f} s, {memory} MB", flush=True)
    ratio = statistics.median(
        mine / theirs for mine, theirs in zip(speeds["focused"], speeds["stock"], strict=True)
    )
    print(
        f"CrawlSpider {statistics.median(speeds['stock']):.1f} pages/s, focused"
        f" {statistics.median(speeds['focused']):.1f}; {ratio:.2f} times as fast (wanted: 1.5)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--text", default="main", help="main or plain")
    options = parser.parse_args()
    if not BLOGS.exists():
        sys.exit(f"the recorded blogs are not here ({BLOGS}); nothing measured")
    with tempfile.TemporaryDirectory() as folder:
        compare(options.rounds, options.text, Path(folder))


if __name__ == "__main__":
    main()
