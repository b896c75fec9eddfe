"""A simulated crawl by a hundred machines that plan their shards with the code of the frontier.

    python benchmarks/hundred_machines.py [--machines 100] [--shards 256 1024] [--plan 3] [--seeds 3]

A million hosts with 10 billion pages, sizes by Zipf; one page a second from a host and 40 from a
machine. The crawl is looked at when a number of hosts still has waiting pages: with fewer than 40 a
machine, politeness decides. "Lost" are the pages that would have been crawled beyond it if the shares
after an event had been in force at once. The last table shows what small crawls gain if workers know
how many hosts of each shard have waiting URLs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.frontier.shards.simulated_crawl import Event, SimulatedCrawl, Speed, spread
from tests.frontier.shards.simulated_hosts import Integers, SimulatedHosts, zipf_sizes
from tests.frontier.shards.simulated_workers import TIMES, Times

SPEED = Speed(machine=40, host=1)
HOSTS, PAGES = 1_000_000, 1e10
BY_MACHINE = (10_000, 400, 200, 100, 60, 40, 20)
QUIET_S = 120
WATCHED_S = 300
SMALL_CRAWLS = ((4, 30), (4, 100), (4, 1000), (16, 1000), (16, 10_000))

Loads = Callable[[SimulatedHosts], Integers | None]


class Happening(NamedTuple):
    """Part of the story: a method of the crawl, and the share of machines that it concerns."""

    name: str
    method: Callable[[SimulatedCrawl, int], None]
    share: float


class Outcome(NamedTuple):
    """Outcome of an event, with the lost pages and the pages a second afterwards."""

    event: Event
    lost: float
    pace: float


STORY = [
    Happening(name, method, share)
    for share in (0.01, 0.1)
    for name, method in (
        ("killed", SimulatedCrawl.kill),
        ("joined", SimulatedCrawl.join),
        ("SIGTERM", SimulatedCrawl.terminate),
        ("joined", SimulatedCrawl.join),
    )
]


def begun_crawl(shards: int, left: int, times: Times, seed: int) -> SimulatedCrawl:
    """Return a crawl without machines in which ``left`` hosts have waiting pages."""
    sizes = zipf_sizes(HOSTS, PAGES)
    hosts = SimulatedHosts(np.random.default_rng(seed).permutation(sizes), shards)
    hosts.levels[:] = sizes[left] if left < HOSTS else 0
    return SimulatedCrawl(hosts, SPEED, times, seed=seed)


def watched(crawl: SimulatedCrawl, method: Callable[[SimulatedCrawl, int], None], count: int) -> Outcome:  # fmt: skip
    """Return the outcome of an event after a quiet time."""
    crawl.run(QUIET_S)
    begun = crawl.now
    event = crawl.event(lambda many: method(crawl, many), count)
    crawl.run(begun + WATCHED_S - crawl.now)
    pages = [second.pages for second in crawl.seconds[begun:]]
    pace = statistics.mean(pages[event.seconds :])
    return Outcome(event, sum(pace - page for page in pages[: event.seconds]), pace)


def story(shards: int, left: int, machines: int, times: Times, seeds: int) -> None:
    """Print the costs of all events: means, and the longest time."""
    outcomes: list[list[Outcome]] = []
    for seed in range(seeds):
        crawl = begun_crawl(shards, left, times, seed)
        outcomes.append([watched(crawl, SimulatedCrawl.join, machines)])
        for _, method, share in STORY:
            outcomes[-1].append(watched(crawl, method, max(1, round(share * machines))))
    print(f"\n### {shards:,} shards, {left:,} hosts with waiting pages\n\n| event | shards moved | fewest"
          " | claims | hosts moved | seconds | longest | pages lost | seconds of the crawl |\n| --- |" + " ---: |" * 8)  # fmt: skip
    names = [f"{machines} started"]
    names += [f"{max(1, round(part.share * machines))} {part.name}" for part in STORY]
    for name, found in zip(names, zip(*outcomes, strict=True), strict=True):
        seconds, moved, fewest, claims, hosts = np.mean(
            [outcome.event for outcome in found], axis=0
        )
        longest = max(outcome.event.seconds for outcome in found)
        pages = statistics.mean(outcome.lost for outcome in found)
        lasting = statistics.mean(outcome.lost / outcome.pace for outcome in found)
        print(f"| {name} | {moved:.0f} | {fewest:.0f} | {claims:.0f} | {hosts:.1%} | {seconds:.0f} |"
              f" {longest} | {round(pages):,} | {round(lasting, 1) + 0.0} |", flush=True)  # fmt: skip


def balance(shards: int, machines: int, times: Times) -> None:
    """Print how evenly an undisturbed crawl uses its machines, the fewer hosts are left the less."""
    print(f"\n### {shards:,} shards, undisturbed\n\n| hosts a machine | pages/s | most pages of a machine"
          " by the mean | idle | idle if hosts were shared |\n|" + " ---: |" * 5)  # fmt: skip
    for by_machine in BY_MACHINE:
        crawl = begun_crawl(shards, min(HOSTS, by_machine * machines), times, 1)
        crawl.event(crawl.join, machines)
        begun, before = crawl.now, dict(crawl.pages)
        crawl.run(WATCHED_S)
        pages = [crawl.pages[name] - before[name] for name in crawl.pages]
        capacity = machines * SPEED.machine * WATCHED_S
        shared = sum(second.possible for second in crawl.seconds[begun:])
        print(f"| {by_machine:,} | {sum(pages) / WATCHED_S:,.0f} | {spread(pages):.2f} |"
              f" {1 - sum(pages) / capacity:.1%} | {1 - shared / capacity:.1%} |", flush=True)  # fmt: skip


def unevenness(machines: int, hosts: int, loads: Loads, seed: int) -> float:
    """Return the most hosts of a machine by the mean, after machines have joined one by one."""
    sizes = np.random.default_rng(seed).permutation(zipf_sizes(hosts, 1000 * hosts))
    crawl = SimulatedCrawl(SimulatedHosts(sizes, 256), SPEED, loads=loads, seed=seed)
    for _ in range(machines):
        crawl.event(crawl.join, 1)
    left = crawl.hosts.left()
    return spread([left[list(worker.serves)].sum() for worker in crawl.workers.values()])


def small_crawls(seeds: int) -> None:
    """Print what the workers of small crawls gain by loads."""
    print("\n### Most hosts of a worker by the mean, 256 shards, workers join one by one\n\n"
          "| workers | hosts | loads unknown | waiting URLs | hosts with waiting URLs |\n|" + " ---: |" * 5)  # fmt: skip
    ways: list[Loads] = [
        lambda _hosts: None,
        lambda hosts: hosts.waiting().astype(np.int64),
        SimulatedHosts.left,
    ]
    for machines, hosts in SMALL_CRAWLS:
        means = [
            statistics.mean(unevenness(machines, hosts, way, seed) for seed in range(seeds))
            for way in ways
        ]
        print(
            f"| {machines} | {hosts:,} | {' | '.join(f'{mean:.2f}' for mean in means)} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--shards", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--late", type=int, default=TIMES.late, help="age of what workers read")
    parser.add_argument("--lease", type=int, default=TIMES.lease)
    parser.add_argument("--plan", type=int, default=TIMES.plan, help="seconds from plan to plan")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    times = TIMES._replace(
        late=options.late, plan=options.plan, lease=options.lease, renew=options.lease // 3
    )
    for shards in options.shards:
        # All hosts, and one and a half times as many as the machines need.
        for left in (HOSTS, int(1.5 * options.machines * SPEED.machine / SPEED.host)):
            story(shards, left, options.machines, times, options.seeds)
        balance(shards, options.machines, times)
    small_crawls(10 * options.seeds)


if __name__ == "__main__":
    main()
