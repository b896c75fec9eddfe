"""URLs that are in the frontier already, or are links of pages in flight that will be pushed soon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

from focuscrawl.frontier.frontier_entries import Candidate, Counts, State
from focuscrawl.scheduling.page_in_flight import LeasedPage
from focuscrawl.scheduling.page_keys import key_of_page


class UrlStates(Protocol):
    """A frontier, or what it has answered."""

    def known(self, keys: Iterable[int]) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""

    def counts(self, hosts: Iterable[str]) -> Counts:
        """Count by state for the given hosts."""


class KnownUrls:
    """Queries of a frontier and of ``pages``, the pages in flight.

    ``unpushed`` returns links of other pages that are on their way to the frontier.
    """

    def __init__(
        self,
        frontier: UrlStates,
        pages: Mapping[int, LeasedPage[Any]],
        unpushed: Callable[[], Iterable[Candidate]] = tuple,
    ) -> None:
        self._frontier = frontier
        self._pages = pages
        self._unpushed = unpushed

    def states(self, urls: Iterable[str]) -> dict[str, State]:
        """Return the states of those URLs that are known."""
        # Two spellings may have one key: the order of parameters is ignored.
        keys = {url: key_of_page(url) for url in urls}
        pending = {link.key for link in self._pending()}
        states = dict.fromkeys(pending.intersection(keys.values()), State.WAITING)
        states |= self._frontier.known(set(keys.values()))
        return {url: states[key] for url, key in keys.items() if key in states}

    def waiting_at(self, hosts: Collection[str]) -> dict[str, int]:
        """Return the number of waiting URLs by host."""
        if not hosts:
            return {}
        counts = self._frontier.counts(hosts).hosts
        new = {link.key: link.host for link in self._pending() if link.host in counts}
        for key in self._frontier.known(new):
            del new[key]
        pending = Counter(new.values())
        return {host: count.waiting + pending[host] for host, count in counts.items()}

    def _pending(self) -> Iterator[Candidate]:
        for page in self._pages.values():
            yield from page.pending
        yield from self._unpushed()
