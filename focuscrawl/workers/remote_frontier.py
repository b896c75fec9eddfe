"""Protocol of the frontiers on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from focuscrawl.frontier.frontier_entries import Candidate, HostCounts, Lease, Pushed, State
from focuscrawl.frontier.frontier_protocol import Frontier, Hosts
from focuscrawl.scheduling.crawl_services import SharedPages


class RemoteFrontier(Frontier, Protocol):
    """A frontier on a server, which several workers share; each has its own hosts.

    Methods that need the server may take long, and raise
    :class:`~focuscrawl.errors.FrontierUnavailableError` while it does not respond. ``waiting``,
    ``leased``, :meth:`best_score`, :meth:`next_due`, :meth:`pause`, :meth:`set_slots`,
    :meth:`free_slot`, :meth:`holds` and :meth:`abandon` should need no server. Unlike any other method,
    :meth:`changes_nothing` may be called by another thread at the same time.
    """

    @property
    def label(self) -> str:
        """The URL of the frontier without password."""

    @property
    def is_valid(self) -> bool:
        """True as long as no lease of this worker's hosts can have expired; needs no server."""

    def look_up(
        self, keys: Hosts, hosts: Iterable[str]
    ) -> tuple[dict[int, State], dict[str, HostCounts]]:
        """Return the states of URLs, given with their hosts, and the counts of hosts together."""

    def changes_nothing(self, key: int, score: float) -> bool:
        """Return whether a link is known to be without effect; False if only the server could tell."""

    def found_many(self, pages: Sequence[tuple[Lease, Sequence[Candidate]]]) -> Pushed:
        """Push links of several pages as :meth:`found` does, all or nothing together."""

    def holds(self, lease: Lease) -> bool:
        """Return whether a lease is still this worker's, as far as known without the server."""

    def abandon(self, lease: Lease) -> None:
        """Leave a lease as if the run had died, so that the URL is a suspect in the next run."""

    def tend(self) -> None:
        """Keep the worker's hosts, take and hand over hosts, exchange links; called about every second."""

    def shared_pages(self, attempt: Callable[[Callable[[], Any]], Any]) -> SharedPages | None:
        """Return what the workers share beside URLs; ``attempt`` makes calls that may be repeated."""

    def is_over(self) -> bool:
        """Return whether no URL waits or is leased anywhere in the crawl."""
