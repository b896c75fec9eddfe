"""Whether a waiting link should go out now, or wait for the links of the pages that are on their way.

A best-first crawl that fills all its slots spends pages on links that it would not choose a moment
later. So what the pages on their way are likely to lead to is compared with what waits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# A page on its way counts for so many times as long as pages take; before any is read, for seconds.
_PATIENCE = 4.0
_FIRST_SECONDS = 5.0
_SHORTEST = 0.02
# The last hundred pages or so tell what to expect of the next.
_DECAY = 0.98
# Before anything is known: the best link of a page is as good as the page, give or take one.
_PRIOR_PAGES = 2.0
_PRIOR_SPREAD = 1.0


class _OnItsWay(NamedTuple):
    score: float
    since: float


class Eagerness:
    """Expects of a page the best link that pages of its score had, by linear regression.

    ``eagerness`` is from 0 (as if serial: a link waits for all pages on their way) to 1 (every slot is
    filled). In between, a link waits for a page while it is not better than what is expected of that
    by log((1 - eagerness) / eagerness) standard deviations: none at 0.5, fewer than none above. Scores may
    have any scale. Times are seconds on a clock that never goes back.
    """

    def __init__(self, eagerness: float) -> None:
        self._eagerness = eagerness
        self._pages: dict[int, _OnItsWay] = {}
        self._seconds: float | None = None
        self._weight = _PRIOR_PAGES
        self._mean_score = self._mean_best = 0.0
        self._var_score = self._covariance = _PRIOR_SPREAD
        self._var_rest = _PRIOR_SPREAD

    def sent(self, page: int, score: float, now: float) -> None:
        """Note that a page is on its way."""
        self._pages[page] = _OnItsWay(score, now)

    def read(self, page: int, best: float | None, now: float) -> None:
        """Note the score of the best link of a page, None where nothing comes of it."""
        sent = self._pages.pop(page, None)
        if sent is None or best is None:
            return
        taken = now - sent.since
        if self._seconds is None:
            self._mean_score = self._mean_best = sent.score
            self._seconds = taken
        else:
            self._seconds = self._seconds * 0.9 + taken * 0.1
        self._learn(sent.score, best)

    @property
    def may_hold_back(self) -> bool:
        """Whether any link may have to wait."""
        return self._eagerness < 1 and bool(self._pages)

    def seconds_to_wait(self, score: float, now: float) -> float:
        """Return how long a link of that score should wait if nothing changes; 0: not at all."""
        if not self.may_hold_back:
            return 0.0
        base, slope = self._line()
        base += self._margin()
        better = (page.since for page in self._pages.values() if score < base + slope * page.score)
        return max(0.0, max(better, default=-math.inf) + self._patience() - now)

    def _patience(self) -> float:
        if self._seconds is None:
            return _FIRST_SECONDS
        return max(_SHORTEST, _PATIENCE * self._seconds)

    def _margin(self) -> float:
        """Return by how much a link must be better than what is expected of a page on its way."""
        if self._eagerness <= 0:
            return math.inf
        return math.log((1 - self._eagerness) / self._eagerness) * math.sqrt(self._var_rest)

    def _line(self) -> tuple[float, float]:
        """Return the best link to expect of a page of score 0, and how it grows with the score."""
        slope = self._covariance / self._var_score if self._var_score > 0 else 0.0
        slope = min(max(slope, 0.0), 1.0)
        return self._mean_best - slope * self._mean_score, slope

    def _learn(self, score: float, best: float) -> None:
        base, slope = self._line()
        rest = best - base - slope * score
        self._weight = self._weight * _DECAY + 1
        share = 1 / self._weight
        off_score, off_best = score - self._mean_score, best - self._mean_best
        self._mean_score += share * off_score
        self._mean_best += share * off_best
        self._var_score += share * (off_score * off_score - self._var_score)
        self._covariance += share * (off_score * off_best - self._covariance)
        self._var_rest += share * (rest * rest - self._var_rest)
