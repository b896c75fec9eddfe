"""Connection of a command to the server of a frontier, and its choice of crawls there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from focuscrawl.crawl_run import is_server
from focuscrawl.errors import ArgumentError
from focuscrawl.system.package_extras import require_redis

if TYPE_CHECKING:
    from focuscrawl.frontier.redis.crawl_overview import StoredCrawl
    from focuscrawl.frontier.redis.redis_calls import RedisCalls


@contextmanager
def server_calls(address: str | None) -> Iterator[RedisCalls]:
    """Connect to a server; raises ArgumentError if ``address`` is not that of one."""
    if not is_server(address):
        raise ArgumentError(
            f"{address or 'nothing'} is not the URL of a server; write redis://HOST:PORT/0, or set "
            "FOCUSCRAWL_FRONTIER"
        )
    require_redis()
    # Imported here: redis-py may not be installed.
    from focuscrawl.frontier.redis.server_address import connect

    calls = connect(str(address))
    try:
        yield calls
    finally:
        calls.close()


def chosen_crawls(
    crawls: Sequence[StoredCrawl], name: str | None, server: str
) -> list[StoredCrawl]:
    """Return the crawls, or the one of a name; raises ArgumentError if there is none."""
    chosen = [crawl for crawl in crawls if name in (None, crawl.name)]
    if not chosen:
        raise ArgumentError(
            f"there are no crawls at {server}; see FOCUSCRAWL_FRONTIER"
            if name is None
            else f"there is no crawl {name} at {server}; list them with scrapy jobs"
        )
    return chosen
