"""Shards of hosts: equal in every process and version, and evenly filled."""

from __future__ import annotations

from collections import Counter

from focuscrawl.workers.crawl_keys import SHARDS, shard_of


def test_a_host_keeps_its_shard_for_ever() -> None:
    hosts = ["example.com", "www.example.com", "例え.jp", "a\udc80b"]
    assert [shard_of(host) for host in hosts] == [102, 177, 161, 53]
    assert [shard_of(host, 1024) for host in hosts] == [614, 945, 417, 53]


def test_hosts_spread_over_all_shards() -> None:
    sizes = Counter(shard_of(f"www{number}.example.com") for number in range(100 * SHARDS))
    assert sizes.keys() == set(range(SHARDS))
    # Four standard deviations of a Poisson distribution with mean 100.
    assert all(60 <= size <= 140 for size in sizes.values())
