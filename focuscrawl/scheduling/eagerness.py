"""Eagerness: the choice between sending a waiting link now and waiting for the pages in flight.

A best-first crawl that fills all its slots spends pages on links that it would not choose a moment
later. So the links expected from the pages in flight are compared with the waiting links.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# In mean download times of a page: how long a page in flight counts, and how long links are held back
# in a row.
_PATIENCE = 4.0
_LONGEST_HOLD = 10.0
# In seconds: either of them before any page is read, and the least.
_FIRST_SECONDS = 5.0
_SHORTEST = 0.02
# Per page, so that the estimate follows about the last hundred pages.
_DECAY = 0.98
# Weight of the prior estimate, by which the best link of a page is as good as the page.
_PRIOR_PAGES = 2.0


class _InFlight(NamedTuple):
    score: float
    since: float


class Eagerness:
    """Estimates the best link of a page from its score, by linear regression over earlier pages.

    ``eagerness`` is from 0 (as if serial: a link waits for all pages in flight) to 1 (every slot is
    filled). In between, a link waits for a page that leads to a better one with a probability above
    ``eagerness``: a logistic function of the difference between the best link expected and the link.
    Links are held back for ten times as long as a page takes, then one is sent.
    Scores may have any scale. Times are seconds on a monotonic clock.
    """

    def __init__(self, eagerness: float) -> None:
        self._eagerness = eagerness
        self._pages: dict[int, _InFlight] = {}
        self._seconds: float | None = None
        self._held_since: float | None = None
        self._weight = 0.0
        self._mean_score = self._mean_best = 0.0
        self._var_score = self._covariance = 0.0
        self._var_rest = 0.0

    def sent(self, page: int, score: float, now: float) -> None:
        """Record that a page is in flight."""
        if self._eagerness < 1:
            self._pages[page] = _InFlight(score, now)

    def expects(self, page: int) -> bool:
        """Return whether the outcome of a page has to be reported."""
        return page in self._pages

    def forget(self, page: int) -> None:
        """Record that a page will not be read: it is redirected, retried or released."""
        self._pages.pop(page, None)

    def read(self, page: int, best: float | None, now: float) -> None:
        """Record the score of the best link of a page to a waiting URL, None if it has none."""
        sent = self._pages.pop(page, None)
        if sent is None:
            return
        taken = now - sent.since
        self._seconds = taken if self._seconds is None else self._seconds * 0.9 + taken * 0.1
        if best is not None:
            self._learn(sent.score, best)

    @property
    def may_hold_back(self) -> bool:
        """True if any link may have to wait."""
        return bool(self._pages)

    def seconds_to_wait(self, score: float, now: float) -> float:
        """Return the seconds that a link of that score should wait if nothing changes, 0 to send it now."""
        if not self.may_hold_back:
            return 0.0
        base, slope = self._line()
        base += self._margin()
        better = (page.since for page in self._pages.values() if score < base + slope * page.score)
        until = max(better, default=-math.inf) + self._patience(_PATIENCE)
        if until <= now:
            return 0.0
        if self._held_since is None:
            self._held_since = now
        if self._eagerness > 0:
            until = min(until, self._held_since + self._patience(_LONGEST_HOLD))
        if until <= now:
            self._held_since = None
            return 0.0
        return until - now

    def _patience(self, times: float) -> float:
        if self._seconds is None:
            return _FIRST_SECONDS
        return max(_SHORTEST, times * self._seconds)

    def _margin(self) -> float:
        """Return the margin by which a link may be worse than the best link expected, and still be sent."""
        if self._eagerness <= 0:
            return math.inf
        return math.log((1 - self._eagerness) / self._eagerness) * math.sqrt(self._var_rest)

    def _line(self) -> tuple[float, float]:
        """Return intercept and slope of the regression of the best link's score on the page's score."""
        if not self._var_score:
            return self._mean_best - self._mean_score, 1.0
        slope = min(max(self._covariance / self._var_score, 0.0), 1.0)
        return self._mean_best - slope * self._mean_score, slope

    def _learn(self, score: float, best: float) -> None:
        if not self._weight:
            self._weight = _PRIOR_PAGES
            self._mean_score = self._mean_best = score
            self._var_score = self._covariance = self._var_rest = (best - score) ** 2
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
