"""Sites of firms, and search engines that find them, by window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from focuscrawl.demo.firms.firm_facts import Firm, Kind, firm_of
from focuscrawl.demo.firms.firm_search_page import Listed, SearchSite
from focuscrawl.demo.firms.firm_site import FirmSite
from focuscrawl.demo.firms.firm_snapshots import FirmSnapshots
from focuscrawl.demo.site_protocol import Site
from focuscrawl.errors import ArgumentError

SEARCH_HOSTS = ("search.demo.test", "search2.demo.test")
MOST_FIRMS, MOST_WINDOWS = 20_000, 100


class FirmTruth(NamedTuple):
    """Published data of a useful firm and their URL; ``values`` by field name of the contacts template."""

    home: str
    contact_url: str
    values: dict[str, tuple[str, ...]]


class Changes(NamedTuple):
    """Home pages of the useful firms of a window, by their change since the last one."""

    added: frozenset[str]
    updated: frozenset[str]
    unchanged: frozenset[str]
    deleted: frozenset[str]


class Firms(Mapping[str, Site]):
    """Sites by host name, for ``DemoWeb``, with two search engines that find them.

    There are ``count`` firms in the first window; from one to the next, a tenth is added, a twentieth
    disappears, and a tenth of the useful ones changes its data. ``window`` may be set at any time.
    """

    def __init__(self, seed: int = 1, count: int = 100, window: int = 1) -> None:
        if not 1 <= count <= MOST_FIRMS:
            raise ArgumentError(f"firms={count} is out of range: give 1 to {MOST_FIRMS}")
        self._seed = seed
        self._snapshots = FirmSnapshots(seed, count)
        self.engines = {host: SearchSite(seed, host, self.listed) for host in SEARCH_HOSTS}
        self.window = window

    @property
    def window(self) -> int:
        """The current window, from 1."""
        return self._window

    @window.setter
    def window(self, number: int) -> None:
        if not 1 <= number <= MOST_WINDOWS:
            raise ArgumentError(f"window={number} is out of range: give 1 to {MOST_WINDOWS}")
        self._window = number
        firms = self._firms(number)
        sites = {firm.host: FirmSite(self._seed, firm, number) for firm in firms}
        self._listed = [_listing(firm, sites[firm.host]) for firm in firms]
        self._sites: dict[str, Site] = {**self.engines, **sites}

    def __getitem__(self, host: str) -> Site:
        return self._sites[host]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sites)

    def __len__(self) -> int:
        return len(self._sites)

    def listed(self) -> list[Listed]:
        """Return the sites that the search engines list in the window."""
        return self._listed

    def truth(self) -> list[FirmTruth]:
        """Return the published data of the useful firms of the window."""
        return [
            FirmTruth(firm.home, FirmSite(self._seed, firm, self.window).contact_url, firm.values)
            for firm in self._firms(self.window)
            if firm.kind is Kind.USEFUL
        ]

    def changes(self) -> Changes:
        """Return the changes of the useful firms since the last window."""
        snapshot = self._snapshots[self.window]
        changed = snapshot.new | snapshot.changed
        return Changes(
            added=self._homes(snapshot.new),
            updated=self._homes(snapshot.changed),
            unchanged=self._homes(snapshot.versions.keys() - changed),
            deleted=self._homes(snapshot.gone),
        )

    def _homes(self, numbers: frozenset[int] | set[int]) -> frozenset[str]:
        firms = (firm_of(self._seed, number) for number in numbers)
        return frozenset(firm.home for firm in firms if firm.kind is Kind.USEFUL)

    def _firms(self, window: int) -> list[Firm]:
        versions = self._snapshots[window].versions
        return [firm_of(self._seed, number, version) for number, version in versions.items()]


def _listing(firm: Firm, site: FirmSite) -> Listed:
    is_useful = firm.kind is Kind.USEFUL
    return Listed(firm.number, site.landing, f"{firm.name}-首页", firm.city, is_useful)
