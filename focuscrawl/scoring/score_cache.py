"""Scores of links that come again from page to page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import not_

from focuscrawl.pages.link import Link, LinkScorer, Reason, ScoredLink

SIZE = 50_000


class CachedScorer:
    """A :class:`~focuscrawl.pages.link.LinkScorer` that remembers about ``size`` scored links.

    Half of them are of the present generation, half of the last. A link found in the last moves to
    the present one; when that is full it becomes the last. This keeps what is in use, as LRU does,
    at the cost of one look-up. ``hits`` and ``misses`` count links.
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
        """What scores, for logs."""
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
        """Return why a link has its score, heaviest first."""
        return self.scorer.explain(link)

    def forget(self) -> None:
        """Drop all scores: to be called when the scorer has learned."""
        self._present, self._last = {}, {}

    def __len__(self) -> int:
        return len(self._present) + len(self._last)
