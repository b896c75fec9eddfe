"""Classifiers that judge only hosts they have not learned from, to measure crawls honestly.

The hosts of a recorded web are dealt into k folds; the classifier of a fold learned from nothing of
its hosts. A crawl of that same web then meets every link, and every page, as if its host were new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Self, TypeVar

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.page_classifier import PageClassifier, ScoredPage
from focuscrawl.scoring.page_sums import PageText

_UNKNOWN_HOSTS = 0

_Classifier = TypeVar("_Classifier", LinkClassifier, PageClassifier)


class _Folds(Generic[_Classifier]):
    """The classifiers of k folds. ``fold_of`` maps a host, see :func:`host_of`, to its fold.

    A host outside the mapping was held back from none; the first fold judges it.
    """

    def __init__(
        self, classifiers: Sequence[_Classifier], fold_of: Mapping[str, int], name: str
    ) -> None:
        self.classifiers: list[_Classifier] = list(classifiers)
        self.name = name
        self._fold_of = fold_of

    def fold(self, url: str) -> int:
        """Return the fold whose classifier judges what is at a URL."""
        return self._fold_of.get(host_of(url), _UNKNOWN_HOSTS)


class FoldScorer(_Folds[LinkClassifier]):
    """A :class:`~focuscrawl.pages.link.LinkScorer`: each link is scored by who has not seen its host.

    That of its target: the link itself may stand on a page that was learned from.
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
        """Return why a link has its score, heaviest first."""
        return self.classifiers[self.fold(link.url)].explain(link)

    @property
    def can_learn(self) -> bool:
        """Whether :meth:`partial_fit` can be used."""
        return all(classifier.can_learn for classifier in self.classifiers)

    def partial_fit(
        self, links: Sequence[Link], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> Self:
        """Let all classifiers learn what the crawl has found out: it is no longer unseen."""
        for classifier in self.classifiers:
            classifier.partial_fit(links, labels, weights)
        return self


class FoldPageJudge(_Folds[PageClassifier]):
    """Judges pages, each by who has not seen its host: ask :meth:`at` with the page's URL."""

    def at(self, url: str) -> PageClassifier:
        """Return who judges the page at a URL."""
        return self.classifiers[self.fold(url)]

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages of which no URL is known, each (title, text), as those of unknown hosts."""
        return self.classifiers[_UNKNOWN_HOSTS].score(pages)
