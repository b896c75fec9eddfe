"""The one protocol that every frontier follows, and what can be done with it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from focuscrawl.frontier.frontier_entries import (
    DONE,
    Ack,
    Candidate,
    Counts,
    Ended,
    Explanation,
    Lease,
    Outcome,
    Pushed,
    State,
    Waiting,
)


class Frontier(Protocol):
    """The URLs of one crawl: those that wait, best first by host, and all that were ever seen.

    A batch does the same as its parts one after the other. What has returned is durable as far as
    the implementation promises. Times are seconds on a clock of the caller that goes on from run
    to run. One thread at a time may use it, whichever. Whatever a user can mend is a
    :class:`~focuscrawl.errors.FrontierError`.
    """

    @property
    def waiting(self) -> int:
        """How many URLs wait, those that may not go out yet included; costs nothing."""

    @property
    def leased(self) -> int:
        """How many leases are out; costs nothing."""

    @property
    def recovered(self) -> int:
        """How many leases of dead runs went back when this run began."""

    @property
    def killers(self) -> Sequence[str]:
        """URLs that have failed when this run began, since runs die of them."""

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        """Add seeds. A URL that waits gets its new standing by the rule, any other known one stays.

        The payload is that of the best link: under ``max`` a link that raises the URL brings its own.
        """

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lend the best waiting URLs whose host has a free slot and no pause, at most ``count``.

        Highest score first, of equal scores the one that arrived first. One that was lost with an
        earlier run goes out when no other is out, and no other while it is.
        """

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would lend, None where it would lend none."""

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        """Push links of a page that is not over: its lease stays.

        If the page is leased again, since its run died say, its links are found again. Under
        ``max`` that changes nothing; under the other rules a link then counts only where it leads to
        a new URL.

        Raises :class:`~focuscrawl.frontier.frontier_entries.NotLeasedError` where the lease is not out.
        """

    def ack(self, lease: Lease, links: Sequence[Candidate] = (), outcome: Outcome = DONE) -> Pushed:
        """End a lease and push the page's links, all or nothing.

        Raises :class:`~focuscrawl.frontier.frontier_entries.NotLeasedError` where it is not out.
        """

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        """End several leases as :meth:`ack` does, all or nothing together."""

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without outcome; the URL waits until then and has one try more on its account."""

    def release(self, lease: Lease) -> None:
        """End a lease as if it had never been; the URL waits at its old place."""

    def free_slot(self, lease: Lease) -> None:
        """Let another URL of the lease's host out in its place: the page is here, though not over.

        The lease stays; a second time changes nothing.
        """

    def process(self, lease: Lease) -> None:
        """Note that the answer is here: if the run dies now, and no other lease is out, it is to blame."""

    def pause(self, host: str, until: float) -> None:
        """Lend no URL of a host before ``until``, in this run.

        A shorter pause than the present one changes nothing.
        """

    def limit_delays(self, latest: float) -> None:
        """Let no URL that was retried wait longer than until then."""

    def set_slots(self, host: str, slots: int) -> None:
        """Let a host have so many leases out at a time, in this run; those with a free slot aside."""

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a lease can be had; else when a pause or delay ends that may change it.

        None: nothing but the end of a lease or a push will.
        """

    def drop(self, keys: Iterable[int], reason: str) -> int:
        """Drop those of the URLs that wait; return how many."""

    def drop_host(self, host: str, reason: str) -> int:
        """Drop all URLs of a host that wait; return how many."""

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) in order of arrival; they may be changed meanwhile."""

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed, in order of arrival."""

    def rescore(self, scores: Mapping[int, float]) -> int:
        """Give waiting URLs, by key, new scores, which may be lower; return how many it has changed.

        From then on the new score counts as that of the best link.
        """

    def recover(self) -> int:
        """Take back the leases of runs that are dead; return how many. Opening does it too."""

    def known(self, keys: Iterable[int]) -> dict[int, State]:
        """Return the states of those of the URLs that were ever pushed."""

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given or all hosts, and by outcome for all of them together."""

    def explain(self, key: int) -> Explanation | None:
        """Return what is known of a URL."""

    def close(self) -> None:
        """Release the leases of this run and let go of files."""


def rescore_all(
    frontier: Frontier,
    score: Callable[[Sequence[Waiting]], Sequence[float]],
    host: str | None = None,
    batch: int = 1000,
    wanted: Callable[[Waiting], bool] | None = None,
) -> int:
    """Score every waiting URL again (of one host, or those wanted); return how many have changed."""
    stream = filter(wanted, frontier.each_waiting(host)) if wanted else frontier.each_waiting(host)
    changed = 0
    while entries := list(islice(stream, batch)):
        keys = (entry.key for entry in entries)
        changed += frontier.rescore(dict(zip(keys, score(entries), strict=True)))
    return changed


def drop_where(frontier: Frontier, unwanted: Callable[[Waiting], bool], reason: str) -> int:
    """Drop every waiting URL of which ``unwanted`` is true; return how many."""
    stream = (entry.key for entry in frontier.each_waiting() if unwanted(entry))
    count = 0
    while keys := list(islice(stream, 1000)):
        count += frontier.drop(keys, reason)
    return count


def growing_pause(tries: int, first: float = 5.0, longest: float = 3600.0) -> float:
    """Return the seconds to wait before a URL is tried again that was tried so often in vain."""
    return min(longest, first * 2.0 ** min(tries, 60))
