"""Rows of URLs and results of scripts, as the Lua scripts pack them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from focuscrawl.frontier.frontier_entries import (
    Candidate,
    Explanation,
    Lease,
    Outcome,
    Source,
    State,
    payload_text,
    read_payload,
    storable,
)
from focuscrawl.frontier.host_queue import Place, place

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


class Row(NamedTuple):
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
    def read(cls, key: bytes, text: bytes) -> Row:
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


class Change(NamedTuple):
    """A waiting URL as it was before a change; one that ``is_queued`` is not delayed."""

    key: int
    host: str
    is_queued: bool
    place: Place


def read_changes(reply: Sequence[bytes]) -> Iterator[Change]:
    """Read triples of key, host, and packed place."""
    for key, host, packed in zip(reply[::3], reply[1::3], reply[2::3], strict=True):
        is_queued, score, arrival = _CHANGE.unpack(packed)
        number = int.from_bytes(key, "big", signed=True)
        yield Change(number, host.decode(), bool(is_queued), place(score, seq_of(arrival, key)))


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
