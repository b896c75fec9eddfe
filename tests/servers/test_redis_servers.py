"""The servers of the fixtures: what a test may rely on."""

from __future__ import annotations

import time

import pytest
from redis import Redis, RedisCluster
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ConnectionError
from redis.retry import Retry

from tests.servers.redis_cluster import ClusterServers
from tests.servers.redis_server import PASSWORD, RedisServer

# redis-py would ask again for seconds.
ONCE = Retry(NoBackoff(), 0)


def connect(url: str) -> Redis | RedisCluster:
    with Redis.from_url(url) as client:
        is_cluster = client.info("cluster")["cluster_enabled"]
    return (RedisCluster if is_cluster else Redis).from_url(url)


def wait_until_written(server: RedisServer | ClusterServers) -> None:
    """Wait until a kill loses nothing: while the disk is busy, what was answered is in memory only."""
    for node in getattr(server, "nodes", [server]):
        with Redis.from_url(node.url) as client:
            while client.info("persistence")["aof_buffer_length"]:
                time.sleep(0.01)


@pytest.mark.parametrize("number", [1, 2])
def test_each_test_begins_without_keys(redis_url: str, number: int) -> None:
    with connect(redis_url) as client:
        assert client.dbsize() == 0
        for key in range(30):
            client.set(f"key {key}", number)


@pytest.mark.parametrize(
    ("name", "at_once"),
    [("valkey", False), ("valkey", True), ("redis7", False), ("redis7", True), ("cluster", True)],
)
def test_data_and_address_survive_a_restart(
    name: str, at_once: bool, request: pytest.FixtureRequest
) -> None:
    server: RedisServer | ClusterServers = request.getfixturevalue(f"{name}_server")
    server.clear()
    url = server.url
    with connect(url) as client:
        for key in range(30):
            client.set(f"key {key}", key)
    wait_until_written(server)
    server.stop(at_once=at_once)
    server.start()
    assert server.url == url
    with connect(url) as client:
        assert [client.get(f"key {key}") for key in range(30)] == [b"%d" % n for n in range(30)]


def test_one_node_of_the_cluster_may_be_away(cluster_server: ClusterServers) -> None:
    cluster_server.clear()
    with connect(cluster_server.url) as client:
        client.set("{here}key", "kept")
        wait_until_written(cluster_server)
        node = next(
            node for node in cluster_server.nodes
            if node.port == client.get_node_from_key("{here}key").port
        )  # fmt: skip
    node.stop(at_once=True)
    node.start()
    cluster_server.wait()
    with connect(cluster_server.url) as client:
        assert client.get("{here}key") == b"kept"


@pytest.mark.parametrize("name", ["valkey_server", "valkey_auth_server", "redis7_server"])
def test_the_socket_is_another_way_to_the_same_server(
    name: str, request: pytest.FixtureRequest
) -> None:
    server: RedisServer = request.getfixturevalue(name)
    with Redis.from_url(server.url) as one, Redis.from_url(server.socket_url) as other:
        one.set("key", "value")
        assert other.get("key") == b"value"


def test_a_password_is_needed(valkey_auth_server: RedisServer) -> None:
    with (
        Redis(port=valkey_auth_server.port, retry=ONCE) as client,
        pytest.raises(AuthenticationError),
    ):
        client.ping()
    with Redis(port=valkey_auth_server.port, password=PASSWORD) as client:
        assert client.ping()


def test_a_server_with_tls_is_reached_in_no_other_way(redis7_tls_server: RedisServer) -> None:
    with Redis.from_url(redis7_tls_server.url) as client:
        assert client.ping()
    plain = redis7_tls_server.url.replace("rediss", "redis").partition("?")[0]
    unknown = redis7_tls_server.url.partition("?")[0]
    for url in (plain, unknown):
        with Redis.from_url(url, retry=ONCE) as client, pytest.raises(ConnectionError):
            client.ping()


def test_nothing_is_evicted(redis_url: str) -> None:
    with connect(redis_url) as client:
        answer = client.config_get("maxmemory-policy")
    assert "noeviction" in str(answer)


def test_the_versions_are_those_that_are_supported(valkey_url: str, redis7_url: str) -> None:
    with Redis.from_url(valkey_url) as valkey, Redis.from_url(redis7_url) as redis:
        assert int(valkey.info("server")["valkey_version"].split(".")[0]) >= 9
        assert int(redis.info("server")["redis_version"].split(".")[0]) >= 7
