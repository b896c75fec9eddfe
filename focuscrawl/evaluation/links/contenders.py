"""Contenders of a comparison: variants of the link classifier, and baselines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import numpy as np
from scipy.sparse import csr_matrix, hstack  # type: ignore[import-untyped]
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    CountVectorizer,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
from focuscrawl.evaluation.links.classifier_contest import Contender, Judge, JudgedLinks
from focuscrawl.pages.link import LabelledPage, Link, LinkScorer, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.link_classifier import Algorithm, LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures, ScoredPage
from focuscrawl.scoring.page_log_odds import PageText
from focuscrawl.topics import Topic

# The link classifier of the ACHE crawler as a baseline, reimplemented from its description.

AROUND_WORDS = 10
SHORTEST, LONGEST = 3, 30
LEAST_FREQUENCY = 6
VOCABULARY = {"anchor": 150, "url": 150, "around": 150}
SAMPLE = 5000
# Words are separated by blanks and punctuation, so that a whole Chinese clause is one word.
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_URL_NOISE = frozenset("http https www net cfm cgi asp php jsp".split())


class AcheClassifier:
    """Features and algorithm of ACHE: frequent words of anchor, URL and surroundings, a linear SVM.

    Reimplemented without its code from public information (github.com/VIDA-NYU/ache, its
    documentation and the behaviour of its link classifier; Barbosa & Freire 2007, An Adaptive
    Crawler for Locating Hidden-Web Entry Points):

    - words of the anchor, of the URL's path and query, and of up to ten words on each side of the
      link, each kind in its own namespace, present or not; the top-level domain;
    - words are split at blanks and punctuation, in lower case; words of one or two characters, of
      more than 30, English stop words, and words seen at most five times are dropped;
    - the vocabulary has the most frequent words of each kind, 450 words in total;
    - a linear support vector machine with C = 1, trained on at most 5,000 links of each label and on
      no more irrelevant than relevant ones; a sigmoid fitted to the training links turns its
      decision into a probability.

    Omitted: Porter's stemmer and the merging of URL words that contain each other (both are about
    English words), words of image names (off by default in ACHE, too), and retraining during the
    crawl. Surroundings are the link's ``before`` and ``after`` as found by our page parser.

    A word of Chinese text is a whole clause here, and percent-encoded Chinese in a URL is split into
    pieces of two characters, which are dropped. That is how ACHE works on Chinese pages, not an
    error of this reimplementation.
    """

    name = "ACHE features"

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._vectorizers: dict[str, CountVectorizer] = {}
        self._machine = LinearSVC(C=1.0, random_state=seed)
        self._sigmoid = LogisticRegression()

    def fit(self, links: Sequence[Link], labels: Sequence[bool]) -> AcheClassifier:
        """Train on links (n,) and their labels (n,), which must include both values; return itself."""
        rows = self._sample(np.asarray(labels, dtype=bool))
        chosen, truth = [links[row] for row in rows], np.asarray(labels, dtype=bool)[rows]
        for kind, words_of in _KINDS.items():
            words = _frequent(map(words_of, chosen), VOCABULARY.get(kind))
            self._vectorizers[kind] = CountVectorizer(
                analyzer=words_of, vocabulary=words or [""], binary=True
            )
        matrix = self._matrix(chosen)
        self._machine.fit(matrix, truth)
        self._sigmoid.fit(self._machine.decision_function(matrix)[:, None], truth)
        return self

    def decision(self, links: Sequence[Link]) -> Floats:
        """Return scores (n,) for ranking: the signed distance from the separating plane."""
        return np.asarray(self._machine.decision_function(self._matrix(links)), dtype=np.float64)

    def probability(self, links: Sequence[Link]) -> Floats:
        """Return the sigmoid of the scores (n,)."""
        return np.asarray(self._sigmoid.predict_proba(self.decision(links)[:, None])[:, 1])

    def _matrix(self, links: Sequence[Link]) -> csr_matrix:
        return hstack([v.transform(links) for v in self._vectorizers.values()], format="csr")

    def _sample(self, labels: Bools) -> list[int]:
        relevant = self._random.permutation(np.flatnonzero(labels))[:SAMPLE]
        others = self._random.permutation(np.flatnonzero(~labels))[: len(relevant)]
        return sorted([*relevant.tolist(), *others.tolist()])


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if _is_kept(word)]


def _is_kept(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word not in ENGLISH_STOP_WORDS


def _anchor_words(link: Link) -> list[str]:
    return _words(link.anchor)


def _url_words(link: Link) -> list[str]:
    parts = urlsplit(link.url)
    return [word for word in _words(f"{parts.path}?{parts.query}") if word not in _URL_NOISE]


def _around_words(link: Link) -> list[str]:
    before, after = _WORD.findall(link.before.lower()), _WORD.findall(link.after.lower())
    near = (*before[-AROUND_WORDS:], *after[:AROUND_WORDS])
    return [word for word in near if _is_kept(word)]


def _top_level_domain(link: Link) -> list[str]:
    return [(urlsplit(link.url).hostname or "").rpartition(".")[2]]


_KINDS = {
    "anchor": _anchor_words,
    "url": _url_words,
    "around": _around_words,
    "domain": _top_level_domain,
}


def _frequent(texts: Iterable[list[str]], most: int | None) -> list[str]:
    seen = Counter(word for words in texts for word in words)
    return [word for word, times in seen.most_common(most) if times >= LEAST_FREQUENCY]


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
            return lambda links: JudgedLinks(
                classifier.decision(links), classifier.probability(links)
            )

        return Contender(AcheClassifier.name, train)

    def features(self, group: FeatureGroup) -> LinkFeatures:
        """Return the features of a classifier of this topic."""
        return LinkFeatures(self.topic.terms, group=group)


def judge_of(scorer: LinkScorer) -> Judge:
    """Return a scorer as a judge."""

    return lambda links: _judged(scorer.score(links))


def _judged(scored: Sequence[ScoredLink] | Sequence[ScoredPage]) -> JudgedLinks:
    return JudgedLinks(
        np.array([one.score for one in scored]), np.array([one.probability for one in scored])
    )


def _examples(pages: list[T], part: DataSet) -> tuple[list[T], list[bool], list[str]]:
    labels = [page.label for page in part.pages]
    return pages, labels, [host_of(page.url) for page in part.pages]


def _as_link(page: LabelledPage) -> Link:
    return Link(page.url, page.title, page.text[:_CHARACTERS])


def _as_page(link: Link) -> PageText:
    return link.anchor, f"{link.before}\n{link.after}"
