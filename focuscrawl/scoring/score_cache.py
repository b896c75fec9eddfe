"""Cache of link scores: many links are repeated from page to page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import not_

from focuscrawl.pages.link import Link, LinkScorer, Reason, ScoredLink

SIZE = 50_000


class CachedScorer:
    """A :class:`~focuscrawl.pages.link.LinkScorer` that caches about ``size`` scored links.

    The cache has two generations of half that size. A link found in the old one moves to the new
    one; when that is full it replaces the old one. This keeps the links in use, as LRU does, at the
    cost of one look-up. ``hits`` and ``misses`` count links.
    """

    def __init__(self, scorer: LinkScorer, size: int = SIZE) -> None:
        self.scorer = scorer
        self.hits = 0
        self.misses = 0
        self._half = size // 2
        self._present: dict[Link, ScoredLink] = {}
        self._last: dict[Link, ScoredLink] = {}

    @property
    def name(self) -> str:
        """The name of the scorer, for logs."""
        return self.scorer.name

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score; new ones are scored in one batch."""
        present = self._present
        known = list(map(present.get, links))
        missing = list(dict.fromkeys(compress(links, map(not_, known))))
        if missing and self._last:
            again = {link: one for link in missing if (one := self._last.get(link))}
            present.update(again)
            missing = [link for link in missing if link not in again]
        if missing:
            present.update(zip(missing, self.scorer.score(missing), strict=True))
        self.misses += len(missing)
        self.hits += len(links) - len(missing)
        scored = [one or present[link] for link, one in zip(links, known, strict=True)]
        if len(present) > self._half:
            self._last, self._present = present, {}
        return scored

    def explain(self, link: Link) -> list[Reason]:
        """Return the reasons for a link's score, heaviest first."""
        return self.scorer.explain(link)

    def forget(self) -> None:
        """Drop all scores; call this after the scorer was trained."""
        self._present, self._last = {}, {}

    def __len__(self) -> int:
        return len(self._present) + len(self._last)
