"""Delivery of links to shards: pushed if this worker owns the shard, else sent to its inbox."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from focuscrawl.frontier.frontier_entries import Candidate, storable
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import Call, FencedError, RedisCalls
from focuscrawl.frontier.redis.shard_ownership import ShardOwnership
from focuscrawl.frontier.redis.shard_rows import PushedLink, link_words

_NUMBERS = 1000
_BATCH = 500
_INBOX_BATCH = 20
# Received in one go, which keeps the worker from renewing its leases: less than a second.
_MOST_LINKS = 10_000


class FoundLink(NamedTuple):
    """A candidate, and the URL of the page with the link ("" for a seed)."""

    candidate: Candidate
    page: str


class _Batch(NamedTuple):
    """Links to one shard, with their numbers of arrival, and the inbox entries they came from."""

    shard: int
    links: Sequence[tuple[FoundLink, int]]
    entries: Sequence[bytes] = ()


class LinkDelivery:
    """Pushes links to owned shards, sends the others, and pushes what other workers have sent."""

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, ownership: ShardOwnership) -> None:
        self._calls = calls
        self._keys = keys
        self._ownership = ownership
        self._numbers: Iterator[int] = iter(())

    def deliver(self, links: Sequence[FoundLink]) -> list[PushedLink]:
        """Deliver links; return those that were pushed, in their order."""
        shards: defaultdict[int, list[tuple[FoundLink, int]]] = defaultdict(list)
        for link in links:
            # Numbers follow the order of arrival, so that equal scores are first in, first out.
            shards[self._shard_of(link)].append((link, self._number()))
        batches = [
            _Batch(shard, found[start : start + _BATCH])
            for shard, found in shards.items()
            for start in range(0, len(found), _BATCH)
        ]
        own = [batch for batch in batches if batch.shard in self._ownership.owned]
        pushed = self._push(own)
        foreign = [batch for batch in batches if batch.shard not in self._ownership.owned]
        self._send(foreign)
        return pushed

    def receive(self) -> list[PushedLink]:
        """Push the links that other workers have sent to owned shards, the rest of many in later calls."""
        pushed: list[PushedLink] = []
        shards = list(self._ownership.staying)
        while shards and len(pushed) < _MOST_LINKS:
            batches = self._read_inboxes(shards)
            found = self._push(batches)
            pushed += found
            # Links without a result stay where they are: the shard belongs to another worker by now.
            shards = [batch.shard for batch in batches if len(batch.entries) == _INBOX_BATCH]
            if not found:
                break
        return pushed

    def _read_inboxes(self, shards: Sequence[int]) -> list[_Batch]:
        keys = [self._inbox(shard) for shard in shards]
        found = self._calls.run(
            [Call(key, ("XRANGE", key, "-", "+", "COUNT", _INBOX_BATCH)) for key in keys]
        )
        batches = []
        for shard, entries in zip(shards, found, strict=True):
            links = [_read(row) for _, fields in entries for row in json.loads(fields[b"links"])]
            if entries:
                numbered = [(link, self._number()) for link in links]
                batches.append(_Batch(shard, numbered, [entry for entry, _ in entries]))
        return batches

    def _push(self, batches: Sequence[_Batch]) -> list[PushedLink]:
        replies = self._calls.try_each([self._push_call(batch) for batch in batches])
        pushed: list[tuple[int, PushedLink]] = []
        lost = []
        for batch, reply in zip(batches, replies, strict=True):
            if isinstance(reply, FencedError):
                # The inbox entries are still there, for the new owner.
                lost += [] if batch.entries else [batch]
                continue
            for (link, number), packed in zip(batch.links, reply, strict=True):
                pushed.append((number, PushedLink.read(packed, link.candidate)))
        self._send(lost)
        pushed.sort(key=lambda pair: pair[0])
        return [link for _, link in pushed]

    def _push_call(self, batch: _Batch) -> Call:
        words = [word for link, number in batch.links for word in link_words(*link, arrival=number)]
        owner = self._ownership.owned[batch.shard].owner
        arguments = owner, len(batch.entries), *batch.entries, *words
        return Call.of("push_links", self._keys.shard(batch.shard), *arguments)

    def _send(self, batches: Sequence[_Batch]) -> None:
        calls = []
        for batch in batches:
            key = self._inbox(batch.shard)
            text = json.dumps([_written(link) for link, _ in batch.links])
            calls.append(Call(key, ("XADD", key, "*", "links", text)))
        self._calls.run(calls)

    def _number(self) -> int:
        number = next(self._numbers, None)
        if number is None:
            key = self._keys.of_all("arrivals")
            last = self._calls.one(key, "INCRBY", key, _NUMBERS)
            self._numbers = iter(range(last - _NUMBERS + 1, last + 1))
            number = next(self._numbers)
        return number

    def _shard_of(self, link: FoundLink) -> int:
        return self._keys.shard_of(storable(link.candidate.host))

    def _inbox(self, shard: int) -> str:
        return f"{self._keys.shard(shard)}:inbox"


def _written(link: FoundLink) -> list[object]:
    key, url, host, score, payload, not_before = link.candidate
    return [key, storable(url), storable(host), float(score), dict(payload), not_before, link.page]


def _read(row: list[object]) -> FoundLink:
    *candidate, page = row
    return FoundLink(Candidate(*candidate), str(page))  # type: ignore[arg-type]
