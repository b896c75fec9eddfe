"""Cost of link scores compared with ``LinkExtractor``, and of a crawl compared with ``CrawlSpider``.

1. All links of the recorded pages scored on one core with a cold cache, in crawl order.
2. Every recorded page from bytes to its list of scored links, compared with Scrapy's
   ``LinkExtractor`` on the same bytes, alternately. The garbage collector has the thresholds of our
   crawls.
3. A crawl of recorded hosts with the middleware, best link first, compared with a stock
   ``CrawlSpider`` that only follows links; whole processes, alternately, the same number of pages.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from benchmarks.harness import BLOGS, ROOT, SHARED
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from focuscrawl.scoring.model_files.scorer_loading import load_scorer
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.system.processes import collect_rarely
from focuscrawl.topics import load_topic

MODELS = ROOT / "models"
TOPIC = "security"
SEEDS = [
    "http://drun1baby.top/",
    "http://www.itbob.cn/",
    "http://shuang0420.cn/",
    "http://ret2neo.cn/",
]

COMMON = """
import sys
from scrapy import Request, Spider
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
SEEDS = %r
HOSTS = ["drun1baby.top", "itbob.cn", "shuang0420.cn", "ret2neo.cn"]
COMMON = {"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": False,
          "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
          "CLOSESPIDER_PAGECOUNT": %d, "COOKIES_ENABLED": False}
"""
STOCK = """
class Stock(CrawlSpider):
    name = "stock"
    start_urls, allowed_domains, custom_settings = SEEDS, HOSTS, COMMON
    rules = [Rule(LinkExtractor(), follow=True)]
"""
SCORED = """
class Scored(Spider):
    name = "scored"
    link_topic = "security"
    start_urls, allowed_domains = SEEDS, HOSTS
    custom_settings = COMMON | {"ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500}, "FOCUSCRAWL_MANNERS": True,
        "ITEM_PIPELINES": {f"focuscrawl.pipelines.{name}": None for name in
                           ("dedup.DedupPipeline", "prices.PricesPipeline", "store.StorePipeline")},
        "EXTENSIONS": {f"focuscrawl.extensions.{name}": None for name in
                       ("single_run.SingleRun", "progress_display.ProgressLine", "run_summary.RunSummary")}}

    def parse(self, response):
        for scored in response.meta.get("links", []):
            yield Request(scored.link.url, priority=round(100 * scored.score))
"""


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds of ``work``."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def extraction(pages: list[Recorded], rounds: int) -> None:
    """Compare the extraction from bytes to lists of links."""
    scorer = load_scorer(load_topic(TOPIC), MODELS)
    extractor = LinkExtractor()

    def stock() -> None:
        for page in pages:
            extractor.extract_links(HtmlResponse(page.url, body=page.body, encoding="utf-8"))

    def ours() -> None:
        cache = CachedScorer(scorer)
        for page in pages:
            cache.score(parse_page(page.body, page.url).links)

    def only_contexts() -> None:
        for page in pages:
            parse_page(page.body, page.url)

    rows = []
    for number in range(rounds):
        order = [stock, ours, only_contexts]
        random.Random(number).shuffle(order)
        times = {work.__name__: timed(work) / len(pages) * 1000 for work in order}
        rows.append((times["stock"], times["ours"], times["only_contexts"]))
    stocks, ourselves, contexts = zip(*rows, strict=True)
    ratio = statistics.median(mine / theirs for theirs, mine, _ in rows)
    print(
        f"extraction: {len(pages)} pages, ms a page: LinkExtractor {statistics.median(stocks):.2f},"
        f" contexts {statistics.median(contexts):.2f}, contexts and scores"
        f" {statistics.median(ourselves):.2f}; ratio {ratio:.3f} (wanted: at most 0.35)"
    )


def scoring(pages: list[Recorded]) -> None:
    """Score all links of the pages in crawl order with a cold cache."""
    parsed = [parse_page(page.body, page.url).links for page in pages]
    links = sum(map(len, parsed))
    gc.collect()
    gc.freeze()
    cache = CachedScorer(load_scorer(load_topic(TOPIC), MODELS))
    # The dictionary of the tokeniser is loaded once per process.
    cache.scorer.score(parsed[-1][:1])
    seconds = timed(lambda: [cache.score(page) for page in parsed])
    distinct = len({link for page in parsed for link in page})
    print(
        f"scoring: {links} links ({distinct} distinct), cold cache: {links / seconds:,.0f} links/s"
        f" (wanted: 150,000); hit rate {cache.hits / links:.2f}; each distinct link once:"
        f" {distinct_speed(parsed):,.0f} links/s"
    )


def distinct_speed(parsed: list[list]) -> float:
    """Return links per second for distinct links."""
    distinct = list(dict.fromkeys(link for page in parsed for link in page))
    scorer = load_scorer(load_topic(TOPIC), MODELS)
    batches = [distinct[start : start + 60] for start in range(0, len(distinct), 60)]
    return len(distinct) / timed(lambda: [scorer.score(batch) for batch in batches])


def crawls(pages: int, rounds: int) -> None:
    """Crawl the same number of pages with each spider."""
    command = [sys.executable, SHARED / "replay/replay_proxy.py", BLOGS, "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy,
        tempfile.TemporaryDirectory() as folder,
    ):
        assert proxy.stdout
        address = f"http://127.0.0.1:{proxy.stdout.readline().rsplit(':', 1)[1].strip()}"
        common = COMMON % (SEEDS, pages)
        spiders = {"stock": STOCK, "scored": SCORED}
        for name, code in spiders.items():
            Path(folder, f"{name}.py").write_text(common + code)
        seconds: dict[str, list[float]] = {name: [] for name in spiders}
        for number in range(rounds + 1):
            for name in sorted(spiders, reverse=bool(number % 2)):
                taken = run_spider(Path(folder, f"{name}.py"), address)
                # The first round fills the disk cache of the proxy.
                if number:
                    seconds[name].append(taken)
        proxy.terminate()
    ratio = statistics.median(
        theirs / mine for theirs, mine in zip(seconds["stock"], seconds["scored"], strict=True)
    )
    print(
        f"crawl: {pages} pages, seconds: CrawlSpider {statistics.median(seconds['stock']):.2f},"
        f" middleware on {statistics.median(seconds['scored']):.2f}; {ratio:.2f} times as fast"
        " (wanted: at least 1)"
    )


def run_spider(file: Path, address: str) -> float:
    """Return the wall seconds of ``scrapy runspider``."""
    environment = os.environ | {
        "http_proxy": address, "https_proxy": address, "SCRAPY_SETTINGS_MODULE": "",
    }  # fmt: skip
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", file.name],
        check=True, cwd=file.parent, env=environment,
    )  # fmt: skip
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=1500, help="pages to parse and to crawl")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not BLOGS.exists():
        sys.exit(f"the recorded blogs are not here ({BLOGS}); nothing measured")
    pages = [page for page in recorded_pages(BLOGS) if page.status == 200]
    collect_rarely()
    sample = random.Random(1).sample(pages, min(options.pages, len(pages)))
    scoring(pages)
    extraction(sample, options.rounds)
    crawls(options.pages, options.rounds)


if __name__ == "__main__":
    main()
