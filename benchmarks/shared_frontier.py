"""The frontier on Valkey alone: pages a second by several workers, times of calls, bytes a URL.

    python benchmarks/shared_frontier.py [--clients 8] [--seconds 20] [--links 20] [--urls 1000000]

Each client is a process that leases four URLs of its shards and ends them with links to random hosts,
half of them new. Then one client fills the frontier until so many URLs wait, for the memory of each.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from focuscrawl.frontier import Ack, Candidate  # noqa: E402
from focuscrawl.frontier.redis.crawl_membership import open_crawl  # noqa: E402
from focuscrawl.frontier.redis.redis_frontier import RedisFrontier  # noqa: E402
from tests.servers.redis_server import make_valkey  # noqa: E402

HOSTS = 5000
PAYLOAD = "x" * 300


def link(dice: random.Random, number: int) -> Candidate:
    host = f"www{number % HOSTS}.example"
    return Candidate.of(
        f"http://{host}/articles/{number}.html", host, dice.gauss(0, 3), text=PAYLOAD
    )


def work(
    url: str, seed: int, since: float, until: float, links: int
) -> tuple[int, list[float], list[float]]:
    """Return the number of pages after ``since``, and the seconds of each lease and of each end."""
    dice = random.Random(seed)
    frontier = open_crawl(url, "speed", arguments={}, slots=2)
    leases, ends, pages = [], [], 0
    while time.time() < until:
        frontier.tend()
        began = time.perf_counter()
        leased = frontier.lease(4, time.time())
        if not leased:
            time.sleep(0.01)
            continue
        is_counted = time.time() > since
        if is_counted:
            leases.append(time.perf_counter() - began)
        began = time.perf_counter()
        frontier.ack_many(
            [
                Ack(lease, [link(dice, dice.randrange(2 * 10**6)) for _ in range(links)])
                for lease in leased
            ]
        )
        if is_counted:
            ends.append(time.perf_counter() - began)
            pages += len(leased)
    frontier.close()
    return pages, leases, ends


def fill(frontier: RedisFrontier, count: int) -> None:
    dice = random.Random(0)
    for start in range(0, count, 1000):
        frontier.push([link(dice, 10**9 + number) for number in range(start, start + 1000)])
        frontier.tend()


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))] * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--urls", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = make_valkey(Path(folder))
        server.start()
        try:
            with closing(open_crawl(server.url, "speed", arguments={}, slots=2)) as frontier:
                fill(frontier, 20_000)
            # Until then the workers divide the shards.
            since = time.time() + 12
            until = since + options.seconds
            with ProcessPoolExecutor(options.clients) as pool:
                running = [
                    pool.submit(work, server.url, seed, since, until, options.links)
                    for seed in range(options.clients)
                ]
                found = [future.result() for future in running]
            pages = sum(count for count, _, _ in found)
            leases = [seconds for _, times, _ in found for seconds in times]
            ends = [seconds for _, _, times in found for seconds in times]
            print(
                f"{options.clients} clients, {options.links} links a page: {pages / options.seconds:.0f} pages/s;"
                f" lease of 4: p50 {quantile(leases, 0.5):.1f} ms, p99 {quantile(leases, 0.99):.1f} ms;"
                f" end of 4: p50 {quantile(ends, 0.5):.1f} ms, p99 {quantile(ends, 0.99):.1f} ms"
            )
            server.clear()
            frontier = open_crawl(server.url, "memory", arguments={}, slots=1)
            # What was cleared is freed in the background.
            while frontier._calls._client.info("memory")["lazyfree_pending_objects"]:
                time.sleep(0.1)
            empty = frontier._calls._client.info("memory")["used_memory"]
            began = time.monotonic()
            fill(frontier, options.urls)
            seconds = time.monotonic() - began
            used = frontier._calls._client.info("memory")["used_memory"] - empty
            print(
                f"{frontier.waiting} waiting URLs with a payload of {len(PAYLOAD) + 11} bytes:"
                f" {used / frontier.waiting:.0f} bytes each, pushed at {options.urls / seconds:.0f}/s"
            )
            frontier.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
