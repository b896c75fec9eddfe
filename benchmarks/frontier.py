"""The SQLite frontier with ten million URLs: pushes and leases per second, bytes on disk, memory.

    python -m benchmarks.frontier [--urls 10000000] [--hosts 1000] [--rule max]

Half of the pushed URLs are duplicates: known URLs drawn uniformly, each with a different score, so
that the cache of seen URLs is of little use and many waiting URLs rise. Then single leases are timed,
and checked against a sorted list of all scores; then a crawl is simulated, in which most links lead
to popular pages.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.harness import resident_mb
from focuscrawl.frontier import Ack, Candidate, SqliteFrontier, UpdateRule

BATCH = 1000
IN_FLIGHT = 32
LINKS = 50

Batch = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def batches(urls: int, seed: int = 1) -> Iterator[Batch]:
    """Yield batches of the numbers of URLs and the scores of links."""
    dice = np.random.default_rng(seed)
    for known in range(0, urls // 2, BATCH // 2):
        new = np.arange(known, known + BATCH // 2)
        old = dice.integers(0, known + BATCH // 2, BATCH - len(new))
        numbers = dice.permutation(np.concatenate([new, old]))
        yield numbers, dice.normal(0, 2, BATCH)


def candidates(numbers: Sequence[int], scores: Sequence[float], hosts: int) -> list[Candidate]:
    links = []
    for number, score in zip(numbers, scores, strict=True):
        host = f"www{(number * 2654435761 >> 7) % hosts}.example.com"
        url = f"http://{host}/articles/{number >> 9}/{number}.html"
        links.append(Candidate.of(url, host, score, depth=3, steps=1))
    return links


def push_all(frontier: SqliteFrontier, urls: int, hosts: int) -> None:
    """Push everything; print speed and size periodically."""
    spent, start = 0.0, time.perf_counter()
    pushed = new = raised = 0
    print(
        f"{'pushed':>12} {'new':>10} {'raised':>10} {'pushes/s':>9} {'bytes/URL':>9} {'RSS MB':>7}"
    )
    for numbers, scores in batches(urls):
        batch = candidates(numbers.tolist(), scores.tolist(), hosts)
        start = time.perf_counter()
        counts = frontier.push(batch)
        spent += time.perf_counter() - start
        pushed, new, raised = pushed + len(batch), new + counts.new, raised + counts.raised
        if pushed % max(BATCH, urls // 10) == 0:
            size = frontier.path.stat().st_size / new
            print(f"{pushed:12,} {new:10,} {raised:10,} {pushed / spent:9,.0f} {size:9.0f} {resident_mb():7.0f}", flush=True)  # fmt: skip


def lease_some(frontier: SqliteFrontier, count: int) -> list[str]:
    """Lease and ack single URLs; print the latencies; return the URLs."""
    taken, leases, acks = [], [], []
    for _ in range(count):
        start = time.perf_counter()
        (lease,) = frontier.lease(1, 0)
        leased = time.perf_counter()
        frontier.ack(lease)
        leases.append(leased - start)
        acks.append(time.perf_counter() - leased)
        taken.append(lease.url)
    for name, times in (("lease", leases), ("ack", acks)):
        p50, p99, worst = np.percentile(times, [50, 99, 100]) * 1e3
        print(f"{name:6} {count / sum(times):9,.0f}/s   p50 {p50:.3f} ms   p99 {p99:.3f} ms   worst {worst:.1f} ms")  # fmt: skip
    return taken


def sorted_urls(urls: int, count: int, hosts: int) -> list[str]:
    """Return the first URLs sorted by their best link's score, then by order of arrival."""
    scores = np.full(urls // 2 + BATCH, -np.inf)
    arrival = np.full(urls // 2 + BATCH, np.iinfo(np.int64).max)
    for at, (numbers, values) in enumerate(batches(urls)):
        np.maximum.at(scores, numbers, values)
        np.minimum.at(arrival, numbers, at * BATCH + np.arange(len(numbers)))
    first = np.lexsort((arrival, -scores))[:count].tolist()
    return [link.url for link in candidates(first, [0.0] * count, hosts)]


def crawl(frontier: SqliteFrontier, urls: int, hosts: int, pages: int) -> None:
    """Simulate a crawl: batches of acks with links, most of them to popular pages."""
    dice = np.random.default_rng(2)
    frontier.cache.hits, frontier.cache.misses = 0, 0  # type: ignore[misc]
    spent = 0.0
    flying = frontier.lease(IN_FLIGHT, 0)
    for _ in range(pages // IN_FLIGHT):
        popular = (urls * dice.pareto(1.0, (IN_FLIGHT, LINKS)) / 2000).astype(int) % (urls * 2)
        scores = dice.normal(0, 2, popular.shape)
        acks = [
            Ack(lease, candidates(numbers, values, hosts))
            for lease, numbers, values in zip(
                flying, popular.tolist(), scores.tolist(), strict=True
            )
        ]
        start = time.perf_counter()
        frontier.ack_many(acks)
        flying = frontier.lease(IN_FLIGHT, 0)
        spent += time.perf_counter() - start
    rate = frontier.cache.hits / (frontier.cache.hits + frontier.cache.misses)
    print(
        f"crawl  {pages / spent:9,.0f} pages/s with {LINKS} links each, cache hit rate {rate:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--urls", type=int, default=10_000_000, help="links pushed, half of them new"
    )
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--leases", type=int, default=20_000)
    parser.add_argument("--rule", type=UpdateRule, default=UpdateRule.MAX)
    parser.add_argument(
        "--folder", type=Path, help="where the file goes (default: a temporary one)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "frontier.sqlite"
        frontier = SqliteFrontier(path, rule=options.rule)
        push_all(frontier, options.urls, options.hosts)
        taken = lease_some(frontier, min(options.leases, options.urls // 4))
        print(f"resident after the leases {resident_mb():.0f} MB")
        if options.rule is UpdateRule.MAX:
            expected = sorted_urls(options.urls, len(taken), options.hosts)
            print(f"order of {len(taken):,} leases as in a sorted list: {taken == expected}")
        crawl(frontier, options.urls, options.hosts, 3200)
        frontier.close()
        start = time.perf_counter()
        frontier = SqliteFrontier(path, rule=options.rule)
        frontier.lease(1, 0)
        print(f"open   {time.perf_counter() - start:.2f} s to the first lease")
        frontier.close()


if __name__ == "__main__":
    main()
