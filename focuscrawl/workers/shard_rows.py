"""Rows of the URLs of a shard as they are stored, and what is read from them."""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import chain
from typing import Any, NamedTuple

from focuscrawl.frontier.frontier_entries import (
    RUNS_LEFT_OUT,
    Candidate,
    Counts,
    Ended,
    Explanation,
    HostCounts,
    Lease,
    Outcome,
    Source,
    State,
    Waiting,
    payload_text,
    read_payload,
    storable,
)
from focuscrawl.frontier.frontier_protocol import UNKNOWN, Hosts
from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import Call, RedisCalls

_HEAD = struct.Struct("<dddBHB")
_TEXT = struct.Struct("<I")
_SHORT_TEXT = struct.Struct("<H")
_CHANGE = struct.Struct("<Bdd")
_KEY_BITS = 64
_STATES = (State.WAITING, State.WAITING, State.LEASED, State.DONE, State.FAILED, State.DROPPED)
_DELAYED = 1
NUMBER_OF = {state: number for number, state in enumerate(_STATES)} | {State.WAITING: 0}
"""Number of each state in a row."""


class LinkResult(IntEnum):
    """Effect of a pushed link."""

    FINAL = 0
    KNOWN = 1
    RAISED = 2
    RAISED_DELAYED = 3
    NEW = 4
    NEW_DELAYED = 5


def key_bytes(key: int) -> bytes:
    """Return the name of a URL in the hash of its shard."""
    return key.to_bytes(8, "big", signed=True)


def seq_of(arrival: float, key: bytes) -> int:
    """Return a number that sorts URLs by arrival and names their key."""
    return int(arrival) << _KEY_BITS | int.from_bytes(key, "big")


def key_in(seq: int) -> bytes:
    """Return the key in such a number."""
    return (seq & ((1 << _KEY_BITS) - 1)).to_bytes(8, "big")


def place_of(member: bytes, negated: float) -> Place:
    """Return the place of a member of a host's queue and its negated score."""
    return (negated, int.from_bytes(member, "big"))


def state_of(number: int) -> State:
    """Return the state that a row or script gives as a number."""
    return _STATES[number]


class ShardRow(NamedTuple):
    """A URL that waits, is leased, or has ended lately."""

    key: int
    seq: int
    score: float
    due: float | None
    outcome: Outcome
    tries: int
    lost: int
    host: str
    url: str
    sources: str
    payload: str

    @classmethod
    def read(cls, key: bytes, text: bytes) -> ShardRow:
        """Read a row."""
        score, arrival, due, state, tries, lost = _HEAD.unpack_from(text)
        at = _HEAD.size
        texts = []
        for size in (_SHORT_TEXT, _TEXT, _SHORT_TEXT, _TEXT, _TEXT):
            (length,) = size.unpack_from(text, at)
            at += size.size
            texts.append(text[at : at + length].decode())
            at += length
        host, url, reason, sources, payload = texts
        return cls(
            int.from_bytes(key, "big", signed=True), seq_of(arrival, key), score,
            due if state == _DELAYED else None, Outcome(_STATES[state], reason), tries, lost,
            host, url, sources, payload,
        )  # fmt: skip

    def lease(self) -> Lease:
        """Return the lease of the URL."""
        payload = read_payload(self.payload)
        return Lease(
            self.key, self.url, self.host, self.score, payload, self.seq, self.tries, self.lost
        )

    def explanation(self) -> Explanation:
        """Return all data about the URL."""
        sources = [Source(url, score) for url, score in json.loads(self.sources)]
        return Explanation(
            self.url, self.host, self.outcome, self.score, read_payload(self.payload), self.due,
            self.tries, self.lost, sources,
        )  # fmt: skip


class RowChange(NamedTuple):
    """A waiting URL as it was before a change; one that ``is_queued`` is not delayed."""

    key: int
    host: str
    is_queued: bool
    place: Place


def read_changes(reply: Sequence[bytes]) -> Iterator[RowChange]:
    """Read triples of key, host, and packed place."""
    for key, host, packed in zip(reply[::3], reply[1::3], reply[2::3], strict=True):
        is_queued, score, arrival = _CHANGE.unpack(packed)
        number = int.from_bytes(key, "big", signed=True)
        yield RowChange(number, host.decode(), bool(is_queued), place(score, seq_of(arrival, key)))


class PushedLink(NamedTuple):
    """A pushed link; ``before`` is the score of its target until then."""

    result: LinkResult
    key: int
    host: str
    seq: int
    score: float
    before: float
    due: float | None

    @classmethod
    def read(cls, packed: bytes, link: Candidate) -> PushedLink:
        """Read the result of a link."""
        code, before, arrival = _CHANGE.unpack(packed)
        seq = seq_of(arrival, key_bytes(link.key))
        host, score = storable(link.host), float(link.score)
        return cls(LinkResult(code), link.key, host, seq, score, before, link.not_before)


