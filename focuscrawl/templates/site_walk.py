"""The pages of one site that a template asks for, layer by layer."""

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


class Step(NamedTuple):
    """A page to ask for: 0 is the layer of the seed, ``is_detour`` one that only leads to others."""

    url: str
    layer: int
    is_detour: bool = False


class SiteWalk:
    """From a seed to the pages of the last layer (Chen Duanbing et al. 2012, screening).

    The deepest layer goes first, in it the best link. No URL is asked for twice, and after
    ``max_pages`` pages there is an end: loops end.
    """

    def __init__(self, screening: Screening, screen: Screen, seed: str) -> None:
        self._screening = screening
        self._screen = screen
        self._seed = seed
        self._site = host_of(seed)
        self._known = {canonical_or_same(seed)}
        self._ends: set[str] = set()
        self._asked = 0
        self._order = count()
        self._waiting: list[tuple[int, float, int, Step]] = []

    @property
    def is_seed_an_end(self) -> bool:
        """Whether a page that was taken in leads to the seed's page as one of the last layer."""
        return canonical_or_same(self._seed) in self._ends

    def next(self) -> Step | None:
        """Return the page to ask for next, None at the end."""
        if not self._waiting or self._asked >= self._screening.max_pages - 1:
            return None
        self._asked += 1
        return heapq.heappop(self._waiting)[-1]

    def arrived(self, url: str) -> None:
        """Take the URL at which the seed's page stands in the end as its site."""
        self._site = host_of(url)
        self._seed = url
        self._known.add(canonical_or_same(url))

    def take(
        self, step: Step, links: Sequence[ScoredLink], text: str, shown: Sequence[str] = ()
    ) -> None:
        """Take in the links of a page that was asked for, and the pages ``shown`` within it."""
        near = links
        if self._screening.within_site:
            near = [entry for entry in links if is_within(entry.link.url, self._site)]
        layer = step.layer
        leads = self._screen.leads(near, layer)
        if not leads:
            frames = [Lead(url, layer, inf) for url in shown if is_within(url, self._site)]
            self._add(frames, is_detour=layer == 0)
        if not leads and layer == 0 and not step.is_detour:
            # A search leads to any page of a site; its first page leads everywhere.
            first_page = Lead(urljoin(self._seed, "/"), 0, inf)
            self._add([first_page, *self._screen.detours(near)], is_detour=True)
        self._add(leads)
        self._add(self._screen.next_pages(near, text, layer), is_detour=step.is_detour)

    def _add(self, leads: Sequence[Lead], *, is_detour: bool = False) -> None:
        for lead in leads:
            if lead.layer == self._screen.last_layer:
                self._ends.add(lead.url)
            if lead.url in self._known:
                continue
            self._known.add(lead.url)
            step = Step(lead.url, lead.layer, is_detour)
            heapq.heappush(self._waiting, (-lead.layer, -lead.score, next(self._order), step))
