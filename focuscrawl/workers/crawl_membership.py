"""Membership of a worker in a crawl: a crawl goes on until nothing waits, whoever works on it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.system.processes import process_name
from focuscrawl.workers.crawl_keys import CRAWLS, LAYOUT, CrawlKeys
from focuscrawl.workers.redis_calls import Call, RedisCalls, connect
from focuscrawl.workers.redis_frontier import RedisFrontier
from focuscrawl.workers.shard_rows import FATAL_URLS, ShardReader, carry_fatal_urls


def open_crawl(
    address: str,
    crawl: str,
    *,
    arguments: Mapping[str, Any],
    slots: int,
    lease_seconds: float = 30.0,
    follows_best: bool = False,
    claim_pause: float = 0.0,
    lasting: str | None = None,
) -> RedisFrontier:
    """Join a crawl on a server as a worker, or begin it.

    A crawl in which nothing waits begins again, unless workers are at work. Raises
    :class:`~focuscrawl.errors.FrontierError` if workers with other ``arguments`` are at work, or for a
    crawl of another version.
    """
    calls, worker = connect(address), worker_id()
    try:
        keys = join(calls, crawl, arguments, worker, lease_seconds)
        return RedisFrontier(
            calls,
            keys,
            worker,
            slots=slots,
            lease_seconds=lease_seconds,
            follows_best=follows_best,
            claim_pause=claim_pause,
            lasting=lasting,
        )
    except BaseException as error:
        if not isinstance(error, FrontierUnavailableError):
            _withdraw(calls, crawl, worker)
        calls.close()
        raise


def _withdraw(calls: RedisCalls, crawl: str, worker: str) -> None:
    """Remove a worker that could not start: it would count as living for a while."""
    # A full server registers a worker, and refuses other calls.
    with suppress(FrontierError):
        calls.run([Call.of("leave_crawl", CrawlKeys(crawl).crawl, worker, 0, 0)])


def worker_id() -> str:
    """Return a name for this worker that no other has: machine, process, and a random part."""
    return f"{process_name()}:{secrets.token_hex(2)}"


def join(
    calls: RedisCalls, crawl: str, arguments: Mapping[str, Any], worker: str, lease_seconds: float
) -> CrawlKeys:
    """Return the keys of the generation of the crawl that goes on or begins; see :func:`open_crawl`."""
    own = json.dumps(dict(arguments), sort_keys=True, default=str)
    name = CrawlKeys(crawl).crawl
    over = _generation_without_urls(calls, crawl)
    listed = Call(CRAWLS, ("SADD", CRAWLS, crawl))
    mark = secrets.token_hex(8)
    call = Call.of("join_crawl", name, LAYOUT, own, worker, lease_seconds, over, mark)
    generation, theirs, layout, living, ended, mark = calls.run([listed, call])[1]
    if not generation:
        raise FrontierError(
            f"the key {name} at {calls.address} was deleted while {living} workers crawl; "
            "they write it again within seconds: start once more"
        )
    if int(layout) != LAYOUT:
        raise FrontierError(
            f"the crawl {crawl} at {calls.address} was written by another version of focuscrawl (layout "
            f"{int(layout)}, not {LAYOUT}); finish it with that version, or delete its keys {name}* and {name[:-1]}/*"
        )
    if theirs.decode() != own:
        raise FrontierError(
            f"{living} workers crawl {crawl} at {calls.address} with other arguments "
            f"({_difference(own, theirs.decode())}); give the same, or wait until they have ended"
        )
    keys = CrawlKeys(crawl, generation, mark=mark)
    for earlier in ended:
        before = CrawlKeys(crawl, int(earlier))
        carry_fatal_urls(calls, before, keys)
        delete_generation(calls, before)
    return keys


def _generation_without_urls(calls: RedisCalls, crawl: str) -> int:
    """Return the generation of the crawl if no URL waits in it, otherwise 0."""
    key = CrawlKeys(crawl).crawl
    generation = int(calls.one(key, "HGET", key, "generation") or 0)
    is_over = generation and ShardReader(calls, CrawlKeys(crawl, generation)).is_over()
    return generation if is_over else 0


def delete_generation(calls: RedisCalls, keys: CrawlKeys) -> None:
    """Delete the keys of an earlier generation; who joins next goes on if this worker dies."""
    calls.run([Call.of("delete_shard", keys.shard(shard)) for shard in range(keys.shards)])
    calls.one(keys.crawl, "UNLINK", *map(keys.of_all, SHARED))
    calls.one(keys.ended, "SREM", keys.ended, keys.generation)


def delete_crawl(calls: RedisCalls, crawl: str) -> None:
    """Delete the keys of all generations of a crawl, except for the number of the last one.

    Raises :class:`~focuscrawl.errors.FrontierError` if workers are at work. If this process dies, the next
    start of the crawl or of this deletion finishes it.
    """
    living, ended = calls.run([Call.of("delete_crawl", CrawlKeys(crawl).crawl)])[0]
    if living:
        raise FrontierError(
            f"{living} workers crawl {crawl} at {calls.address}; stop them first (a killed worker counts as "
            "living for 30 seconds)"
        )
    for number in ended:
        delete_generation(calls, CrawlKeys(crawl, int(number)))


SHARED = ("mark", "arrivals", "best", "counts", "pages", "learned", FATAL_URLS)
"""Names of what the workers of a generation share."""


def _difference(own: str, theirs: str) -> str:
    mine, others = json.loads(own), json.loads(theirs)
    names = sorted(mine.keys() | others.keys())
    return ", ".join(
        f"{name}={others.get(name)} there, {mine.get(name)} here"
        for name in names
        if mine.get(name) != others.get(name)
    )
