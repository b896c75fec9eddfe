"""scrapy-redis and focuscrawl on the recorded blogs: speed, pages lost by a kill, order.

    pip install --target FOLDER --no-deps scrapy-redis==0.9.1 six
    python benchmarks/scrapy_redis_comparison.py --scrapy-redis FOLDER [--workers 1,2] [--hosts 5]

Both replay the same recording inside Scrapy, with the same latency, slots, delays and seeds, one
Valkey of the benchmark's own, and the same trained link classifier of the topic.

- All pages: of the first ``--hosts`` hosts of the recording by relevant pages (0: all hosts), crawled
  without a budget, once undisturbed, and once with a worker that is killed at a third and started
  again. A page counts when it is stored; lost pages are those that only the undisturbed crawl has.
- Delay: the same with a kill and ``DOWNLOAD_DELAY``, and the requests that came to a host too early.
- Order: the relevant ones of the first ``--budget`` pages of the whole recording. ``focuscrawl, same
  scores`` ranks by the link classifier alone, as the spider for scrapy-redis does.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from competing_crawls import ROOT, TOPIC, Crawl, Focuscrawl, Outcome, SameScores, ScrapyRedis
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from focuscrawl.pages.canonical_urls import canonical_or_same
from tests.servers import redis_server
from tests.servers.redis_server import RedisServer

SHARED = ROOT.parent / "shared"
RECORDING = SHARED / "replay/blogs-2026.warc.gz"
# Seconds between two requests to a host, and what may be missing by the rounding of clocks.
DELAY, ROUNDING = 0.3, 0.001


def largest_hosts(truth: dict[str, bool], count: int) -> list[str]:
    """Return the hosts with most relevant pages."""
    relevant = Counter(urlsplit(url).hostname for url, is_relevant in truth.items() if is_relevant)
    return [str(host) for host, _ in relevant.most_common(count)]


def write_part(recording: Path, kept: list[str], target: Path) -> Path:
    """Write the responses of some hosts to a file of their own."""
    with recording.open("rb") as source, target.open("wb") as file:
        writer = WARCWriter(file)
        for record in ArchiveIterator(source):
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            if record.rec_type == "response" and urlsplit(url).hostname in kept:
                writer.write_record(record)
    return target


class Comparison:
    """Crawls by both, with a Valkey of their own."""

    def __init__(self, valkey: RedisServer, packages: str, truth: dict[str, bool]) -> None:
        self._valkey, self._packages, self._truth = valkey, packages, truth
        self._recording = RECORDING

    def use_part(self, hosts: list[str]) -> None:
        """Crawl some hosts of the recording only."""
        self._recording = write_part(RECORDING, hosts, self._valkey.folder / "part.warc.gz")

    def all_pages(self, seeds: list[str], workers: int) -> None:
        """Print what a kill costs."""
        for kind in (ScrapyRedis, Focuscrawl):
            whole = self._crawl(kind).run(seeds, workers)
            print(told(workers, kind, whole), f"{whole.repeated} requests repeated", flush=True)
            killed = self._crawl(kind).run(seeds, workers, kill_at=len(whole.pages) // 3)
            lost = len(set(whole.pages) - set(killed.pages))
            print(
                f"  with a kill: {lost} pages lost, {killed.repeated} requests repeated", flush=True
            )

    def order(self, seeds: list[str], workers: int, budget: int) -> None:
        """Print the share of the true best pages."""
        for kind in (ScrapyRedis, SameScores, Focuscrawl):
            done = self._crawl(kind).run(seeds, workers, budget=budget)
            first = map(canonical_or_same, done.pages[:budget])
            share = sum(self._truth.get(url, False) for url in first) / budget
            print(told(workers, kind, done), f"{share:.3f} of them relevant", flush=True)

    def delays(self, seeds: list[str], workers: int) -> None:
        """Print the number of requests within the delay."""
        for kind in (ScrapyRedis, Focuscrawl):
            done = self._crawl(kind, DELAY).run(seeds, workers, kill_at=100)
            early = done.closer(DELAY - ROUNDING)
            print(
                f"{kind.name:23} {workers} workers: {early} of {len(done.sent)} requests too early",
                flush=True,
            )

    def _crawl(self, kind: type[Crawl], delay: float = 0.0) -> Crawl:
        return kind(self._valkey.folder, self._recording, self._valkey, self._packages, delay)


def told(workers: int, kind: type[Crawl], done: Outcome) -> str:
    pages = len(done.pages)
    return (
        f"{kind.name:23} {workers} workers: {pages} pages, {pages / done.seconds:.1f}/s, CPU a page "
        f"{1000 * done.worker_cpu / pages:.0f} + {1000 * done.server_cpu / pages:.1f} ms,"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scrapy-redis", required=True, metavar="FOLDER")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--hosts", type=int, default=5)
    parser.add_argument("--budget", type=int, default=1000)
    options = parser.parse_args()
    if not RECORDING.exists():
        sys.exit(f"the recorded blogs are not here ({RECORDING}); nothing measured")
    with (SHARED / f"replay/blogs/truth_{TOPIC}.csv").open() as file:
        truth = {canonical_or_same(r["url"]): r["relevant"] == "1" for r in csv.DictReader(file)}
    sets = json.loads((SHARED / "replay/blogs/seeds.json").read_text())[TOPIC]
    seeds = [url for urls in sets.values() for url in urls]
    valkey = redis_server.make_valkey(Path(tempfile.mkdtemp()))
    valkey.start()
    try:
        comparison = Comparison(valkey, options.scrapy_redis, truth)
        counts = [int(count) for count in options.workers.split(",")]
        for workers in counts:
            comparison.order(seeds, workers, options.budget)
        if options.hosts:
            hosts = largest_hosts(truth, options.hosts)
            comparison.use_part(hosts)
            seeds = [f"http://{host}/" for host in hosts]
        for workers in counts:
            comparison.all_pages(seeds, workers)
            comparison.delays(seeds, workers)
    finally:
        valkey.stop()


if __name__ == "__main__":
    main()
