"""Workers killed or stopped at any moment, and a server that dies: nothing is lost."""

from __future__ import annotations

from pathlib import Path

from tests.servers.redis_server import make_valkey
from tests.workers.worker_kills import PAGES, crawl_through


def test_nothing_is_lost_and_only_pages_in_flight_are_fetched_again(tmp_path: Path) -> None:
    server = make_valkey(tmp_path)
    server.start()
    try:
        crawl = crawl_through(server, rounds=4, seed=0)
        assert crawl.states() == {"done": PAGES}
    finally:
        server.stop()
    assert all(worker.has_ended for worker in crawl.workers)
    ended = crawl.ended()
    # A worker that is killed may have ended a page without having said so.
    assert ended.total() - len(ended) <= crawl.in_flight()