def link_words(link: Candidate, page: str, arrival: int) -> tuple[Any, ...]:
    """Return the arguments of a link in ``push_links.lua``; ``page`` is "" for a seed."""
    return (
        key_bytes(link.key),
        storable(link.host),
        storable(link.url),
        repr(float(link.score)),
        repr(round(float(link.score), 4)),
        payload_text(link.payload),
        "" if link.not_before is None else repr(float(link.not_before)),
        storable(page),
        arrival,
    )


_BATCH = 1000
# Shards that are read together: each call of its own costs a round trip.
_SHARDS = 32
_LETTERS = ("w", "l", "d", "f", "x")
_STATE_OF = {"d": State.DONE, "f": State.FAILED, "x": State.DROPPED}


class ShardReader:
    """Reads any shard, owned or not; a crawl may be writing to it."""

    def __init__(self, calls: RedisCalls, keys: CrawlKeys) -> None:
        self._calls = calls
        self._keys = keys

    def known(self, keys: Iterable[int], hosts: Hosts) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""
        return self.look_up(keys, hosts, ())[0]

    def look_up(
        self, keys: Iterable[int], hosts: Hosts, counted: Sequence[str]
    ) -> tuple[dict[int, State], dict[str, HostCounts]]:
        """Return states of URLs, as :meth:`known` does, and counts of hosts, in one round trip."""
        shards = self.by_shard(keys, hosts)
        calls = [
            Call.of("states", self._keys.shard(shard), *map(key_bytes, found))
            for shard, found in shards.items()
        ]
        for host in map(storable, counted):
            key = f"{self._keys.shard(self._keys.shard_of(host))}:hosts"
            calls.append(Call(key, ("HMGET", key, *(f"{letter}{host}" for letter in _LETTERS))))
        replies = self._calls.run(calls)
        states = {
            key: state_of(number)
            for found, numbers in zip(shards.values(), replies[: len(shards)], strict=True)
            for key, number in zip(found, numbers, strict=True)
            if number >= 0
        }
        counts = zip(counted, map(_host_counts, replies[len(shards) :]), strict=True)
        return states, dict(counts)

    def by_shard(self, keys: Iterable[int], hosts: Hosts) -> dict[int, list[int]]:
        """Group keys by the shard of their host; those of unknown hosts are in every group."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for key in keys:
            host = hosts.get(key)
            if host is not None:
                found[self._keys.shard_of(storable(host))].append(key)
                continue
            for shard in range(self._keys.shards):
                found[shard].append(key)
        return dict(found)

    def batches(self, keys: Iterable[int], hosts: Hosts) -> Iterator[dict[int, list[int]]]:
        """Yield keys by shard, up to 1,000 of each at a time."""
        shards = self.by_shard(keys, hosts)
        for start in range(0, max(map(len, shards.values()), default=0), _BATCH):
            yield {
                shard: batch
                for shard, found in shards.items()
                if (batch := found[start : start + _BATCH])
            }

    def counts(self, hosts: Iterable[str] | None) -> Counts:
        """Count by state for the given hosts, or for all hosts and outcomes."""
        if hosts is None:
            return self._counts_of_all()
        return Counts(self.look_up((), UNKNOWN, list(hosts))[1], {})

    def each_waiting(self, shards: Sequence[int]) -> Iterator[Waiting]:
        """Stream the waiting URLs of shards, those of each in order of arrival."""
        for start in range(0, len(shards), _SHARDS):
            group = shards[start : start + _SHARDS]
            names = self._of_each(group, "hosts", "HKEYS")
            yield from self._waiting(
                {
                    shard: [name[1:].decode() for name in found if name[:1] == b"w"]
                    for shard, found in zip(group, names, strict=True)
                }
            )

    def each_waiting_of(self, host: str) -> Iterator[Waiting]:
        """Stream the waiting URLs of one host in order of arrival."""
        waiting = self._waiting({self._keys.shard_of(host): [host]})
        return (entry for entry in waiting if entry.host == host)

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed lately, in order of arrival in each shard."""
        for shard in range(self._keys.shards):
            keys = self._do(shard, "recent", "LRANGE", 0, -1)
            rows = self._rows_of((shard, key) for key in keys).get(shard, ())
            for row in sorted(rows, key=lambda row: row.seq):
                if row.outcome.state in (State.DONE, State.FAILED):
                    yield Ended(row.url, row.host, row.outcome, read_payload(row.payload))

    def explain(self, key: int, host: str | None = None) -> Explanation | None:
        """Return all data about a URL, None if it is unknown or ended long ago.

        Without its host, all shards are asked.
        """
        name = key_bytes(key)
        shards = self.by_shard([key], {} if host is None else {key: host})
        keys = [f"{self._keys.shard(shard)}:urls" for shard in shards]
        texts = self._calls.run([Call(urls, ("HGET", urls, name)) for urls in keys])
        text = next(filter(None, texts), None)
        return ShardRow.read(name, text).explanation() if text else None

    def is_over(self) -> bool:
        """Return whether no URL waits or is leased, and no link is on its way.

        A link leaves an inbox only by becoming a waiting URL, and a waiting URL adds links only by
        ending. So if none ended while inboxes and shards were read in this order, none was missed.
        A shard without an epoch was not claimed so far, or has lost its data.
        """
        ended = self._facts("ended")
        is_empty = not any(self._of_each(range(self._keys.shards), "inbox", "XLEN"))
        return (
            is_empty
            and not any(self._facts("unfinished"))
            and self._facts("ended") == ended
            and all(self._facts("epoch"))
        )

    def unfinished(self) -> list[int]:
        """Return the number of waiting and leased URLs of each shard."""
        return self._facts("unfinished")

    def _facts(self, name: str) -> list[int]:
        found = self._of_each(range(self._keys.shards), "facts", "HGET", name)
        return [int(number or 0) for number in found]

    def _waiting(self, hosts: Mapping[int, Sequence[str]]) -> Iterator[Waiting]:
        """Stream the waiting URLs of some hosts by shard, and all delayed ones of these shards."""
        ranked = [
            (shard, rank[8:]) for shard, found in self._ranks(hosts).items() for rank in found
        ]
        for start in range(0, len(ranked), _BATCH):
            for row in chain.from_iterable(self._rows_of(ranked[start : start + _BATCH]).values()):
                if row.outcome.state is State.WAITING:
                    payload = read_payload(row.payload)
                    yield Waiting(row.key, row.url, row.host, row.score, payload)

    def _ranks(self, hosts: Mapping[int, Sequence[str]]) -> dict[int, list[bytes]]:
        """Return the arrivals and keys of waiting URLs by shard, in order of arrival."""
        ranks: dict[int, list[bytes]] = {shard: [] for shard in hosts}
        queues = [
            (shard, self._keys.queue(shard, host)) for shard in hosts for host in hosts[shard]
        ]
        keys = [key for _, key in queues] + [f"{self._keys.shard(shard)}:due" for shard in hosts]
        found = self._calls.run([Call(key, ("ZRANGE", key, 0, -1)) for key in keys])
        for (shard, _), members in zip(queues, found, strict=False):
            ranks[shard] += members
        delayed = found[len(queues) :]
        rows = self._rows_of(
            [(shard, key) for shard, keys in zip(hosts, delayed, strict=True) for key in keys]
        )
        for shard, found in ranks.items():
            found += [row.seq.to_bytes(16, "big") for row in rows.get(shard, ())]
            found.sort()
        return ranks

    def _rows_of(self, keys: Iterable[tuple[int, bytes]]) -> dict[int, list[ShardRow]]:
        """Return the rows of URLs by shard, in the order given, in one round trip."""
        wanted: defaultdict[int, list[bytes]] = defaultdict(list)
        for shard, key in keys:
            wanted[shard].append(key)
        names = [f"{self._keys.shard(shard)}:urls" for shard in wanted]
        texts = self._calls.run(
            [
                Call(name, ("HMGET", name, *own))
                for name, own in zip(names, wanted.values(), strict=True)
            ]
        )
        return {
            shard: [ShardRow.read(key, text) for key, text in zip(own, found, strict=True) if text]
            for (shard, own), found in zip(wanted.items(), texts, strict=True)
        }

    def _of_each(
        self, shards: Sequence[int], name: str, command: str, *arguments: Any
    ) -> list[Any]:
        keys = [f"{self._keys.shard(shard)}:{name}" for shard in shards]
        return self._calls.run([Call(key, (command, key, *arguments)) for key in keys])

    def _do(self, shard: int, name: str, command: str, *arguments: Any) -> Any:
        key = f"{self._keys.shard(shard)}:{name}"
        return self._calls.one(key, command, key, *arguments)

    def _counts_of_all(self) -> Counts:
        shards = [self._keys.shard(shard) for shard in range(self._keys.shards)]
        names = [f"{shard}:hosts" for shard in shards] + [f"{shard}:outcomes" for shard in shards]
        found = self._calls.run([Call(name, ("HGETALL", name)) for name in names])
        hosts: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        for name, number in _pairs(found[: len(shards)]):
            hosts[name[1:]][name[0]] = number
        outcomes: defaultdict[Outcome, int] = defaultdict(int)
        for name, number in _pairs(found[len(shards) :]):
            outcomes[Outcome(_STATE_OF[name[0]], name[1:])] += int(number)
        by_host = {
            host: _host_counts([numbers.get(letter) for letter in _LETTERS])
            for host, numbers in hosts.items()
        }
        return Counts(by_host, dict(outcomes))


def _pairs(replies: Iterable[Mapping[bytes, bytes]]) -> Iterator[tuple[str, bytes]]:
    for reply in replies:
        for name, number in reply.items():
            yield name.decode(), number


def _host_counts(numbers: Sequence[bytes | None]) -> HostCounts:
    waiting, leased, done, failed, dropped = (int(number or 0) for number in numbers)
    return HostCounts(waiting - leased, leased, done, failed, dropped)


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
