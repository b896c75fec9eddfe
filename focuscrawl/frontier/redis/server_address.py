"""Connections to the server of a frontier by its URL."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qs, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import (
    AuthenticationError,
    NoPermissionError,
    RedisClusterException,
    RedisError,
)
from redis.retry import Retry

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.frontier.redis.redis_calls import RedisCalls, is_away

PASSWORD_VARIABLE = "FOCUSCRAWL_FRONTIER_PASSWORD"
_SECONDS = 20.0
_OF_REPLIES = ("protocol", "decode_responses", "encoding", "encoding_errors")
_OPTIONS = {"protocol": 2, "socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}


def connect(address: str) -> RedisCalls:
    """Connect to the server or cluster at ``redis://``, ``rediss://``, ``valkey://`` or ``unix://``.

    The password comes from the environment variable ``FOCUSCRAWL_FRONTIER_PASSWORD``. Raises
    :class:`~focuscrawl.errors.FrontierError` for a server that cannot be used, and
    :class:`~focuscrawl.errors.FrontierUnavailableError` for one that does not answer.
    """
    url = address.replace("valkey", "redis", 1) if address.startswith("valkey") else address
    shown = _without_password(address)
    options = {**_OPTIONS, "retry": Retry(NoBackoff(), 0)}
    if password := os.environ.get(PASSWORD_VARIABLE):
        options["password"] = password
    try:
        if fixed := sorted(parse_qs(urlsplit(url).query).keys() & set(_OF_REPLIES)):
            raise ValueError(f"leave out {', '.join(fixed)}; the form of replies is fixed")
        client = redis.Redis.from_url(url, **options)
        info = client.info()
        _check(info, shown)
        if not info.get("cluster_enabled"):
            return RedisCalls(client, shown)
        client.close()
        if url.startswith("unix"):
            raise FrontierError(
                f"the server at {shown} is one node of a cluster; give redis://HOST:PORT, by which the "
                "others are found"
            )
        cluster = RedisCluster.from_url(url, **options)
        for found in cluster.info(target_nodes=RedisCluster.PRIMARIES).values():
            _check(found, shown)
        return RedisCalls(cluster, shown)
    except (AuthenticationError, NoPermissionError) as error:
        raise FrontierError(
            f"the server at {shown} refuses the password ({error}); set {PASSWORD_VARIABLE}"
        ) from None
    except (RedisError, RedisClusterException, ValueError, TypeError) as error:
        if is_away(error):
            raise FrontierUnavailableError(
                f"the server at {shown} does not answer ({error}); start it, or change FOCUSCRAWL_FRONTIER"
            ) from None
        raise FrontierError(f"FOCUSCRAWL_FRONTIER={shown} cannot be used: {error}") from None


def _check(info: dict[str, object], address: str) -> None:
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise FrontierError(
            f"the server at {address} removes keys when its memory is full (maxmemory-policy {policy}), "
            "which would lose URLs; set maxmemory-policy noeviction"
        )


def _without_password(address: str) -> str:
    """Hide the password of a URL, also of one that cannot be parsed."""
    hidden = re.sub(r"://([^/@:]*):[^?]*@", r"://\1:***@", address)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", hidden)
