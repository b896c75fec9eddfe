"""URLs that are in the frontier already, or are links of pages in flight that will be pushed soon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from focuscrawl.frontier import Frontier, State
from focuscrawl.scheduling.page_in_flight import Page
from focuscrawl.scheduling.page_keys import key_of_page


class KnownUrls:
    """Queries of a frontier and of ``pages``, the pages in flight."""

    def __init__(self, frontier: Frontier, pages: Mapping[int, Page[Any]]) -> None:
        self._frontier = frontier
        self._pages = pages

    def states(self, urls: Iterable[str]) -> dict[str, State]:
        """Return the states of those URLs that are known."""
        # Two spellings may have one key: the order of parameters is ignored.
        keys = {url: key_of_page(url) for url in urls}
        pending = {link.key for page in self._pages.values() for link in page.pending}
        states = dict.fromkeys(pending.intersection(keys.values()), State.WAITING)
        states |= self._frontier.known(set(keys.values()))
        return {url: states[key] for url, key in keys.items() if key in states}

    def waiting_at(self, hosts: Collection[str]) -> dict[str, int]:
        """Return the number of waiting URLs by host."""
        if not hosts:
            return {}
        counts = self._frontier.counts(hosts).hosts
        pages = self._pages.values()
        new = {
            link.key: link.host for page in pages for link in page.pending if link.host in counts
        }
        for key in self._frontier.known(new):
            del new[key]
        pending = Counter(new.values())
        return {host: count.waiting + pending[host] for host, count in counts.items()}
