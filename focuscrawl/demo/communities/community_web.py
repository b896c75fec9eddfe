"""Topical communities behind irrelevant ones: many small sites, generated page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from focuscrawl.demo.communities.community_map import CommunityMap, Role
from focuscrawl.demo.communities.community_site import CommunitySite, Kind, PageTruth
from focuscrawl.demo.communities.community_words import theme_named
from focuscrawl.errors import ArgumentError

__all__ = ["Communities", "Kind", "PageTruth"]

_MOST_COMMUNITIES, _MOST_ARTICLES, _LONGEST_CHAIN = 100_000, 10_000, 100


class Communities(Mapping[str, CommunitySite]):
    """Sites by host name, for ``DemoWeb.sites``, each created on first access.

    About one community in five is about ``theme``; the path from one of these to the next has 1 to
    ``longest_chain`` irrelevant pages (:class:`CommunityMap`). ``articles`` is the mean number of
    articles of a community. Raises :class:`ArgumentError` for values out of range.
    """

    def __init__(
        self,
        seed: int = 1,
        count: int = 20,
        articles: int = 40,
        longest_chain: int = 6,
        theme: str = "finance",
    ) -> None:
        _check("communities", count, _MOST_COMMUNITIES)
        _check("articles", articles, _MOST_ARTICLES)
        _check("longest chain", longest_chain, _LONGEST_CHAIN)
        self.theme = theme_named(theme)
        self.map = CommunityMap(seed, count, articles, longest_chain, theme)
        self._seed = seed
        self._by_host = {one.host: one for one in self.map.communities}
        self._site = lru_cache(maxsize=512)(self._make_site)

    def __getitem__(self, host: str) -> CommunitySite:
        return self._site(host)

    def __contains__(self, host: object) -> bool:
        return host in self._by_host

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_host)

    def __len__(self) -> int:
        return len(self._by_host)

    def hosts(self, *, topical: bool) -> list[str]:
        """Return the hosts of the communities about the topic, or of all others."""
        return [
            host for host, one in self._by_host.items() if (one.role is Role.TOPICAL) is topical
        ]

    def truth_of(self, url: str) -> PageTruth | None:
        """Return kind and relevance of a page, None for a URL outside of these communities."""
        parts = urlsplit(url)
        site = self.get(parts.hostname or "")
        return site.page_truth(parts.path or "/") if site else None

    def truth(self) -> Iterator[PageTruth]:
        """Yield every reachable page, site by site."""
        for site in self.values():
            for path in site.paths():
                known = site.page_truth(path)
                assert known is not None, path
                yield known

    def _make_site(self, host: str) -> CommunitySite:
        own = self._by_host[host]
        return CommunitySite(self._seed, self.theme.name, own, self.map.communities)


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ArgumentError(f"{name}={value} is out of range: give 1 to {most}")
