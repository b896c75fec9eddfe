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
    """State of a URL: waiting → leased → one of the other three, which are final."""

    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    DROPPED = "dropped"


class Outcome(NamedTuple):
    """Final state of a URL and its reason; outcomes are counted by reason."""

    state: State
    reason: str = ""


DONE = Outcome(State.DONE)
FATAL = Outcome(State.FAILED, "kills the crawler")
MOST_LOST = 3
"""Number of times that a run may die while it reads a page alone; then the page is a ``FATAL``."""
RUNS_LEFT_OUT = 7
"""Number of runs that leave out a ``FATAL``; then it is tried again, and fails at the next loss."""
DAMAGED_ROW = Outcome(State.FAILED, "damaged row")
DAMAGED: dict[str, Any] = {"_damaged": True}
"""The payload of a URL whose row was damaged by a fault of the disk."""


def failed(reason: str) -> Outcome:
    """Return the outcome of a URL that could not be fetched, with a reason such as ``404``."""
    return Outcome(State.FAILED, reason)


def dropped(reason: str) -> Outcome:
    """Return the outcome of a URL that a policy rejects, with a reason such as ``blacklist``."""
    return Outcome(State.DROPPED, reason)


def key_of(url: str | bytes) -> int:
    """Return a signed 64-bit hash of a canonical URL or of a request fingerprint.

    Among ten million URLs the odds of a collision are 1 to 370,000.
    """
    data = url.encode("utf-8", "replace") if isinstance(url, str) else url
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


class Candidate(NamedTuple):
    """Target of a link, or a seed.

    ``key`` identifies the URL. ``host`` names the group of URLs that share download slots. ``score`` is
    any finite number, log-odds if the rule is noisy-or. ``payload`` is a small JSON object that is
    returned with the lease. Before ``not_before`` (seconds on the caller's clock) it is not leased.
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
    """A leased URL.

    ``seq`` is its number in order of arrival, ``tries`` the number of earlier retries. ``lost`` is 0, or
    1 plus the number of times that the run died while this page alone was leased and being read:
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


def allowed_together(found: Sequence[Lease], *, are_others_leased: bool) -> Sequence[Lease]:
    """Return the first of some leases, as many as may be leased at the same time.

    A run that dies loses up to ``CONCURRENT_REQUESTS`` pages, and the next run leases the same ones
    first: counting all losses would fail all of them for the fault of one. So a page that was lost once
    is a suspect and is leased alone; only then is a loss counted, and only while the page is read, not
    while it waits for a process or a store. Whoever kills the crawler may hit a page in these few
    milliseconds by chance, but hardly the same one ``MOST_LOST`` times.
    """
    for number, lease in enumerate(found):
        if lease.lost:
            return found[:1] if number == 0 and not are_others_leased else found[:number]
    return found


def aged(lost: int) -> int:
    """Return the losses of a URL that another run leaves out; after the last it is a suspect again."""
    if lost <= MOST_LOST:
        return lost
    return lost + 1 if lost < MOST_LOST + RUNS_LEFT_OUT else MOST_LOST


class Ack(NamedTuple):
    """End of a lease: the links found on the page, and its outcome."""

    lease: Lease
    links: Sequence[Candidate] = ()
    outcome: Outcome = DONE


class Pushed(NamedTuple):
    """Number of candidates of a batch that were new, raised a waiting URL, or did not change its rank."""

    new: int = 0
    raised: int = 0
    known: int = 0

    @classmethod
    def sum_of(cls, pushed: Iterable[Self]) -> Self:
        """Return the sums of several results."""
        return cls(*map(sum, zip(*pushed, strict=True)))


class PagesLeft(NamedTuple):
    """The pages of a budget that no worker has been granted yet, and the number of living workers."""

    pages: int
    workers: int


class Waiting(NamedTuple):
    """A waiting URL, with the data needed to score it again."""

    key: int
    url: str
    host: str
    score: float
    payload: dict[str, Any]


class Ended(NamedTuple):
    """A URL that is done or has failed, with the data needed to learn from it."""

    url: str
    host: str
    outcome: Outcome
    payload: dict[str, Any]


class Source(NamedTuple):
    """A link that counted for the score of a URL: the page that has it, empty for a seed."""

    url: str
    score: float


class Explanation(NamedTuple):
    """All data of a frontier about a URL; ``sources`` are the best few links to it, best first."""

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
    """Number of URLs of a host by state."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0
    dropped: int = 0


class Counts(NamedTuple):
    """Number of URLs by host and state, and by outcome."""

    hosts: dict[str, HostCounts]
    outcomes: dict[Outcome, int]

    def total(self) -> HostCounts:
        """Return the sums over all hosts."""
        return HostCounts(*map(sum, zip(*self.hosts.values(), strict=True)))


class NotLeasedError(LookupError):
    """A lease that has ended already, or that was recovered after its run died."""


def check_acks(acks: Sequence[Ack], leased: Container[int]) -> None:
    """Raise :class:`NotLeasedError` unless each URL is leased and ends once.

    Raises ``ValueError`` for a state that is not final.
    """
    ended: set[int] = set()
    for lease, _, outcome in acks:
        if outcome.state in {State.WAITING, State.LEASED}:
            raise ValueError(f"not a final state: {outcome.state}")
        if lease.seq not in leased or lease.seq in ended:
            raise NotLeasedError(f"not leased: {lease.url}")
        ended.add(lease.seq)


def check_scores(scores: Iterable[float]) -> None:
    """Raise ``ValueError`` for scores that cannot be ordered."""
    for score in scores:
        if not isfinite(score):
            raise ValueError(f"not a finite score: {score}")


def read_payload(text: str) -> dict[str, Any]:
    """Parse a payload; return :data:`DAMAGED` for text that is not a JSON object."""
    try:
        payload = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return DAMAGED
    # The encoder writes ASCII: this character replaces bytes that could not be decoded.
    is_whole = isinstance(payload, dict) and "\ufffd" not in text
    return payload if is_whole else DAMAGED


def payload_text(payload: Mapping[str, Any]) -> str:
    """Return a payload as JSON."""
    return _ENCODER.encode(payload)


def storable(text: str) -> str:
    """Return text that every store accepts: unpaired surrogates become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
