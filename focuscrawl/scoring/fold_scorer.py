"""Cross-validated classifiers, which judge only hosts they were not trained on, to measure crawls.

The hosts of a recorded web are split into k folds; the classifier of a fold was not trained on its
hosts. In a crawl of that same web, every link and every page is then judged as if its host were new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Self, TypeVar

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.page_classifier import PageClassifier, ScoredPage
from focuscrawl.scoring.page_log_odds import PageText

_UNKNOWN_HOSTS = 0

_Classifier = TypeVar("_Classifier", LinkClassifier, PageClassifier)


class _Folds(Generic[_Classifier]):
    """The classifiers of k folds. ``fold_of`` maps a host, see :func:`host_of`, to its fold.

    A host outside the mapping is judged by the first fold.
    """

    def __init__(
        self, classifiers: Sequence[_Classifier], fold_of: Mapping[str, int], name: str
    ) -> None:
        self.classifiers: list[_Classifier] = list(classifiers)
        self.name = name
        self._fold_of = fold_of

    def fold(self, url: str) -> int:
        """Return the number of the fold whose classifier judges a URL."""
        return self._fold_of.get(host_of(url), _UNKNOWN_HOSTS)


class FoldScorer(_Folds[LinkClassifier]):
    """A :class:`~focuscrawl.pages.link.LinkScorer` whose classifiers have not seen the link's host.

    That is the host of its target: the page with the link may have been in the training data.
    """

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score."""
        rows: dict[int, list[int]] = {}
        for row, link in enumerate(links):
            rows.setdefault(self.fold(link.url), []).append(row)
        scored = {
            row: found
            for fold, its in rows.items()
            for row, found in zip(
                its, self.classifiers[fold].score([links[row] for row in its]), strict=True
            )
        }
        return [scored[row] for row in range(len(links))]

    def explain(self, link: Link) -> list[Reason]:
        """Return the reasons for a link's score, heaviest first."""
        return self.classifiers[self.fold(link.url)].explain(link)

    @property
    def can_learn(self) -> bool:
        """True if the algorithm supports :meth:`partial_fit`."""
        return all(classifier.can_learn for classifier in self.classifiers)

    def partial_fit(
        self, links: Sequence[Link], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> Self:
        """Train all classifiers with links that the crawl has fetched: they are no longer unseen."""
        for classifier in self.classifiers:
            classifier.partial_fit(links, labels, weights)
        return self

    def pairs_of(self, links: Sequence[Link], labels: Sequence[bool]) -> dict[str, list[int]]:
        """Return counts by feature, see :meth:`LinkClassifier.pairs_of`; all folds have one tokeniser."""
        return self.classifiers[0].pairs_of(links, labels)

    def use_pairs(self, pairs: Mapping[str, Sequence[float]]) -> None:
        """Train all classifiers with further links that have these counts, instead of earlier ones."""
        for classifier in self.classifiers:
            classifier.use_pairs(pairs)


class FoldPageJudge(_Folds[PageClassifier]):
    """Page judge whose classifiers have not seen the page's host; see :meth:`at`."""

    def at(self, url: str) -> PageClassifier:
        """Return the classifier that judges the page with this URL."""
        return self.classifiers[self.fold(url)]

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages (title, text) with unknown URLs, like those of unknown hosts."""
        return self.classifiers[_UNKNOWN_HOSTS].score(pages)
