"""Workers of one crawl on a Valkey, in one process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.redis_frontier import RedisFrontier


def quiet_engine(**parts: Any) -> Engine:
    """Return an engine of one request at a time; nobody hears what it is told, but for ``parts``."""

    def nobody(*_: Any) -> None:
        pass

    told = dict.fromkeys(("wake", "count", "count_pushed", "fail"), nobody)
    return Engine(**{"now": time.time, "is_closing": lambda: False, "most": 1, **told, **parts})


class Workers:
    """Starts workers of a crawl, and lets them die."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.living: list[RedisFrontier] = []

    def start(self, **options: Any) -> RedisFrontier:
        """Start a worker, whose shards are its own until it is stopped or killed."""
        worker = RedisFrontier(
            connect(self.url), CrawlKeys("test"), f"worker {len(self.living)}", **options
        )
        self.living.append(worker)
        return worker

    def stop(self, worker: RedisFrontier) -> None:
        """Let the leases of a lone worker end, as those of one that is stopped for longer than they last."""
        with Redis.from_url(self.url) as client:
            client.delete(*client.keys("*:owner"), *client.keys("*:workers"))
        worker._ownership._valid_until = 0.0
        self.living.remove(worker)

    def settle(self) -> None:
        """Let all workers divide the shards and deliver links."""
        for _ in range(4):
            for worker in self.living:
                self.tend(worker)

    @staticmethod
    def tend(worker: RedisFrontier) -> None:
        """Let a worker do now what it does every few seconds."""
        worker._ownership._next_turn = 0
        worker.tend()


@pytest.fixture
def workers(valkey_url: str) -> Iterator[Workers]:
    made = Workers(valkey_url)
    yield made
    for worker in made.living:
        worker._calls.close()
