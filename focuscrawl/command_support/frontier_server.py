"""Connection of a command to the server of a frontier."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from focuscrawl.crawl_run import is_server
from focuscrawl.errors import ArgumentError
from focuscrawl.system.package_extras import require_redis

if TYPE_CHECKING:
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
