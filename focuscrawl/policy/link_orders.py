"""The orders in which a crawl may take links: each gives every link of a page a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from focuscrawl.pages.link import ScoredLink
from focuscrawl.policy.online_statistics import Experience, Trail

if TYPE_CHECKING:
    from focuscrawl.topics.topic_lexicon import Lexicon


class Order(Protocol):
    """Says how much each link is worth."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return a score for each link of the page ``via``, which is relevant or not."""


class ByClassifier:
    """By the log-odds of whatever scored the links: classifier or lexicon."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return the links' own scores."""
        return [link.score for link in links]


class ByExperience:
    """By classifier and what the crawl has learned so far."""

    def __init__(self, experience: Experience) -> None:
        self._score = experience.score

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return what the links are worth by now."""
        return [self._score(Trail(link, via), probability) for link, _, probability in links]


class KeywordsToTheFront:
    """A keyword of the topic in the anchor puts a link before all others, the newest first.

    What a short script does that has a queue with a front and a back.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._pages = 0

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return the number of the page for links with a keyword, 0 for the others."""
        self._pages += 1
        found = self._lexicon.hits_of([link.link.anchor for link in links])
        return [float(self._pages) if terms else 0.0 for terms in found]


class ByParent:
    """Links of relevant pages first: the classical focused crawl (Chakrabarti et al. 1999)."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return 1 or 0 for all of them."""
        return [float(is_relevant)] * len(links)


class ByArrival:
    """First come, first served: breadth-first."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return zeros."""
        return [0.0] * len(links)


class ByChance:
    """At random, but the same every time: the floor of every comparison."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return numbers from 0 to 1 that depend on the links' URLs alone."""
        return [_fraction(link.link.url) for link in links]


class ByTruth:
    """By the known relevance of the targets, which no crawl can know: the one-step oracle."""

    def __init__(self, truth: Mapping[str, bool]) -> None:
        self._truth = truth

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return 1 for relevant targets, else 0."""
        return [float(self._truth.get(link.link.url, False)) for link in links]


def _fraction(url: str) -> float:
    digest = blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
