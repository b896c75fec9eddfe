from __future__ import annotations

from collections.abc import Mapping
from math import inf

import pytest

from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.lab.workers.simulated_crawl import SimulatedCrawl, SimulatedRun
from focuscrawl.lab.workers.simulated_worker import shard_of
from focuscrawl.lab.workers.work_division import Division
from focuscrawl.scheduling.eagerness import Eagerness
from tests.lab.workers.small_crawls import circle, host_of_worker, page, worker

HOSTS = [host_of_worker(number, 4) for number in range(4)]


def crawled(
    division: Division, web: Mapping[str, RecordedResponse], *seeds: str, budget: int = 1000
) -> SimulatedRun:
    workers = [worker() for _ in range(division.workers)]
    crawl = SimulatedCrawl(workers, division, web, lambda: Eagerness(1.0))
    return crawl.run(seeds, budget)


@pytest.mark.parametrize(
    "division",
    [
        Division(),
        Division(requests=4),
        Division(4, margin=inf),
        Division(4, exchange=0, margin=0.0),
        Division(4, exchange=100, margin=0.0),
        Division(4, 2, shared=frozenset({"scores", "learner"})),
    ],
)
def test_every_page_is_read_once_however_the_work_is_divided(division: Division) -> None:
    web = circle(HOSTS)
    run = crawled(division, web, f"http://{HOSTS[0]}/")
    assert sorted(run.urls) == sorted(web)


def test_a_budget_ends_the_crawl() -> None:
    run = crawled(Division(4), circle(HOSTS), f"http://{HOSTS[0]}/", budget=7)
    assert len(run.urls) == 7


def test_workers_at_full_speed_share_the_pages_and_need_less_time() -> None:
    web = circle(HOSTS, posts=15)
    seeds = [f"http://{host}/" for host in HOSTS]
    one = crawled(Division(), web, *seeds, budget=40)
    four = crawled(Division(4, margin=inf), web, *seeds, budget=40)
    assert one.seconds > 3 * four.seconds
    owners = [shard_of(url.split("/")[2]) % 4 for url in four.urls]
    assert all(5 <= owners.count(number) <= 15 for number in range(4))


def test_a_worker_far_below_the_best_sends_nothing() -> None:
    good, poor = HOSTS[:2]
    web = {f"http://{good}/": page(*(f"http://{good}/{n}" for n in range(15)), relevant=True)}
    web |= {f"http://{good}/{number}": page(relevant=True) for number in range(15)}
    web |= {f"http://{poor}/": page(*(f"http://{poor}/{n}" for n in range(15)))}
    web |= {f"http://{poor}/{number}": page() for number in range(15)}
    seeds = [f"http://{good}/", f"http://{poor}/"]
    shares = []
    for margin in (inf, 1.0, 0.0):
        run = crawled(Division(4, exchange=1, margin=margin), web, *seeds, budget=16)
        shares.append(sum(good in url for url in run.urls))
    assert shares[0] < shares[1] <= shares[2]
    assert shares[1] >= 13
