"""Records of a frontier: candidates, leases, outcomes, counts."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from math import isfinite
from typing import Any, NamedTuple, Self

_ENCODER = json.JSONEncoder(separators=(",", ":"))


class State(StrEnum):
    """How far a URL has come: waiting → leased → one of the other three, which are final."""

    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    DROPPED = "dropped"


class Outcome(NamedTuple):
    """What became of a URL, and why; the reason is counted."""

    state: State
    reason: str = ""


DONE = Outcome(State.DONE)
KILLER = Outcome(State.FAILED, "kills the crawler")
MOST_LOST = 3
"""How often a run may die while a page alone is processed; then the page is a ``KILLER``."""
DAMAGED_ROW = Outcome(State.FAILED, "damaged row")
DAMAGED: dict[str, Any] = {"_damaged": True}
"""The payload of a URL whose row a fault of the disk has damaged."""


def failed(reason: str) -> Outcome:
    """Return the outcome of a URL that could not be fetched, ``404`` say."""
    return Outcome(State.FAILED, reason)


def dropped(reason: str) -> Outcome:
    """Return the outcome of a URL that a policy does not want, ``blacklist`` say."""
    return Outcome(State.DROPPED, reason)


def key_of(url: str | bytes) -> int:
    """Return the 64-bit number (signed) of a canonical URL or of a request's fingerprint.

    Among ten million URLs the odds of any two sharing a number are 1 to 370,000.
    """
    data = url.encode("utf-8", "replace") if isinstance(url, str) else url
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


class Candidate(NamedTuple):
    """A URL that a link leads to, or a seed.

    ``key`` tells URLs apart. ``host`` is whatever shares download slots. ``score`` is any finite
    number, log-odds where the rule is noisy-or. ``payload`` is a small JSON object and comes back
    with the lease. Before ``not_before`` (seconds, the clock is the caller's) it is not leased.
    """

    key: int
    url: str
    host: str
    score: float = 0.0
    payload: Mapping[str, Any] = {}
    not_before: float | None = None

    @classmethod
    def of(cls, url: str, host: str, score: float = 0.0, **payload: Any) -> Self:
        """Return a candidate whose key is that of its URL."""
        return cls(key_of(url), url, host, score, payload)


class Lease(NamedTuple):
    """A URL on its way out.

    ``seq`` is its number in order of arrival. ``tries`` counts the retries before. ``lost`` is 0, or
    1 plus the number of times that the run died while this page alone was out and being processed:
    see :func:`allowed_together`.
    """

    key: int
    url: str
    host: str
    score: float
    payload: dict[str, Any]
    seq: int
    tries: int = 0
    lost: int = 0


def allowed_together(found: Sequence[Lease], *, are_others_out: bool) -> Sequence[Lease]:
    """Return the first of some leases that may be out at a time.

    A run that dies takes up to ``CONCURRENT_REQUESTS`` pages with it, and the next run leases the
    same ones first: to count losses would fail all of them for the fault of one. So a page that was
    lost once is a suspect, and goes out alone; only there a loss is counted, and only if its answer
    had come. A user who kills the crawler by hand hits a page in these few milliseconds by chance, but
    hardly the same one ``MOST_LOST`` times.
    """
    for number, lease in enumerate(found):
        if lease.lost:
            return found[:1] if number == 0 and not are_others_out else found[:number]
    return found


class Ack(NamedTuple):
    """The end of a lease: the links found on the page, and what became of it."""

    lease: Lease
    links: Sequence[Candidate] = ()
    outcome: Outcome = DONE


class Pushed(NamedTuple):
    """How many candidates of a batch were new, raised a waiting URL, or changed nothing of its rank."""

    new: int = 0
    raised: int = 0
    known: int = 0


class Waiting(NamedTuple):
    """A URL that waits, as whoever scores it anew needs it."""

    key: int
    url: str
    host: str
    score: float
    payload: dict[str, Any]


class Ended(NamedTuple):
    """A URL that is done or has failed, as whoever learns from the crawl needs it."""

    url: str
    host: str
    outcome: Outcome
    payload: dict[str, Any]


class Source(NamedTuple):
    """A link that counted for a URL's score: the page it stands on, empty for a seed."""

    url: str
    score: float


class Explanation(NamedTuple):
    """All that a frontier knows of a URL; ``sources`` are the best few links to it, best first."""

    url: str
    host: str
    outcome: Outcome
    score: float
    payload: dict[str, Any]
    not_before: float | None
    tries: int
    lost: int
    sources: list[Source]


class HostCounts(NamedTuple):
    """How many URLs of a host are in each state."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0
    dropped: int = 0


class Counts(NamedTuple):
    """How many URLs are in each state by host, and how many ended how."""

    hosts: dict[str, HostCounts]
    outcomes: dict[Outcome, int]

    def total(self) -> HostCounts:
        """Return the sums over all hosts."""
        return HostCounts(*map(sum, zip(*self.hosts.values(), strict=True)))


class NotLeasedError(LookupError):
    """A lease that is not out: it has ended already, or went back when its run was dead."""


def check_acks(acks: Sequence[Ack], leased: Container[int]) -> None:
    """Raise :class:`NotLeasedError` unless each lease is out, and ends once in a final state."""
    ended: set[int] = set()
    for lease, _, outcome in acks:
        if outcome.state in {State.WAITING, State.LEASED}:
            raise ValueError(f"no end of a lease: {outcome.state}")
        if lease.seq not in leased or lease.seq in ended:
            raise NotLeasedError(f"not leased: {lease.url}")
        ended.add(lease.seq)


def check_scores(scores: Iterable[float]) -> None:
    """Raise ``ValueError`` for scores that have no place in an order."""
    for score in scores:
        if not isfinite(score):
            raise ValueError(f"no score: {score}")


def read_payload(text: str) -> dict[str, Any]:
    """Return the payload of a text; :data:`DAMAGED` where it is no whole JSON object."""
    try:
        payload = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return DAMAGED
    # The encoder writes ASCII: this stands where bytes were no text.
    is_whole = isinstance(payload, dict) and "\ufffd" not in text
    return payload if is_whole else DAMAGED


def payload_text(payload: Mapping[str, Any]) -> str:
    """Return a payload as JSON."""
    return _ENCODER.encode(payload)


def storable(text: str) -> str:
    """Return text that every store takes: halves of surrogate pairs become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
