"""Crawl orders, each as a function that scores the links of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from focuscrawl.pages.link import ScoredLink
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail
from focuscrawl.policy.sparse_tunnel import Mode

if TYPE_CHECKING:
    from focuscrawl.spider_arguments import TunnelArguments
    from focuscrawl.topics import Topic
    from focuscrawl.topics.topic_lexicon import Lexicon


class Order(Protocol):
    """A crawl order: links with higher scores are followed first."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return one score per link of the page with URL ``via``."""


class ByClassifier:
    """By the log-odds of the link scorer, a classifier or a lexicon."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return the links' own scores."""
        return [link.score for link in links]


class ByStatistics:
    """By the link scorer and the online statistics of the crawl."""

    def __init__(self, statistics: OnlineStatistics) -> None:
        self._score = statistics.score

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return the scores by the current statistics."""
        return [self._score(Trail(link, via), probability) for link, _, probability in links]


class KeywordsFirst:
    """Links with a keyword of the topic in the anchor before all others, the newest first.

    The order of a short script with a deque: such links to its front, others to its back. One for
    crawlee, which filters links by their URLs, also looks there (``with_urls``).
    """

    def __init__(self, lexicon: Lexicon, with_urls: bool = False) -> None:
        self._lexicon = lexicon
        self._with_urls = with_urls
        self._pages = 0

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return the number of the page for links with a keyword, 0 for the others."""
        self._pages += 1
        texts = [
            f"{link.anchor} {unquote(link.url)}" if self._with_urls else link.anchor
            for link, _, _ in links
        ]
        found = self._lexicon.hits_of(texts)
        weights = self._lexicon.weights
        # Not words against the topic.
        are_first = (any(weights[term] > 0 for term in terms) for terms in found)
        return [float(self._pages) if is_first else 0.0 for is_first in are_first]


class ByParent:
    """Links of relevant pages first: the classical focused crawl (Chakrabarti et al. 1999)."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return 1 or 0 for all of them."""
        return [float(is_relevant)] * len(links)


class ByArrival:
    """First in, first out: breadth-first."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return zeros."""
        return [0.0] * len(links)


class AtRandom:
    """Random order by a hash of the URL, the same in every run: the baseline of comparisons."""

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return numbers from 0 to 1 that depend on the links' URLs alone."""
        return [_fraction(link.link.url) for link in links]


class ByTruth:
    """By the true relevance of the targets, which no real crawl knows: the one-step oracle."""

    def __init__(self, truth: Mapping[str, bool]) -> None:
        self._truth = truth

    def scores(self, via: str, is_relevant: bool, links: Sequence[ScoredLink]) -> list[float]:
        """Return 1 for relevant targets, else 0."""
        return [float(self._truth.get(link.link.url, False)) for link in links]


def order_of(
    given: TunnelArguments,
    statistics: OnlineStatistics | None,
    truth: Mapping[str, bool],
    topic: Topic,
) -> Order:
    """Return the order that the arguments of the tunnel spider ask for."""
    if Mode(given.mode) is Mode.BREADTH:
        return ByArrival()
    if statistics:
        return ByStatistics(statistics)
    if given.order == "oracle":
        return ByTruth(truth)
    if given.order in ("keyword-front", "crawlee"):
        return KeywordsFirst(topic.words, with_urls=given.order == "crawlee")
    others: dict[str, type[Order]] = {"parent": ByParent, "random": AtRandom}
    return others.get(given.order, ByClassifier)()


def _fraction(url: str) -> float:
    digest = blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
