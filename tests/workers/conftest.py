"""Workers of one crawl on a Valkey, in one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.redis_frontier import RedisFrontier


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

    def settle(self) -> None:
        """Let all workers divide the shards and deliver links."""
        for _ in range(4):
            for worker in self.living:
                worker._ownership._next_turn = 0
                worker.tend()


@pytest.fixture
def workers(valkey_url: str) -> Iterator[Workers]:
    made = Workers(valkey_url)
    yield made
    for worker in made.living:
        worker._calls.close()
