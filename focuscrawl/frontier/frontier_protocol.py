"""Protocol of all frontiers, and operations that need only the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
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

Hosts = Mapping[int, str]
"""Hosts of URLs by key: where they are known, a frontier of many shards looks only into theirs."""

UNKNOWN: Hosts = MappingProxyType({})
"""No hosts: all shards are searched."""


class Frontier(Protocol):
    """The URLs of one crawl: the waiting ones, best first by host, and all that were ever seen.

    A batch has the same effect as its parts in order. A change is durable once the method has returned,
    as far as the implementation promises. Times are seconds on a clock of the caller that continues
    from run to run. Any thread may use it, but only one at a time. Errors that a user can fix are a
    :class:`~focuscrawl.errors.FrontierError`.
    """

    @property
    def waiting(self) -> int:
        """Number of waiting URLs, including those that may not be leased yet; O(1)."""

    @property
    def leased(self) -> int:
        """Number of leases; O(1)."""

    @property
    def recovered(self) -> int:
        """Number of leases of dead runs that were recovered when this run began."""

    @property
    def fatal_urls(self) -> Sequence[str]:
        """URLs that were marked as failed when this run began, because they kill runs."""

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        """Add seeds. A waiting URL is scored again by the rule; other known URLs do not change.

        The payload is that of the best link: under ``max`` a link that raises the URL replaces it.
        """

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lease the best waiting URLs whose host has a free slot and no pause, at most ``count``.

        Highest score first, of equal scores the one that arrived first. A URL that was lost with an
        earlier run is leased alone.
        """

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would return first, None if there is none."""

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        """Push links of a page that is not finished; its lease stays.

        If the page is leased again, for example because its run died, its links are found again. Under
        ``max`` that changes nothing; under the other rules such a link counts only if its target is new.

        Raises :class:`~focuscrawl.frontier.frontier_entries.NotLeasedError` if the page is not leased.
        """

    def ack(self, lease: Lease, links: Sequence[Candidate] = (), outcome: Outcome = DONE) -> Pushed:
        """End a lease and push the page's links, all or nothing.

        Raises :class:`~focuscrawl.frontier.frontier_entries.NotLeasedError` if the page is not leased.
        """

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        """End several leases as :meth:`ack` does, all or nothing together."""

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``, with one more try."""

    def release(self, lease: Lease) -> None:
        """Undo a lease; the URL waits with its old rank."""

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease whose response was received, although the page is not finished.

        The lease stays; a second call changes nothing.
        """

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record that the page is being read: if it is a suspect and the run dies now, it is to blame.

        With ``waits``, it is to blame no longer.
        """

    def mark_silent(self, lease: Lease) -> None:
        """Record that the page waits for its host: no death of a run is its fault, and it is not alone.

        This ends with :meth:`process` of its response.
        """

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``, in this run.

        A shorter pause than the present one changes nothing.
        """

    def limit_delays(self, latest: float) -> None:
        """Limit the due times of retried URLs to ``latest``."""

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host in this run; those whose slot was freed do not count.

        None is the limit of all hosts.
        """

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a URL can be leased, else the end of the next pause or delay.

        None if only the end of a lease or a push can change that.
        """

    def drop(self, keys: Iterable[int], reason: str, hosts: Hosts = UNKNOWN) -> int:
        """Drop the waiting ones of the URLs; return their number."""

    def drop_host(self, host: str, reason: str) -> int:
        """Drop all waiting URLs of a host; return their number."""

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) in order of arrival; they may change meanwhile."""

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed, in order of arrival."""

    def rescore(self, scores: Mapping[int, float], hosts: Hosts = UNKNOWN) -> int:
        """Set the scores of waiting URLs by key, lower ones too; return the number of changes.

        From then on the new score counts as that of the best link.
        """

    def known(self, keys: Iterable[int], hosts: Hosts = UNKNOWN) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given or all hosts, and by outcome for all of them together.

        A frontier of many shards counts outcomes only if it counts all hosts.
        """

    def explain(self, key: int) -> Explanation | None:
        """Return all data about a URL, None for an unknown one."""

    def close(self) -> None:
        """Release the leases of this run and close files."""


def rescore_all(
    frontier: Frontier,
    score: Callable[[Sequence[Waiting]], Sequence[float]],
    host: str | None = None,
    batch: int = 1000,
    wanted: Callable[[Waiting], bool] | None = None,
) -> int:
    """Score the waiting URLs again (of one host, or the wanted ones); return the number of changes."""
    stream = filter(wanted, frontier.each_waiting(host)) if wanted else frontier.each_waiting(host)
    changed = 0
    while entries := list(islice(stream, batch)):
        keys = (entry.key for entry in entries)
        hosts = {entry.key: entry.host for entry in entries}
        changed += frontier.rescore(dict(zip(keys, score(entries), strict=True)), hosts)
    return changed


def drop_where(frontier: Frontier, unwanted: Callable[[Waiting], bool], reason: str) -> int:
    """Drop every waiting URL for which ``unwanted`` is true; return their number."""
    stream = ((entry.key, entry.host) for entry in frontier.each_waiting() if unwanted(entry))
    count = 0
    while hosts := dict(islice(stream, 1000)):
        count += frontier.drop(hosts, reason, hosts)
    return count


def growing_pause(tries: int, first: float = 5.0, longest: float = 3600.0) -> float:
    """Return the back-off in seconds before the next retry, after ``tries`` failed retries."""
    return min(longest, first * 2.0 ** min(tries, 60))
