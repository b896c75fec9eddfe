"""Scores of links that come again from page to page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from focuscrawl.links.link import Link, ScoredLink


class ScoreCache:
    """At most ``size`` scored links. Half of them are of the present generation, half of the last.

    A link found in the last generation moves to the present one; when that is full it becomes the
    last. This keeps what is in use, as LRU does, at the cost of one look-up.
    """

    def __init__(self, size: int) -> None:
        self._half = size // 2
        self._present: dict[Link, ScoredLink] = {}
        self._last: dict[Link, ScoredLink] = {}
        self.hits = 0
        self.misses = 0

    def look_up(
        self, links: Sequence[Link], score: Callable[[Sequence[Link]], list[ScoredLink]]
    ) -> list[ScoredLink]:
        """Return the links scored, in their order; ``score`` is called once, for those not known."""
        present, last = self._present, self._last
        missing = dict.fromkeys(link for link in links if link not in present and link not in last)
        fresh = dict(zip(missing, score(list(missing)), strict=True)) if missing else {}
        self.misses += len(missing)
        self.hits += len(links) - len(missing)
        found = [fresh.get(link) or present.get(link) or last[link] for link in links]
        present.update(zip(links, found, strict=True))
        if len(present) > self._half:
            self._last, self._present = present, {}
        return found

    def forget(self) -> None:
        """Drop all scores: the model has changed."""
        self._present, self._last = {}, {}

    def __len__(self) -> int:
        return len(self._present) + len(self._last)
