"""Overview of the crawls on a server, read while their workers write."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from focuscrawl.frontier.frontier_entries import Explanation, State
from focuscrawl.workers.crawl_keys import CRAWLS, LAYOUT, CrawlKeys
from focuscrawl.workers.redis_calls import Call, RedisCalls
from focuscrawl.workers.shard_rows import ShardReader

_FACTS = 5
"""Number of calls for each shard in :func:`_shard_calls`."""


class StoredCrawl(NamedTuple):
    """A crawl on a server; ``is_readable`` unless another version of focuscrawl wrote it."""

    name: str
    generation: int
    state: str
    arguments: dict[str, Any]
    is_readable: bool

    @property
    def keys(self) -> CrawlKeys:
        """The keys of its present generation."""
        return CrawlKeys(self.name, self.generation)


@dataclass(frozen=True)
class CrawlOverview:
    """Figures of a crawl. ``workers`` has the number of owned shards of each living one."""

    name: str
    generation: int
    state: str
    arguments: dict[str, Any]
    workers: dict[str, int]
    free_shards: int
    waiting: int
    leased: int
    done: int
    failed: int
    dropped: int
    inbox_batches: int
    """Groups of links, up to 500 each, that were sent to the owners of their hosts and wait there."""
    pages_per_second: float = 0.0


class FoundUrl(NamedTuple):
    """A URL in a crawl; ``explanation`` is None if it ended so long ago that only its state is kept."""

    crawl: StoredCrawl
    state: State
    explanation: Explanation | None


def stored_crawls(calls: RedisCalls, *, with_deleted: bool = False) -> list[StoredCrawl]:
    """Return the crawls that were begun on a server, by name."""
    names = sorted(name.decode() for name in calls.one(CRAWLS, "SMEMBERS", CRAWLS))
    hashes = [CrawlKeys(name).crawl for name in names]
    found = calls.run([Call(key, ("HGETALL", key)) for key in hashes])
    crawls = [_crawl(name, fields) for name, fields in zip(names, found, strict=True) if fields]
    return [crawl for crawl in crawls if with_deleted or crawl.state != "deleted"]


def _crawl(name: str, fields: dict[bytes, bytes]) -> StoredCrawl:
    is_readable = fields.get(b"layout") == str(LAYOUT).encode()
    arguments = json.loads(fields.get(b"arguments", b"{}")) if is_readable else {}
    generation, state = int(fields.get(b"generation", 0)), fields.get(b"state", b"").decode()
    return StoredCrawl(name, generation, state, arguments, is_readable)


def overviews(
    calls: RedisCalls, crawls: Sequence[StoredCrawl], seconds: float
) -> list[CrawlOverview]:
    """Read the figures of crawls; pages per second are those of ``seconds`` if anybody works."""
    read = [_read(calls, crawl) for crawl in crawls]
    if seconds <= 0 or not any(overview.workers for overview, _ in read):
        return [overview for overview, _ in read]
    time.sleep(seconds)
    return [_with_rate(calls, crawl, *before) for crawl, before in zip(crawls, read, strict=True)]


def find_url(calls: RedisCalls, crawl: StoredCrawl, key: int, host: str) -> FoundUrl | None:
    """Look a URL up in the shard of its host, or in all: a request may have been given another host."""
    reader = ShardReader(calls, crawl.keys)
    for place in (host, None):
        if state := reader.known([key], {} if place is None else {key: place}).get(key):
            return FoundUrl(crawl, state, reader.explain(key, place))
    return None


def _read(calls: RedisCalls, crawl: StoredCrawl) -> tuple[CrawlOverview, float]:
    """Return the figures of a crawl, and when its pages were counted."""
    keys = crawl.keys
    clock, registered, *found = calls.run(
        [
            Call(keys.workers, ("TIME",)),
            Call(keys.workers, ("ZRANGE", keys.workers, 0, -1, "WITHSCORES")),
            *(call for shard in range(keys.shards) for call in _shard_calls(keys.shard(shard))),
        ]
    )
    owners, unfinished, leases, inboxes, outcomes = (
        found[start::_FACTS] for start in range(_FACTS)
    )
    workers = _workers(clock[0] + clock[1] / 1e6, registered, owners)
    leased, ended = sum(leases), _ended(outcomes)
    overview = CrawlOverview(
        name=crawl.name,
        generation=crawl.generation,
        state=crawl.state,
        arguments=crawl.arguments,
        workers=workers,
        free_shards=keys.shards - sum(workers.values()),
        # The sums are those of one moment for each shard only.
        waiting=max(0, sum(int(number or 0) for number in unfinished) - leased),
        leased=leased,
        done=ended["d"],
        failed=ended["f"],
        dropped=ended["x"],
        inbox_batches=sum(inboxes),
    )
    return overview, time.monotonic()


def _shard_calls(shard: str) -> list[Call]:
    commands = (
        ("GET", f"{shard}:owner"),
        ("HGET", f"{shard}:facts", "unfinished"),
        ("HLEN", f"{shard}:leases"),
        ("XLEN", f"{shard}:inbox"),
        ("HGETALL", f"{shard}:outcomes"),
    )
    return [Call(shard, command) for command in commands]


def _workers(
    now: float, registered: Sequence[bytes], owners: Sequence[bytes | None]
) -> dict[str, int]:
    """Return the number of owned shards by living worker; the set may still hold dead ones."""
    shards = Counter(owner.decode().rsplit(" ", 1)[0] for owner in owners if owner)
    until = zip(registered[::2], registered[1::2], strict=True)
    living = sorted(name.decode() for name, end in until if float(end) > now)
    return {name: shards[name] for name in living}


def _ended(outcomes: Sequence[dict[bytes, bytes]]) -> Counter[str]:
    """Return the number of URLs by the letter of their state."""
    ended: Counter[str] = Counter()
    for of_shard in outcomes:
        for name, number in of_shard.items():
            ended[name[:1].decode()] += int(number)
    return ended


def _with_rate(
    calls: RedisCalls, crawl: StoredCrawl, before: CrawlOverview, since: float
) -> CrawlOverview:
    after, now = _read(calls, crawl)
    pages = after.done + after.failed - before.done - before.failed
    return replace(after, pages_per_second=max(0.0, pages / (now - since)))
