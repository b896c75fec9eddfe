"""Servers and data that a crawl cannot work with: each gets one sentence, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from redis import Redis

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.crawl_overview import stored_crawls
from focuscrawl.workers.redis_calls import PASSWORD_VARIABLE
from focuscrawl.workers.redis_frontier import RedisFrontier
from tests.frontier.frontier_runs import kill, link, take_all, urls
from tests.servers.process import free_port
from tests.servers.redis_cluster import ClusterServers
from tests.servers.redis_server import PASSWORD, RedisServer, find_valkey, make
from tests.workers.conftest import Workers

LONG_SCRIPT = """
local time
local function now() time = redis.call('TIME'); return time[1] + time[2] / 1e6 end
local last = now() + 1.5
while now() < last do end
"""
LINKS = [link(number, 0, f"{number}.example") for number in range(8)]


@pytest.fixture
def client(valkey_url: str) -> Iterator[Redis]:
    with Redis.from_url(valkey_url) as made:
        yield made
        made.config_set("maxmemory", 0)
        made.config_set("maxmemory-policy", "noeviction")


def joined(url: str, **arguments: object) -> RedisFrontier:
    return open_crawl(url, "bad", arguments=arguments, slots=1)


def is_sentence(error: BaseException) -> bool:
    return "\n" not in str(error) and "Traceback" not in str(error) and len(str(error)) < 300


def test_a_server_that_is_away_at_the_start(valkey_server: RedisServer, valkey_url: str) -> None:
    valkey_server.stop()
    try:
        with pytest.raises(FrontierUnavailableError, match=r"does not answer .*start it") as caught:
            joined(valkey_url)
    finally:
        valkey_server.start()
    assert is_sentence(caught.value)


def test_a_server_that_is_away_in_the_middle(valkey_server: RedisServer, valkey_url: str) -> None:
    frontier = joined(valkey_url)
    frontier.push(LINKS)
    leases = frontier.lease(2, 0)
    # appendfsync everysec
    time.sleep(1.2)
    valkey_server.stop()
    for call in (
        frontier.tend,
        lambda: frontier.ack(leases[0], [link("new")]),
        lambda: frontier.lease(1, 0),
        lambda: frontier.retry(leases[1], 9),
        lambda: frontier.next_due(0),
        frontier.is_over,
    ):
        with pytest.raises(FrontierUnavailableError) as caught:
            call()
        assert is_sentence(caught.value)
    valkey_server.start()
    frontier.ack(leases[0], [link("new")])
    frontier.release(leases[1])
    assert len(take_all(frontier)) == len(LINKS)
    frontier.close()


def test_a_server_that_is_away_at_the_end(valkey_server: RedisServer, valkey_url: str) -> None:
    frontier = joined(valkey_url)
    frontier.push(LINKS)
    leases = frontier.lease(2, 0)
    time.sleep(1.2)
    valkey_server.stop()
    try:
        with pytest.raises(FrontierUnavailableError):
            frontier.close()
    finally:
        valkey_server.start()
    with Redis.from_url(valkey_url) as client:
        client.delete(*client.keys("*:owner"), *client.keys("*:workers"))
    again = joined(valkey_url)
    assert again.recovered == len(leases)
    assert len(take_all(again)) == len(LINKS)
    again.close()


def test_a_server_that_is_started_again_without_its_data(
    valkey_server: RedisServer, valkey_url: str, client: Redis
) -> None:
    frontier = joined(valkey_url)
    frontier.push(LINKS)
    assert frontier.lease(2, 0)
    client.flushall()
    valkey_server.stop()
    valkey_server.start()
    with suppress(FrontierUnavailableError):
        frontier.next_due(0)
    assert not frontier.is_over()
    frontier._ownership._next_turn = 0
    with pytest.raises(FrontierError, match=r"has lost .*set appendonly yes") as caught:
        frontier.tend()
    assert is_sentence(caught.value)
    frontier.close()
    assert not client.keys("*:owner")
    again = joined(valkey_url)
    again.push(LINKS)
    assert len(take_all(again)) == len(LINKS)
    again.close()


def test_full_memory_at_the_start(valkey_url: str, client: Redis) -> None:
    client.script_flush()
    client.config_set("maxmemory", 1)
    with pytest.raises(FrontierError, match="out of memory; raise its maxmemory") as caught:
        joined(valkey_url)
    assert is_sentence(caught.value)
    # With the memory full after the first start, too, whose worker is not counted as living.
    assert not client.keys("*:workers")
    client.config_set("maxmemory", 0)
    joined(valkey_url).close()
    client.config_set("maxmemory", 1)
    with pytest.raises(FrontierError, match="out of memory"):
        joined(valkey_url)
    client.config_set("maxmemory", 0)
    joined(valkey_url, another="argument").close()


def test_full_memory_in_the_middle(valkey_url: str, client: Redis) -> None:
    frontier = joined(valkey_url)
    frontier.push(LINKS)
    leases = frontier.lease(2, 0)
    client.config_set("maxmemory", 1)
    for call in (
        lambda: frontier.push([link("more")]),
        lambda: frontier.ack(leases[0], [link("new")]),
    ):
        with pytest.raises(FrontierError, match="out of memory; raise its maxmemory") as caught:
            call()
        assert is_sentence(caught.value)
    frontier.close()
    client.config_set("maxmemory", 0)
    again = joined(valkey_url)
    assert sorted(urls(take_all(again))) == sorted(found.url for found in LINKS)
    again.close()


def test_a_server_that_evicts(valkey_url: str, client: Redis) -> None:
    client.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(FrontierError, match="set maxmemory-policy noeviction"):
        joined(valkey_url)


def test_a_cluster_in_which_one_server_evicts(
    cluster_server: ClusterServers, cluster_url: str
) -> None:
    port = urlsplit(cluster_url).port
    other = next(node for node in cluster_server.nodes if node.port != port)
    with Redis.from_url(other.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(FrontierError, match="set maxmemory-policy noeviction"):
                joined(cluster_url)
        finally:
            client.config_set("maxmemory-policy", "noeviction")


@pytest.mark.parametrize("password", [None, "wrong"])
def test_a_wrong_password(
    password: str | None, valkey_auth_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"redis://127.0.0.1:{valkey_auth_server.port}/0"
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    if password:
        monkeypatch.setenv(PASSWORD_VARIABLE, password)
    with pytest.raises(FrontierError, match=f"refuses the password .*set {PASSWORD_VARIABLE}"):
        joined(address)
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    joined(address).close()


@pytest.mark.parametrize(
    ("login", "query"),
    [(":secret@", ""), ("user:se/cret@", ""), ("", "?password=secret"), (":secret@[", "")],
)
def test_no_message_shows_a_password(login: str, query: str, valkey_server: RedisServer) -> None:
    with pytest.raises(FrontierError) as caught:
        joined(f"redis://{login}127.0.0.1:{valkey_server.port}/0{query}")
    assert "***" in str(caught.value)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize("address", ["redis://[::1", "redis://127.0.0.1:1/0?no_such_option=1"])
def test_a_wrong_address(address: str) -> None:
    with pytest.raises(FrontierError, match="cannot be used: ") as caught:
        joined(address)
    assert is_sentence(caught.value)


@pytest.mark.parametrize("option", ["protocol=3", "decode_responses=1"])
def test_an_address_cannot_change_the_form_of_replies(valkey_url: str, option: str) -> None:
    with pytest.raises(FrontierError, match=f"leave out {option.partition('=')[0]}"):
        joined(f"{valkey_url}?{option}")


@pytest.mark.server
def test_a_cluster_without_slots(tmp_path: Path) -> None:
    options = ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
    server = make(tmp_path, find_valkey(), options)
    server.start()
    try:
        with pytest.raises(FrontierUnavailableError, match=r"does not answer .*slots") as caught:
            joined(server.url)
        with pytest.raises(FrontierError, match="node of a cluster; give redis://HOST:PORT"):
            joined(server.socket_url)
    finally:
        server.stop()
    assert is_sentence(caught.value)


def test_a_server_that_runs_a_long_script_is_waited_for(client: Redis, valkey_url: str) -> None:
    frontier = joined(valkey_url)
    client.config_set("busy-reply-threshold", 20)
    slow = Thread(target=client.eval, args=(LONG_SCRIPT, 0))
    slow.start()
    time.sleep(0.3)
    try:
        for call in (frontier.tend, lambda: frontier.push(LINKS), lambda: joined(valkey_url)):
            with pytest.raises(FrontierUnavailableError, match="BUSY"):
                call()
    finally:
        slow.join()
        client.config_set("busy-reply-threshold", 5000)
    frontier.push(LINKS)
    assert len(take_all(frontier)) == len(LINKS)
    frontier.close()


def test_data_of_another_layout(valkey_url: str, client: Redis) -> None:
    joined(valkey_url).close()
    client.hset("focuscrawl:{bad}", "layout", "77")
    with pytest.raises(FrontierError, match=r"focuscrawl \(layout 77, not 1\)"):
        joined(valkey_url)


def test_workers_with_other_arguments(valkey_url: str) -> None:
    one = joined(valkey_url, topic="maize")
    one.push(LINKS)
    with pytest.raises(FrontierError, match="topic=maize there, rice here"):
        joined(valkey_url, topic="rice")
    assert len(take_all(one)) == len(LINKS)
    one.close()


def test_deleted_owners(workers: Workers, client: Redis) -> None:
    one = workers.start()
    one.push(LINKS)
    out = one.lease(3, 0)
    client.delete(*client.keys("*:owner"))
    workers.settle()
    assert not any(one.holds(lease) for lease in out)
    assert len(take_all(one)) == len(LINKS)
    assert one.is_over()


@pytest.mark.parametrize("dies", [False, True])
def test_a_deleted_hash_of_the_crawl(valkey_url: str, client: Redis, dies: bool) -> None:
    joined(valkey_url).close()
    one = joined(valkey_url)
    one.push(LINKS)
    client.delete("focuscrawl:{bad}")
    with pytest.raises(FrontierError, match=r"focuscrawl:\{bad\} .*was deleted .*start once more"):
        joined(valkey_url)
    one._ownership._next_turn = 0
    one.tend()
    assert stored_crawls(one._calls)[0].generation == 2
    if dies:
        kill(one)
    else:
        one.close()
    two = joined(valkey_url, topic="rice")
    assert len(take_all(two)) == len(LINKS)
    assert stored_crawls(two._calls)[0].arguments == {"topic": "rice"}
    two.close()


@pytest.mark.parametrize("name", ["outcomes", "recent"])
def test_a_deleted_key_about_ended_pages(name: str, workers: Workers, client: Redis) -> None:
    one = workers.start()
    one.push(LINKS)
    one.ack(one.lease(1, 0)[0])
    assert client.delete(*client.keys(f"*:{name}"))
    assert len(take_all(one)) == len(LINKS) - 1
    assert one.is_over()


def test_deleted_counts_of_a_dead_worker_do_not_end_the_crawl(
    workers: Workers, client: Redis
) -> None:
    one = workers.start()
    one.push(LINKS)
    client.delete(*client.keys("*:facts"))
    kill(one)
    workers.living.remove(one)
    heir = workers.start()
    heir.tend()
    assert heir.waiting == len(LINKS)
    assert not heir.is_over()
    assert len(take_all(heir)) == len(LINKS)
    assert heir.is_over()


def test_a_host_whose_delayed_urls_were_deleted_is_dropped(workers: Workers, client: Redis) -> None:
    one = workers.start()
    one.push(LINKS[:1])
    one.retry(one.lease(1, 0)[0], 50)
    client.delete(*client.keys("*:urls"))
    assert one.drop_host(LINKS[0].host, "unwanted") == 0


NAMES = ["urls", "facts", "queue:*", "due", "leases", "hosts", "workers", "arrivals"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dies", [False, True])
def test_a_deleted_key(
    name: str, dies: bool, workers: Workers, client: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    one = workers.start()
    one.push([*LINKS, *[found._replace(key=found.key + 1) for found in LINKS]])
    leases = one.lease(3, 0)
    one.retry(leases[0], 5)
    client.delete(*client.keys(f"*:{name}"))
    if dies:
        kill(one)
        workers.living.remove(one)
        one = workers.start()
    else:
        one.ack(leases[1], [link("new", 9)])
        one.ack(leases[2])
    one._ownership._next_turn = 0
    one.tend()
    for _ in range(12):
        while found := one.lease(1, 9):
            one.ack(found[0])
        with suppress(FrontierError):
            if not one.waiting and one.is_over():
                break
        one.next_due(9)
    assert one.waiting == 0
    if name == "urls":
        with pytest.raises(FrontierError, match=r"has lost 1\d URLs of focuscrawl:\{test\}"):
            one.is_over()
    else:
        assert one.is_over()
        assert one.counts().total().done == 16 + (not dies)
    assert all("keys of" in record.message for record in caplog.records)
