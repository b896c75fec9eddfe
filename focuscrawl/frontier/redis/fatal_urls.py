"""Pages that kill workers, left out by the next generations of a crawl."""

from __future__ import annotations

from itertools import chain

from focuscrawl.frontier.frontier_entries import RUNS_LEFT_OUT
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import Call, RedisCalls
from focuscrawl.frontier.redis.shard_rows import key_bytes

FATAL_URLS = "fatal"


def carry_fatal_urls(calls: RedisCalls, before: CrawlKeys, keys: CrawlKeys) -> None:
    """Leave out the pages that have killed workers of an earlier generation, or were left out by it.

    Those that were only lost with a worker have ended since then: a generation ends when nothing waits.
    A page that ``RUNS_LEFT_OUT`` generations have left out is tried again.
    """
    found: dict[int, tuple[int, str]] = {}
    for urls in calls.run([Call(name, ("HGETALL", name)) for name in _hashes(before)]):
        found |= _read(urls)
    kept = {key: f"{runs + 1} {url}" for key, (runs, url) in found.items() if runs < RUNS_LEFT_OUT}
    if kept:
        key = keys.of_all(FATAL_URLS)
        words = chain.from_iterable((key_bytes(number), text) for number, text in kept.items())
        calls.one(key, "HSET", key, *words)


def fatal_urls(calls: RedisCalls, keys: CrawlKeys) -> dict[int, str]:
    """Return the URLs by key that a generation leaves out since its beginning."""
    key = keys.of_all(FATAL_URLS)
    return {number: url for number, (_, url) in _read(calls.one(key, "HGETALL", key)).items()}


def forgive(calls: RedisCalls, keys: CrawlKeys) -> int:
    """Let the next generation try the pages that are left out; return their number."""
    names = _hashes(keys)
    count = sum(calls.run([Call(name, ("HLEN", name)) for name in names]))
    calls.run([Call(name, ("UNLINK", name)) for name in names])
    return count


def _hashes(keys: CrawlKeys) -> list[str]:
    shards = [f"{keys.shard(shard)}:{FATAL_URLS}" for shard in range(keys.shards)]
    return [keys.of_all(FATAL_URLS), *shards]


def _read(urls: dict[bytes, bytes]) -> dict[int, tuple[int, str]]:
    """Return the generations that have left a URL out, and the URL, by key."""
    found = {}
    for key, text in urls.items():
        # Those of a shard have no number; a URL may have blanks, but does not begin with a digit.
        runs, _, url = text.decode().partition(" ")
        entry = (int(runs), url) if runs.isdigit() else (0, text.decode())
        found[int.from_bytes(key, "big", signed=True)] = entry
    return found
