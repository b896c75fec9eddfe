"""Access of a crawl to its frontier: what the scheduler and the spiders need, whatever the frontier."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from focuscrawl.frontier.crawl_job import remove_job
from focuscrawl.frontier.frontier_entries import (
    Ack,
    Candidate,
    Ended,
    Lease,
    Pushed,
    State,
    Waiting,
)
from focuscrawl.frontier.frontier_protocol import Hosts, drop_where, rescore_all
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.scheduling.known_urls import KnownUrls
from focuscrawl.scheduling.page_in_flight import LeasedPage

_T = TypeVar("_T")
Scores = Callable[[Sequence[Waiting]], Sequence[float]]


class FrontierAccess(Protocol):
    """Frontier as a scheduler sees it. No call waits for a server.

    Changes take effect in the order of the calls. Those without a result may take effect later, but
    before the next lease. Results of pushes are only counted. An error ends the crawl.
    """

    @property
    def label(self) -> str:
        """The path of the frontier, or its URL without password."""

    @property
    def recovered(self) -> int:
        """Number of leases of dead runs that were recovered when this run began."""

    @property
    def fatal_urls(self) -> Sequence[str]:
        """URLs that were marked as failed when this run began, because they kill runs."""

    @property
    def waiting(self) -> int:
        """Number of waiting URLs, as far as known."""

    @property
    def leased(self) -> int:
        """Number of leases of pages that were sent, as far as known."""

    @property
    def is_busy(self) -> bool:
        """True if changes have not taken effect yet, or other workers may send links."""

    def push(self, candidates: Sequence[Candidate]) -> bool:
        """Add seeds; return False if they are known to change nothing."""

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lease the best waiting URLs that may be sent now, at most ``count``."""

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would return first, None if there is none."""

    def best_host(self, now: float) -> tuple[str, float] | None:
        """Return the host and the score of the URL that :meth:`lease` would return first."""

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a URL can be leased, else the end of the next pause or delay if one is known."""

    def found(self, lease: Lease, links: Sequence[Candidate]) -> None:
        """Push links of a page that is not finished; its lease stays."""

    def ack_many(self, acks: Sequence[Ack]) -> None:
        """End several leases, and push the links of their pages."""

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``."""

    def release(self, lease: Lease) -> None:
        """Undo a lease."""

    def abandon(self, lease: Lease) -> None:
        """Leave a lease as if the run had died."""

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease whose response was received."""

    async def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether a suspect is being read; return when that has taken effect."""

    def mark_silent(self, lease: Lease) -> None:
        """Record that a page waits for its host, until :meth:`process`."""

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``, in this run."""

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host in this run; None is the limit of all hosts."""

    def drop_host(self, host: str, reason: str, then: Callable[[int], None]) -> None:
        """Drop all waiting URLs of a host; call ``then`` with their number."""

    def changes_nothing(self, key: int, score: float) -> bool:
        """Return whether a link is known to be without effect."""

    def states(self, hosts: Hosts, then: Callable[[Mapping[int, State]], None]) -> None:
        """Call ``then`` with the states of the known ones of some URLs, given with their hosts."""

    def rescore(
        self,
        scores: Scores,
        host: str | None = None,
        wanted: Callable[[Waiting], bool] | None = None,
    ) -> None:
        """Score the waiting URLs again (of one host, or the wanted ones)."""

    async def look_up(
        self, urls: Iterable[str], hosts: Iterable[str], pages: Mapping[int, LeasedPage[Any]]
    ) -> KnownUrls:
        """Return what is known about URLs and hosts, including the links of ``pages`` in flight."""

    async def drop_where(self, unwanted: Callable[[Waiting], bool], reason: str) -> int:
        """Drop every waiting URL for which ``unwanted`` is true; return their number."""

    def each_ended(self) -> AsyncIterator[Iterable[Ended]]:
        """Yield batches of the URLs that are done or have failed, in order of arrival."""

    async def settle(self) -> None:
        """Release what was not sent, and wait until all changes have taken effect."""

    async def close(self) -> None:
        """Close the frontier."""

    def remove(self) -> None:
        """Remove a closed frontier that no later run needs."""


class DirectAccess:
    """A :class:`FrontierAccess` to a local frontier: every call takes effect at once."""

    is_busy = False

    def __init__(self, frontier: SqliteFrontier, count: Callable[[Pushed], None]) -> None:
        self._frontier = frontier
        self._count = count
        self.label = str(frontier.path)
        self.recovered = frontier.recovered
        self.fatal_urls = frontier.fatal_urls
        self.lease = frontier.lease
        self.best_score = frontier.best_score
        self.best_host = frontier.best_host
        self.next_due = frontier.next_due
        self.retry = frontier.retry
        self.release = frontier.release
        self.abandon = frontier.abandon
        self.mark_silent = frontier.mark_silent
        self.free_slot = frontier.free_slot
        self.pause = frontier.pause
        self.set_slots = frontier.set_slots
        self.changes_nothing = frontier.changes_nothing

    @property
    def waiting(self) -> int:
        """Number of waiting URLs."""
        return self._frontier.waiting

    @property
    def leased(self) -> int:
        """Number of leases."""
        return self._frontier.leased

    def push(self, candidates: Sequence[Candidate]) -> bool:
        """Add seeds; return whether that changed anything."""
        pushed = self._frontier.push(candidates)
        self._count(pushed)
        return bool(pushed.new or pushed.raised)

    def found(self, lease: Lease, links: Sequence[Candidate]) -> None:
        """Push links of a page that is not finished."""
        self._count(self._frontier.found(lease, links))

    def ack_many(self, acks: Sequence[Ack]) -> None:
        """End several leases, and push the links of their pages."""
        self._count(self._frontier.ack_many(acks))

    def drop_host(self, host: str, reason: str, then: Callable[[int], None]) -> None:
        """Drop all waiting URLs of a host."""
        then(self._frontier.drop_host(host, reason))

    def states(self, hosts: Hosts, then: Callable[[Mapping[int, State]], None]) -> None:
        """Call ``then`` with the states of the known ones of some URLs, given with their hosts."""
        then(self._frontier.known(hosts))

    def rescore(
        self,
        scores: Scores,
        host: str | None = None,
        wanted: Callable[[Waiting], bool] | None = None,
    ) -> None:
        """Score the waiting URLs again (of one host, or the wanted ones)."""
        rescore_all(self._frontier, scores, host, wanted=wanted)

    async def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether a suspect is being read."""
        self._frontier.process(lease, waits=waits)

    async def look_up(
        self, urls: Iterable[str], hosts: Iterable[str], pages: Mapping[int, LeasedPage[Any]]
    ) -> KnownUrls:
        """Return an object that asks the frontier when it is asked."""
        return KnownUrls(self._frontier, pages)

    async def drop_where(self, unwanted: Callable[[Waiting], bool], reason: str) -> int:
        """Drop every waiting URL for which ``unwanted`` is true; return their number."""
        return drop_where(self._frontier, unwanted, reason)

    async def each_ended(self) -> AsyncIterator[Iterable[Ended]]:
        """Yield the URLs that are done or have failed, as one batch that is read as it is used."""
        yield self._frontier.each_ended()

    async def settle(self) -> None:
        """Do nothing: all changes have taken effect."""

    async def close(self) -> None:
        """Close the frontier."""
        self._frontier.close()

    def remove(self) -> None:
        """Remove the files of the closed frontier."""
        remove_job(self._frontier.path)
