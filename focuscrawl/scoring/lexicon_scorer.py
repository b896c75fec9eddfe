"""Link scores by words: the lexicon of a topic until a classifier is trained, the keywords of a template."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.scoring.probability_calibration import Calibration
from focuscrawl.topics import Topic

PRIOR = 0.1
"""Prior share of relevant links: most pages are off topic."""

CONTEXT_FACTOR = 0.4
"""Factor for terms around a link: less than 1, since they may be about another link."""

_BIAS = math.log(PRIOR / (1 - PRIOR))

# Terms of one topic come together, and a link without any says more than that the author of the topic
# did not think of its words. Fitted on the links between recorded pages of three topics (finance,
# machine learning, security); one topic alone gives slopes of 1.8 to 2.0 and intercepts of 1.2 to 1.8.
_CALIBRATION = Calibration(slope=1.9, intercept=1.6)
_UNKNOWN = _CALIBRATION(_BIAS)


class LexiconScorer:
    """A :class:`~focuscrawl.pages.link.LinkScorer` that adds up the weights of a topic's terms.

    The score is the log-odds of ``PRIOR``, plus the weight of each distinct term in the anchor, plus
    ``CONTEXT_FACTOR`` times the weight of each further term in title attribute, heading or context.
    """

    def __init__(self, topic: Topic) -> None:
        self._topic = topic.name
        self._lexicon = topic.words

    @property
    def name(self) -> str:
        """The name of the scorer, for logs."""
        return f"{self._topic} (lexicon, {len(self._lexicon.weights)} terms)"

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score and the calibrated probability."""
        anchors = self._lexicon.hits_of([link.anchor for link in links])
        contexts = self._lexicon.hits_of([_context(link) for link in links])
        return [
            self._scored(link, anchor, context) if anchor or context else _unknown(link)
            for link, anchor, context in zip(links, anchors, contexts, strict=True)
        ]

    def explain(self, link: Link) -> list[Reason]:
        """Return the terms and the bias, heaviest first; they add up to the score."""
        reasons = self._reasons(*self._lexicon.hits_of([link.anchor, _context(link)]))
        return sorted(reasons, key=lambda reason: -abs(reason.weight))

    def _scored(self, link: Link, anchor: list[str], context: list[str]) -> ScoredLink:
        score = math.fsum(reason.weight for reason in self._reasons(anchor, context))
        return ScoredLink(link, score, _CALIBRATION(score))

    def _reasons(self, anchor: list[str], context: list[str]) -> list[Reason]:
        weights = self._lexicon.weights
        named = dict.fromkeys(anchor)
        further = [term for term in dict.fromkeys(context) if term not in named]
        return [
            Reason("bias", _BIAS),
            *(Reason(f"anchor:{term}", weights[term]) for term in named),
            *(Reason(f"context:{term}", CONTEXT_FACTOR * weights[term]) for term in further),
        ]


def _context(link: Link) -> str:
    # Terms have no line breaks, so that no term matches across parts.
    return "\n".join((link.title, link.heading, link.before, link.after))


def _unknown(link: Link) -> ScoredLink:
    return ScoredLink(link, _BIAS, _UNKNOWN)


# In natural log-odds. An anchor that is just the keyword leads there; in a headline of twenty
# characters the same word may be about something else.
_FOUND, _WHOLE = 2.0, 3.0
_EARLIER_KEYWORD = 1.0
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
