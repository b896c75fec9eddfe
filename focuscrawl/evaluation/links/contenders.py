"""Contenders of a comparison: variants of the link classifier, and baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
from focuscrawl.evaluation.links.ache_classifier import AcheClassifier
from focuscrawl.evaluation.links.classifier_contest import Contender, Judge, Judged
from focuscrawl.pages.link import LabelledPage, Link, LinkScorer, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.link_classifier import Algorithm, LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures, ScoredPage
from focuscrawl.scoring.page_log_odds import PageText
from focuscrawl.topics import Topic

T = TypeVar("T")
# Characters of a page's text, as many as the page classifier reads.
_CHARACTERS = 1500


@dataclass(frozen=True, slots=True)
class Setup:
    """A topic, and the feature group of its classifier."""

    topic: Topic
    group: FeatureGroup = FeatureGroup.URL

    def link_trained(self, algorithm: Algorithm, group: FeatureGroup) -> Contender:
        """Return the link classifier, trained on links."""

        def train(part: DataSet) -> Judge:
            classifier = LinkClassifier(self.features(group), algorithm=algorithm)
            return judge_of(classifier.fit(part.links, part.labels.tolist(), part.hosts))

        return Contender(algorithm, train)

    def page_trained(self, algorithm: Algorithm) -> list[Contender]:
        """Return the contenders that are trained on pages and judge links.

        The first is the link classifier, with the title of a page as anchor and the beginning of its
        text as context, so that only the training data differ (the paper's table 2). The second is
        the page classifier, with the anchor of a link as title and its context as text.
        """

        def train_links(part: DataSet) -> Judge:
            classifier = LinkClassifier(self.features(FeatureGroup.CONTEXT), algorithm=algorithm)
            return judge_of(
                classifier.fit(*_examples([_as_link(page) for page in part.pages], part))
            )

        def train_pages(part: DataSet) -> Judge:
            classifier = PageClassifier(PageFeatures(self.topic.terms))
            classifier.fit(*_examples([(page.title, page.text) for page in part.pages], part))
            return lambda links: _judged(classifier.score([_as_page(link) for link in links]))

        return [Contender("pages", train_links), Contender("pages, page classifier", train_pages)]

    def lexicon_only(self) -> Contender:
        """Return the topic's lexicon, which is not trained."""
        return Contender("lexicon only", lambda _: judge_of(LexiconScorer(self.topic)))

    def ache(self, seed: int = 0) -> Contender:
        """Return the classifier with ACHE's features."""

        def train(part: DataSet) -> Judge:
            classifier = AcheClassifier(seed).fit(part.links, part.labels.tolist())
            return lambda links: Judged(classifier.decision(links), classifier.probability(links))

        return Contender(AcheClassifier.name, train)

    def features(self, group: FeatureGroup) -> LinkFeatures:
        """Return the features of a classifier of this topic."""
        return LinkFeatures(self.topic.terms, group=group)


def judge_of(scorer: LinkScorer) -> Judge:
    """Return a scorer as a judge."""

    return lambda links: _judged(scorer.score(links))


def _judged(scored: Sequence[ScoredLink] | Sequence[ScoredPage]) -> Judged:
    return Judged(
        np.array([one.score for one in scored]), np.array([one.probability for one in scored])
    )


def _examples(pages: list[T], part: DataSet) -> tuple[list[T], list[bool], list[str]]:
    labels = [page.label for page in part.pages]
    return pages, labels, [host_of(page.url) for page in part.pages]


def _as_link(page: LabelledPage) -> Link:
    return Link(page.url, page.title, page.text[:_CHARACTERS])


def _as_page(link: Link) -> PageText:
    return link.anchor, f"{link.before}\n{link.after}"
