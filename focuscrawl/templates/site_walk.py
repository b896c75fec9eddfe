"""Order in which the pages of one site are requested, layer by layer."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from math import inf
from typing import NamedTuple
from urllib.parse import urljoin

from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.templates.link_screening import Lead, Screen, is_within
from focuscrawl.templates.template_model import Screening


class SiteStep(NamedTuple):
    """A page to request: layer 0 is the seed's; a detour only serves to find links."""

    url: str
    layer: int
    is_detour: bool = False


class SiteWalk:
    """Walk from a seed to the pages of the last layer (Chen Duanbing et al. 2012, screening).

    The deepest layer goes first, in it the best link. No URL is requested twice, and at most
    ``max_pages`` pages are requested, so that loops end.
    """

    def __init__(self, screening: Screening, screen: Screen, seed: str) -> None:
        self._screening = screening
        self._screen = screen
        self._seed = seed
        self._site = host_of(seed)
        self._known = {canonical_or_same(seed)}
        self._ends: set[str] = set()
        self._requested = 0
        self._fallbacks = 0
        self._order = count()
        self._waiting: list[tuple[int, float, int, SiteStep]] = []

    @property
    def is_seed_an_end(self) -> bool:
        """Return whether a page links to the seed's page as one of the last layer."""
        return canonical_or_same(self._seed) in self._ends

    def next(self) -> SiteStep | None:
        """Return the page to request next, None at the end."""
        if not self._waiting or self._requested >= self._screening.max_pages - 1:
            return None
        self._requested += 1
        return heapq.heappop(self._waiting)[-1]

    def fallback(self, links: Sequence[ScoredLink], *, named: bool) -> SiteStep | None:
        """Return the best of the links of the seed's page that were not requested, within the limits.

        ``named`` allows only those that a keyword of the template names.
        """
        most = self._screening.most_fallbacks, self._screening.max_pages - 1
        if self._fallbacks >= most[0] or self._requested >= most[1]:
            return None
        for lead in self._screen.fallbacks(self._near(links), named=named):
            if lead.url not in self._known:
                self._known.add(lead.url)
                self._fallbacks += 1
                self._requested += 1
                return SiteStep(lead.url, lead.layer)
        return None

    def arrived(self, url: str) -> None:
        """Take the URL of the seed's page after redirects as its site."""
        self._site = host_of(url)
        self._seed = url
        self._known.add(canonical_or_same(url))

    def take(
        self, step: SiteStep, links: Sequence[ScoredLink], text: str, shown: Sequence[str] = ()
    ) -> None:
        """Add the links of a fetched page, and the pages ``shown`` in its frames."""
        near = self._near(links)
        layer = step.layer
        leads = self._screen.leads(near, layer)
        if not leads:
            frames = [Lead(url, layer, inf) for url in shown if is_within(url, self._site)]
            self._add(frames, is_detour=layer == 0)
        if not leads and layer == 0 and not step.is_detour:
            # A search result may be any page of a site; its home page links to all parts.
            first_page = Lead(urljoin(self._seed, "/"), 0, inf)
            self._add([first_page, *self._screen.detours(near)], is_detour=True)
        self._add(leads)
        self._add(self._screen.next_pages(near, text, layer), is_detour=step.is_detour)

    def _near(self, links: Sequence[ScoredLink]) -> Sequence[ScoredLink]:
        if not self._screening.within_site:
            return links
        return [entry for entry in links if is_within(entry.link.url, self._site)]

    def _add(self, leads: Sequence[Lead], *, is_detour: bool = False) -> None:
        for lead in leads:
            if lead.layer == self._screen.last_layer:
                self._ends.add(lead.url)
            if lead.url in self._known:
                continue
            self._known.add(lead.url)
            step = SiteStep(lead.url, lead.layer, is_detour)
            heapq.heappush(self._waiting, (-lead.layer, -lead.score, next(self._order), step))
