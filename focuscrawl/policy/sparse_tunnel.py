"""The sparse tunnel: how far a crawl goes through irrelevant pages, and what a site may cost it.

Lin Huaizhong and Jiang Yuqian 2010. Bergmark, Lagoze & Sbityakov 2002, *Focused crawls, tunneling,
and digital libraries*, found that relevant communities lie behind irrelevant pages; the plain tunnel
goes on for a number of them, the sparse one takes but a few pages of each site on the way.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import NamedTuple


class Mode(StrEnum):
    """How the next page is chosen, and which links are followed at all.

    ``breadth``: all links, first come first served. ``best-first``: all links by score. ``tunnel``:
    those within the tunnel's length. ``sparse-tunnel``: and few of each site that is not relevant.
    """

    BREADTH = "breadth"
    BEST_FIRST = "best-first"
    TUNNEL = "tunnel"
    SPARSE_TUNNEL = "sparse-tunnel"


class SiteState(StrEnum):
    """What is known of a site: relevant for good with its first relevant page."""

    RELEVANT = "relevant"
    UNKNOWN = "unknown"
    IRRELEVANT = "irrelevant"


class TunnelRules(NamedTuple):
    """The mode, and the paper's K, R and P.

    ``length`` K: so many irrelevant pages in a row are gone through; what is behind them is fetched. ``entries`` R: URLs of an
    unknown site that may wait at a time. ``patience`` P: irrelevant pages before a site without a
    relevant one is irrelevant.
    """

    mode: Mode = Mode.SPARSE_TUNNEL
    length: int = 10
    entries: int = 15
    patience: int = 20


TOO_LONG = "tunnel too long"
IRRELEVANT_SITE = "irrelevant site"
SITE_QUOTA = "site quota"


class Tunnel:
    """Which links to follow, by what is known of their sites."""

    def __init__(self, rules: TunnelRules) -> None:
        self.rules = rules
        self._is_sparse = rules.mode is Mode.SPARSE_TUNNEL
        self._relevant: set[str] = set()
        self._irrelevant: Counter[str] = Counter()

    def judged(self, site: str, is_relevant: bool) -> bool:
        """Note a page's relevance; return whether what waits of its site is to be given up.

        Once is not enough: links that were on their way when it was given up may wait by now.
        """
        if is_relevant:
            self._relevant.add(site)
            self._irrelevant.pop(site, None)
            return False
        if site in self._relevant:
            return False
        self._irrelevant[site] += 1
        return self._is_sparse and self._irrelevant[site] > self.rules.patience

    def state_of(self, site: str) -> SiteState:
        """Return what is known of a site."""
        if site in self._relevant:
            return SiteState.RELEVANT
        is_bad = self._irrelevant[site] > self.rules.patience
        return SiteState.IRRELEVANT if is_bad else SiteState.UNKNOWN

    def is_rationed(self, site: str) -> bool:
        """Whether only so many URLs of the site may wait."""
        return self._is_sparse and self.state_of(site) is SiteState.UNKNOWN

    def refusal(self, site: str, steps: int, waiting: int) -> str:
        """Return why a new link is not followed, an empty string if it is.

        ``steps``: those of the page that it stands on. ``waiting``: URLs of its site in
        the frontier; looked at only where the site is rationed.
        """
        if self.rules.mode in (Mode.BREADTH, Mode.BEST_FIRST):
            return ""
        if steps > self.rules.length:
            return TOO_LONG
        if not self._is_sparse:
            return ""
        state = self.state_of(site)
        if state is SiteState.IRRELEVANT:
            return IRRELEVANT_SITE
        is_full = state is SiteState.UNKNOWN and waiting >= self.rules.entries
        return SITE_QUOTA if is_full else ""

    def sites(self) -> dict[SiteState, int]:
        """Count the sites of which a page was judged."""
        irrelevant = sum(count > self.rules.patience for count in self._irrelevant.values())
        unknown = sum(count > 0 for count in self._irrelevant.values()) - irrelevant
        return {
            SiteState.RELEVANT: len(self._relevant),
            SiteState.UNKNOWN: unknown,
            SiteState.IRRELEVANT: irrelevant,
        }


def steps_of(parent_steps: int, is_relevant: bool) -> int:
    """Return the steps of a page: 0 if it is relevant, else its parent's and one.

    >>> steps_of(3, False), steps_of(3, True)
    (4, 0)
    """
    return 0 if is_relevant else parent_steps + 1
