"""Link scores by the keywords of a template, for crawls without a topic."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.scoring.lexicon_scorer import PRIOR
from focuscrawl.scoring.probability_calibration import Calibration

# In natural log-odds. An anchor that is just the keyword leads there; in a headline of twenty
# characters the same word may be about something else.
_FOUND, _WHOLE = 2.0, 3.0
_EARLIER_KEYWORD = 1.0
_BIAS = math.log(PRIOR / (1 - PRIOR))
_UNCALIBRATED = Calibration()


class KeywordScorer:
    """A :class:`~focuscrawl.pages.link.LinkScorer` that compares anchors with keywords.

    ``patterns`` match the keywords, the most specific first. The score is the log-odds of a prior, plus
    ``2`` if one matches, plus ``3`` times its share of the anchor's characters, plus up to ``1``
    for its rank among the keywords.
    """

    def __init__(self, name: str, patterns: Sequence[re.Pattern[str]]) -> None:
        self._name = name
        self._patterns = patterns

    @property
    def name(self) -> str:
        """The name of the scorer, for logs."""
        return f"{self._name} ({len(self._patterns)} screening keywords)"

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score and its logistic."""
        scored = []
        for link in links:
            score = math.fsum(reason.weight for reason in self._reasons(link))
            scored.append(ScoredLink(link, score, _UNCALIBRATED(score)))
        return scored

    def explain(self, link: Link) -> list[Reason]:
        """Return the keyword and the bias, heaviest first; they add up to the score."""
        return sorted(self._reasons(link), key=lambda reason: -abs(reason.weight))

    def _reasons(self, link: Link) -> list[Reason]:
        reasons = [Reason("bias", _BIAS)]
        weights = [
            (self._weight(place, found[0], link.anchor), found[0])
            for place, pattern in enumerate(self._patterns)
            if (found := pattern.search(link.anchor))
        ]
        if weights:
            weight, text = max(weights)
            reasons.append(Reason(f"anchor:{text}", weight))
        return reasons

    def _weight(self, place: int, found: str, anchor: str) -> float:
        share = len(found) / max(len("".join(anchor.split())), len(found))
        return _FOUND + _WHOLE * share + _EARLIER_KEYWORD * (1 - place / len(self._patterns))
