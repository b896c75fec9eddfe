"""Small simulated crawls that run the real plan; ``benchmarks/shards.py`` has a hundred machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from tests.workers.simulated_crawl import Event, SimulatedCrawl, Speed, spread
from tests.workers.simulated_hosts import Integers, SimulatedHosts, zipf_sizes
from tests.workers.simulated_workers import TIMES

SHARDS = 64
WORKERS = 10
HOSTS = 3000
PAGES = 3_000_000
SPEED = Speed(machine=20, host=1)


@pytest.fixture
def hosts() -> SimulatedHosts:
    return SimulatedHosts(zipf_sizes(HOSTS, PAGES), SHARDS)


@pytest.fixture
def crawl(hosts: SimulatedHosts) -> SimulatedCrawl:
    """Return a crawl of ten machines, each too slow for its hosts, ten minutes after the start."""
    crawl = SimulatedCrawl(hosts, SPEED)
    crawl.event(crawl.join, WORKERS)
    crawl.run(600 - crawl.now)
    return crawl


def shortfall(crawl: SimulatedCrawl, since: int) -> float:
    """Return the share of the possible pages that were not crawled."""
    seconds = crawl.seconds[since:]
    return 1 - sum(s.pages for s in seconds) / sum(s.possible for s in seconds)


def test_levels_count_the_pages_of_each_host_one_by_one(hosts: SimulatedHosts) -> None:
    sizes = zipf_sizes(HOSTS, PAGES)
    hosts.levels[:] = 100.0
    assert hosts.done().sum() == pytest.approx(np.minimum(sizes, 100).sum())
    assert hosts.waiting().sum() == pytest.approx(PAGES - np.minimum(sizes, 100).sum())
    assert hosts.left().sum() == (sizes > 100).sum()


def test_all_machines_crawl_at_full_speed(crawl: SimulatedCrawl) -> None:
    assert crawl.is_settled()
    assert shortfall(crawl, since=100) < 0.001
    assert sum(crawl.pages.values()) == pytest.approx(crawl.hosts.done().sum())


def test_a_dead_machine_costs_its_lease(crawl: SimulatedCrawl) -> None:
    event = crawl.event(crawl.kill, 1)
    assert event.moved == event.fewest == event.claims
    assert event.seconds <= TIMES.lease + TIMES.plan + TIMES.late + TIMES.load + 1


def test_half_of_the_machines_die_at_once(crawl: SimulatedCrawl) -> None:
    event = crawl.event(crawl.kill, WORKERS // 2)
    assert event.moved == event.fewest
    assert event.seconds <= TIMES.lease + 3 * TIMES.plan
    assert sorted(Counter(crawl.registry.owners.values()).values()) == [12, 13, 13, 13, 13]


@pytest.mark.parametrize("happening", ["join", "terminate"])
def test_joining_and_leaving_take_seconds(crawl: SimulatedCrawl, happening: str) -> None:
    event = crawl.event(getattr(crawl, happening), 1)
    assert event.moved == event.fewest == event.claims
    assert event.seconds < TIMES.lease
    settled = crawl.now
    crawl.run(60)
    assert shortfall(crawl, settled) < 0.001


def test_nothing_moves_without_an_event(crawl: SimulatedCrawl) -> None:
    nothing = crawl.event(crawl.run, 300)
    assert nothing == Event(301, moved=0, fewest=0, claims=0, hosts=0.0)


def uneven(seed: int, loads: Callable[[SimulatedHosts], Integers | None]) -> float:
    """Return the most sites of a worker by their mean, after four have joined a crawl of 100 sites."""
    sizes = np.random.default_rng(seed).permutation(zipf_sizes(100, 1e5))
    crawl = SimulatedCrawl(SimulatedHosts(sizes, 256), SPEED, loads=loads, seed=seed)
    for _ in range(4):
        crawl.event(crawl.join, 1)
    left = crawl.hosts.left()
    return spread([left[list(worker.serves)].sum() for worker in crawl.workers.values()])


def test_loads_even_out_a_small_crawl() -> None:
    unknown = np.mean([uneven(seed, lambda _hosts: None) for seed in range(20)])
    known = np.mean([uneven(seed, SimulatedHosts.left) for seed in range(20)])
    assert known < 1.12 < 1.2 < unknown
