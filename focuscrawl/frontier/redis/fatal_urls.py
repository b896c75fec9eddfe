"""Pages that kill workers, left out by all later generations of a crawl."""

from __future__ import annotations

from itertools import chain

from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import Call, RedisCalls
from focuscrawl.frontier.redis.shard_rows import key_bytes

FATAL_URLS = "fatal"


def carry_fatal_urls(calls: RedisCalls, before: CrawlKeys, keys: CrawlKeys) -> None:
    """Leave out the pages that have killed workers of an earlier generation, or were left out by it.

    Those that were only lost with a worker have ended since then: a generation ends when nothing waits.
    """
    found = fatal_urls(calls, before)
    names = [f"{before.shard(shard)}:{FATAL_URLS}" for shard in range(before.shards)]
    for urls in calls.run([Call(name, ("HGETALL", name)) for name in names]):
        found |= _read(urls)
    if found:
        key = keys.of_all(FATAL_URLS)
        words = chain.from_iterable((key_bytes(number), url) for number, url in found.items())
        calls.one(key, "HSET", key, *words)


def fatal_urls(calls: RedisCalls, keys: CrawlKeys) -> dict[int, str]:
    """Return the URLs by key that a generation leaves out since its beginning."""
    key = keys.of_all(FATAL_URLS)
    return _read(calls.one(key, "HGETALL", key))


def _read(urls: dict[bytes, bytes]) -> dict[int, str]:
    return {int.from_bytes(key, "big", signed=True): url.decode() for key, url in urls.items()}
