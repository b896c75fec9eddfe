"""Calls that were executed although their replies did not arrive, and servers that lose something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import redis

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.workers.redis_calls import Call
from focuscrawl.workers.redis_frontier import RedisFrontier
from tests.frontier.frontier_runs import kill, link, take_all
from tests.servers.redis_server import RedisServer
from tests.workers.conftest import Workers


def lose_reply(frontier: RedisFrontier, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Execute the next calls of a script, and then break the connection."""
    send = frontier._calls._send
    wanted = Call.of(script, "").script

    def send_once(calls: Mapping[int, Call]) -> dict[int, Any]:
        replies = send(calls)
        if any(call.script == wanted for call in calls.values()) and not any(
            "NOSCRIPT" in str(reply) or "No matching script" in str(reply)
            for reply in replies.values()
        ):
            monkeypatch.setattr(frontier._calls, "_send", send)
            raise redis.ConnectionError("the reply is lost")
        return replies

    monkeypatch.setattr(frontier._calls, "_send", send_once)


def patiently(call: Callable[[], Any]) -> Any:
    for _ in range(3):
        try:
            return call()
        except FrontierUnavailableError:
            continue
    raise AssertionError("the server does not come back")


SCRIPTS = (
    "lease_urls", "end_leases", "push_links", "return_lease", "wake_urls", "renew_shard",
    "register_worker", "drop_urls", "rescore_urls", "limit_delays", "states",
)  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_lost_reply_loses_no_url(
    script: str, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = workers.start()
    one.push([link(number, 0, f"{number % 7}.example") for number in range(20)])
    lose_reply(one, script, monkeypatch)
    leases = patiently(lambda: one.lease(4, 0)) or patiently(lambda: one.lease(4, 0))
    patiently(lambda: one.retry(leases[0], 5))
    patiently(lambda: one.release(leases[1]))
    patiently(lambda: one.ack(leases[2], [link("new", 3)]))
    patiently(lambda: one.known([leases[0].key], {leases[0].key: leases[0].host}))
    patiently(lambda: one.rescore({leases[1].key: 7}, {leases[1].key: leases[1].host}))
    patiently(lambda: one.limit_delays(4))
    one._ownership._next_turn = 0
    patiently(one.tend)
    patiently(lambda: one.drop([leases[1].key], "unwanted", {leases[1].key: leases[1].host}))
    patiently(lambda: one.ack(leases[3]))
    patiently(lambda: one.lease(0, 10))
    assert one._calls._send.__name__ == "_send"
    assert one.waiting == 18
    taken = []
    while found := patiently(lambda: one.lease(1, 10)):
        taken += found
        patiently(lambda: one.ack(found[0]))
    assert len(taken) == 18
    assert (one.waiting, one.leased) == (0, 0)
    assert one.is_over()


def test_a_restart_between_two_calls_is_noticed(
    workers: Workers, valkey_server: RedisServer
) -> None:
    one = workers.start()
    one.push([link(number, 0, f"{number}.example") for number in range(5)])
    leases = one.lease(2, 0)
    shard = one._keys.shard(one._keys.shard_of(leases[0].host))
    row = one._calls.one(shard, "HGET", f"{shard}:urls", leases[0].seq.to_bytes(16, "big")[8:])
    one.ack(leases[0])
    # As if the server had lost its last second.
    key = leases[0].seq.to_bytes(16, "big")[8:]
    for words in (
        ("HSET", f"{shard}:urls", key, row),
        ("HSET", f"{shard}:leases", key, "0"),
        ("HINCRBY", f"{shard}:facts", "unfinished", 1),
        ("HINCRBY", f"{shard}:hosts", f"l{leases[0].host}", 1),
        ("HINCRBY", f"{shard}:hosts", f"w{leases[0].host}", 1),
        ("DEL", f"{shard}:recent"),
    ):
        one._calls.one(shard, *words)
    valkey_server.stop()
    valkey_server.start()
    patiently(one.tend)
    one.ack(leases[1])
    assert len(take_all(one)) == 4
    assert one.is_over()


def test_abandoned_leases_stay_after_an_error(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = workers.start()
    one.push([link(1), link(2)])
    one.abandon(one.lease(1, 0)[0])
    lose_reply(one, "lease_urls", monkeypatch)
    leases = patiently(lambda: one.lease(1, 0))
    one.ack(leases[0])
    assert one.lease(1, 0) == []
    kill(one)
    heir = workers.start()
    assert heir.recovered == 1
