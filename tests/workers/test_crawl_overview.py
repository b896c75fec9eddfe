"""Overview of the crawls on one server and on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from focuscrawl.frontier import Candidate, State
from focuscrawl.workers.crawl_keys import shard_of
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.crawl_overview import (
    CrawlOverview,
    find_url,
    overviews,
    stored_crawls,
)
from focuscrawl.workers.redis_calls import RedisCalls, connect
from tests.frontier.frontier_runs import link

HOSTS = [f"{number}.example" for number in range(20)]


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(getattr(request, "param", "valkey_url"))
    return found


on_a_cluster_too = pytest.mark.parametrize("url", ["valkey_url", "cluster_url"], indirect=True)


@pytest.fixture
def calls(url: str) -> Iterator[RedisCalls]:
    made = connect(url)
    yield made
    made.close()


def links() -> list[Candidate]:
    return [link(number, 1.0, host) for number, host in enumerate(HOSTS)]


def overview(calls: RedisCalls) -> CrawlOverview:
    (found,) = overviews(calls, stored_crawls(calls), 0)
    return found


@on_a_cluster_too
def test_counts_states_while_a_worker_is_at_work(url: str, calls: RedisCalls) -> None:
    worker = open_crawl(url, "one", arguments={"topic": "money"}, slots=1)
    worker.push(links())
    done, _ = worker.lease(2, 0)
    worker.ack(done)
    found = overview(calls)
    assert (found.name, found.generation, found.state) == ("one", 1, "open")
    assert found.arguments == {"topic": "money"}
    assert list(found.workers.values()) == [256]
    assert found.free_shards == 0
    assert (found.waiting, found.leased, found.done) == (18, 1, 1)
    assert (found.failed, found.dropped, found.inbox_batches) == (0, 0, 0)
    worker.close()
    assert overview(calls).workers == {}


@on_a_cluster_too
def test_links_to_the_shards_of_others_are_in_inboxes(url: str, calls: RedisCalls) -> None:
    one = open_crawl(url, "one", arguments={}, slots=1)
    two = open_crawl(url, "one", arguments={}, slots=1)
    two.push(links())
    found = overview(calls)
    assert len(found.workers) == 2
    assert found.waiting == 0
    assert found.inbox_batches == len({shard_of(host) for host in HOSTS})
    one.close()
    two.close()


def test_a_crawl_that_is_over_and_its_next_run(url: str, calls: RedisCalls) -> None:
    open_crawl(url, "one", arguments={}, slots=1).close()
    assert overview(calls).state == "over"
    worker = open_crawl(url, "one", arguments={}, slots=1)
    found = overview(calls)
    assert (found.generation, found.state) == (2, "open")
    worker.close()


def test_pages_per_second(url: str, calls: RedisCalls, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = open_crawl(url, "one", arguments={}, slots=1)
    worker.push(links())
    leases = worker.lease(5, 0)

    def end_pages(_: float) -> None:
        for lease in leases:
            worker.ack(lease)

    monkeypatch.setattr("focuscrawl.workers.crawl_overview.time.sleep", end_pages)
    (found,) = overviews(calls, stored_crawls(calls), 1)
    assert found.pages_per_second > 0
    assert found.done == 5
    worker.close()


def test_several_crawls_and_one_of_another_version(url: str, calls: RedisCalls) -> None:
    for name in ("two", "one"):
        open_crawl(url, name, arguments={}, slots=1).close()
    key = "focuscrawl:{two}"
    calls.one(key, "HSET", key, "layout", "0")
    assert [(crawl.name, crawl.is_readable) for crawl in stored_crawls(calls)] == [
        ("one", True),
        ("two", False),
    ]


@on_a_cluster_too
def test_finds_a_url_also_with_the_host_of_another_group(url: str, calls: RedisCalls) -> None:
    worker = open_crawl(url, "one", arguments={}, slots=1)
    candidate = links()[3]
    worker.push([candidate])
    (crawl,) = stored_crawls(calls)
    for host in (candidate.host, "elsewhere.example"):
        found = find_url(calls, crawl, candidate.key, host)
        assert found is not None
        assert found.state is State.WAITING
        assert found.explanation is not None
        assert found.explanation.url == candidate.url
    assert find_url(calls, crawl, 12345, candidate.host) is None
    worker.close()
