"""A node of a cluster that dies, and whose replica takes its place at another address."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.frontier.frontier_entries import Ack
from focuscrawl.workers.crawl_membership import open_crawl
from tests.frontier.frontier_runs import link, take_all
from tests.servers.process import START_SECONDS
from tests.servers.redis_cluster import ClusterServers, add_replica, make_cluster
from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.server
LINKS = [link(number, 0, f"{number}.example") for number in range(30)]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusterServers]:
    made = make_cluster(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def replica(cluster: ClusterServers, tmp_path: Path) -> Iterator[RedisServer]:
    made = add_replica(cluster.nodes[1], tmp_path / "replica")
    yield made
    made.stop()


def until(call: Callable[[], Any], *errors: type[Exception]) -> Any:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return call()
        except errors:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def test_a_replica_that_takes_over_is_found(cluster: ClusterServers, replica: RedisServer) -> None:
    frontier = open_crawl(cluster.url, "failover", arguments={}, slots=1)
    frontier.push(LINKS)
    leases = frontier.lease(len(LINKS), 0)
    with Redis(port=cluster.nodes[1].port) as client:
        assert client.execute_command("WAIT", 1, 20_000) == 1
    cluster.nodes[1].stop(at_once=True)
    # The call that fails is repeated, as a crawl does, without any other in between.
    until(
        lambda: frontier.ack_many([Ack(lease) for lease in leases[:20]]), FrontierUnavailableError
    )
    for lease in leases[20:]:
        frontier.release(lease)
    frontier._ownership._next_turn = 0
    frontier.tend()
    assert len(take_all(frontier)) == len(LINKS) - 20
    assert frontier.is_over()
    frontier.close()
