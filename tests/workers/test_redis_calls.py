"""Connections to a server that is reached by TLS only."""

from __future__ import annotations

import pytest

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.workers.redis_calls import connect
from tests.servers.redis_server import RedisServer


def test_a_certificate_that_is_known_opens_a_server_with_tls(
    redis7_tls_server: RedisServer,
) -> None:
    connect(redis7_tls_server.url).close()
    unknown = redis7_tls_server.url.partition("?")[0]
    for url in (unknown, unknown.replace("rediss", "redis")):
        with pytest.raises(FrontierUnavailableError):
            connect(url)
