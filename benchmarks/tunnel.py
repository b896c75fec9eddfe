"""A focused crawl with everything on against a stock ``CrawlSpider``, over the same pages.

    python benchmarks/tunnel.py [--rounds 5]

Both spiders fetch all recorded pages of four blogs, turn by turn, through the replay proxy: ours judges every page, scores all links, keeps its frontier on disk,
learns, and stores what is relevant in SQLite with its main text; the other follows links.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.links.urls import canonical_url
from focuscrawl.replay.archive import recorded_pages

SHARED = Path(__file__).resolve().parents[2] / "shared"
RECORDING = SHARED / "replay/blogs-2026.warc.gz"
TOPIC = "security"
SEEDS = [
    "http://drun1baby.top/",
    "http://www.itbob.cn/",
    "http://shuang0420.cn/",
    "http://ret2neo.cn/",
]
HOSTS = ["drun1baby.top", "www.itbob.cn", "shuang0420.cn", "www.shuang0420.cn", "ret2neo.cn"]

COMMON = """
import json
from functools import lru_cache
from pathlib import Path
from focuscrawl.links.urls import canonical_url
WANTED = frozenset(json.loads(Path("wanted.json").read_text()))
SEEDS = %r
COMMON = {"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": False,
          "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0,
          "AUTOTHROTTLE_ENABLED": False, "COOKIES_ENABLED": False, "RETRY_ENABLED": False,
          "DEPTH_PRIORITY": 0}

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

class Stock(CrawlSpider):
    name = "stock"
    start_urls, custom_settings = SEEDS, COMMON
    rules = [Rule(LinkExtractor(), follow=True,
                  process_links=lambda links: [link for link in links if wanted(link.url)])]
"""
FOCUSED = """
from focuscrawl.spiders.tunnel import TunnelSpider

class Focused(TunnelSpider):
    name = "focused"
    custom_settings = TunnelSpider.custom_settings | COMMON | {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500}}

    def _begin(self):
        super()._begin()
        self._crawl._is_blacklisted = lambda url: not wanted(url)
"""


def recorded_urls() -> list[str]:
    """Return the canonical URLs of all recorded answers of the hosts."""
    urls = (canonical_url(page.url) for page in recorded_pages(RECORDING))
    return [url for url in urls if urlsplit(url).hostname in HOSTS]


def run_spider(name: str, folder: Path, address: str, arguments: list[str]) -> tuple[float, int]:
    """Return the wall seconds of ``scrapy runspider`` and how many pages it got."""
    environment = os.environ | {
        "http_proxy": address, "https_proxy": address, "SCRAPY_SETTINGS_MODULE": "",
    }  # fmt: skip
    shutil.rmtree(folder / "run", ignore_errors=True)
    (folder / f"log-{name}").unlink(missing_ok=True)
    command = [sys.executable, "-m", "scrapy", "runspider", f"{name}.py", "-s", "FOCUSCRAWL_DATA=run",
               "-s", "LOG_LEVEL=INFO", "-s", f"LOG_FILE=log-{name}", *arguments]  # fmt: skip
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    log = (folder / f"log-{name}").read_text(encoding="utf-8")
    return seconds, int(log.partition("'downloader/response_status_count/200': ")[2].split(",")[0])


def compare(rounds: int, folder: Path) -> None:
    """Crawl the same pages with either spider, turn by turn."""
    wanted = recorded_urls()
    (folder / "wanted.json").write_text(json.dumps(wanted))
    for name, code in (("stock", STOCK), ("focused", FOCUSED)):
        (folder / f"{name}.py").write_text(COMMON % SEEDS + code)
    options = {"stock": [], "focused": ["-a", f"topic={TOPIC}", "-a", "seeds=" + ",".join(SEEDS),
               "-a", "length=30", "-a", "mode=tunnel", "-a", "learn=true",
               "-s", f"FOCUSCRAWL_STORES=sqlite:///{folder}/run/pages.sqlite"]}  # fmt: skip
    speeds: dict[str, list[float]] = {name: [] for name in options}
    command = [sys.executable, SHARED / "replay/replay_proxy.py", RECORDING, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
        try:
            assert proxy.stdout
            address = f"http://127.0.0.1:{proxy.stdout.readline().rsplit(':', 1)[1].strip()}"
            for number in range(rounds + 1):
                for name in random.Random(number).sample(sorted(options), 2):
                    seconds, got = run_spider(name, folder, address, options[name])
                    # The first round fills the disk cache of the proxy.
                    if number:
                        speeds[name].append(got / seconds)
                        print(f"{name:8} {got} pages in {seconds:.2f} s", flush=True)
        finally:
            proxy.terminate()
    ratio = statistics.median(
        mine / theirs for mine, theirs in zip(speeds["focused"], speeds["stock"], strict=True)
    )
    print(
        f"CrawlSpider {statistics.median(speeds['stock']):.1f} pages/s, focused"
        f" {statistics.median(speeds['focused']):.1f}; {ratio:.2f} times as fast (wanted: 1.5)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not RECORDING.exists():
        sys.exit(f"the recorded blogs are not here ({RECORDING}); nothing measured")
    with tempfile.TemporaryDirectory() as folder:
        compare(options.rounds, Path(folder))


if __name__ == "__main__":
    main()
