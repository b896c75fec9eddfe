"""The sparse tunnel: limits on consecutive irrelevant pages, and on irrelevant pages of each site.

Lin Huaizhong and Jiang Yuqian 2010. Bergmark, Lagoze & Sbityakov 2002, *Focused crawls, tunneling,
and digital libraries*, found that relevant communities lie behind irrelevant pages; the plain tunnel
passes through a number of them, the sparse one fetches only a few pages of each site on the way.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import NamedTuple

from focuscrawl.policy.learned_counts import Counts


class Mode(StrEnum):
    """Crawl mode: the order of pages, and the links that are followed.

    ``breadth``: all links, first in, first out. ``best-first``: all links by score. ``tunnel``: by
    score, within the tunnel's length. ``sparse-tunnel``: also only a few of each site that is not
    relevant.
    """

    BREADTH = "breadth"
    BEST_FIRST = "best-first"
    TUNNEL = "tunnel"
    SPARSE_TUNNEL = "sparse-tunnel"


class SiteState(StrEnum):
    """State of a site; it becomes relevant with its first relevant page, and stays so."""

    RELEVANT = "relevant"
    UNKNOWN = "unknown"
    IRRELEVANT = "irrelevant"


class TunnelRules(NamedTuple):
    """The mode, and the paper's K, R and P.

    ``length`` K: the number of consecutive irrelevant pages whose links are followed. ``entries`` R:
    URLs of an unknown site that may wait at a time. ``patience`` P: irrelevant pages of a site
    without a relevant one, after which it is irrelevant.
    """

    mode: Mode = Mode.SPARSE_TUNNEL
    length: int = 10
    entries: int = 15
    patience: int = 20


TOO_LONG = "tunnel too long"
IRRELEVANT_SITE = "irrelevant site"
SITE_QUOTA = "site quota"


class Tunnel:
    """Choice of the links to follow, by the steps of their page and the state of their sites."""

    def __init__(self, rules: TunnelRules) -> None:
        self.rules = rules
        self._is_sparse = rules.mode is Mode.SPARSE_TUNNEL
        self._relevant: set[str] = set()
        self._irrelevant: Counter[str] = Counter()

    def judged(self, site: str, is_relevant: bool) -> bool:
        """Count a page; return whether the waiting URLs of its site should be dropped.

        Returns True for every further page of such a site, since links of pages that were in flight
        may have been added since.
        """
        if is_relevant:
            self._relevant.add(site)
            self._irrelevant.pop(site, None)
            return False
        if site in self._relevant:
            return False
        self._irrelevant[site] += 1
        return self._is_sparse and self._irrelevant[site] > self.rules.patience

    def counts(self) -> Counts:
        """Return 1 for a relevant page or 0, and the number of irrelevant pages, by site."""
        pairs = {site: [0, count] for site, count in self._irrelevant.items()}
        pairs.update((site, [1, 0]) for site in self._relevant)
        return {"tunnel": pairs}

    def add_counts(self, counts: Counts) -> None:
        """Learn the pages of another tunnel from its :meth:`counts`."""
        for site, (relevant, irrelevant) in counts.get("tunnel", {}).items():
            if relevant:
                self._relevant.add(site)
                self._irrelevant.pop(site, None)
            elif site not in self._relevant:
                self._irrelevant[site] += irrelevant

    def clear(self) -> None:
        """Forget all pages."""
        self._relevant.clear()
        self._irrelevant.clear()

    def state_of(self, site: str) -> SiteState:
        """Return the state of a site."""
        if site in self._relevant:
            return SiteState.RELEVANT
        is_bad = self._irrelevant[site] > self.rules.patience
        return SiteState.IRRELEVANT if is_bad else SiteState.UNKNOWN

    def is_rationed(self, site: str) -> bool:
        """Return whether the number of waiting URLs of the site is limited."""
        return self._is_sparse and self.state_of(site) is SiteState.UNKNOWN

    def refusal(self, site: str, steps: int, waiting: int) -> str:
        """Return the reason why a new link is not followed, ``""`` if it may be.

        ``steps`` are those of the page it was found on, ``waiting`` is the number of URLs of its site
        in the frontier, which matters only if the site is rationed.
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
        """Return the number of sites with a judged page, by state."""
        irrelevant = sum(count > self.rules.patience for count in self._irrelevant.values())
        unknown = sum(count > 0 for count in self._irrelevant.values()) - irrelevant
        return {
            SiteState.RELEVANT: len(self._relevant),
            SiteState.UNKNOWN: unknown,
            SiteState.IRRELEVANT: irrelevant,
        }


def steps_of(parent_steps: int, is_relevant: bool) -> int:
    """Return the steps of a page: 0 if it is relevant, else its parent's plus one.

    >>> steps_of(3, False), steps_of(3, True)
    (4, 0)
    """
    return 0 if is_relevant else parent_steps + 1
