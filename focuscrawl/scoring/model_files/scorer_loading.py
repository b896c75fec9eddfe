"""Choice of the link scorer and page judge of a topic: the trained model, else the lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from focuscrawl.pages.link import LinkScorer
from focuscrawl.scoring.fold_scorer import FoldPageJudge
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.model_files.classifier_files import (
    LINKS_FILE,
    PAGES_FILE,
    load_links,
    load_pages,
)
from focuscrawl.scoring.model_files.fold_files import FOLDS_FILE, load_fold_judge, load_fold_scorer
from focuscrawl.scoring.model_files.model_installation import installed
from focuscrawl.scoring.page_classifier import ScoredPage
from focuscrawl.scoring.page_sums import PageText
from focuscrawl.scoring.probability_calibration import Calibration
from focuscrawl.topics import Topic, page_relevance

_PACKAGE = Path(__file__).resolve().parents[2]
# The wheel has the models in the package, a checkout beside it.
_PLACES = (_PACKAGE / "models", _PACKAGE.parent / "models")
_SHIPPED = next((folder for folder in _PLACES if folder.is_dir()), _PLACES[0])
_ALMOST = 0.499


class PageJudge(Protocol):
    """Judges pages; the trained classifier and the topic's page rule are two of them."""

    @property
    def name(self) -> str:
        """What judges, for logs."""

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages, each (title, text)."""


class PageRuleJudge:
    """The page rule of a topic as a :class:`PageJudge`; its probabilities are not calibrated."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self.name = f"{topic.name} (page rule)"

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages, each (title, text); the score is that above the rule's least."""
        return [self._judged(title, text) for title, text in pages]

    def _judged(self, title: str, text: str) -> ScoredPage:
        found = page_relevance(self._topic, title, text)
        score = found.score - self._topic.page_rule.min_score
        probability = Calibration()(score)
        return ScoredPage(score, probability if found.relevant else min(probability, _ALMOST))


def load_scorer(topic: Topic, models: Path) -> LinkScorer:
    """Return the scorer of links: of the folder ``models``, else shipped, else the lexicon.

    In each folder classifiers of folds (see :class:`~focuscrawl.scoring.fold_scorer.FoldScorer`) come
    first. Raises :class:`~focuscrawl.errors.ModelError` for a model that is there and cannot be used.
    """
    path = find_model(topic.name, (FOLDS_FILE, LINKS_FILE), models)
    if path is None:
        return LexiconScorer(topic)
    return load_fold_scorer(path) if path.name == FOLDS_FILE else load_links(path)


def load_page_judge(topic: Topic, models: Path) -> PageJudge:
    """Return the judge of pages, as :func:`load_scorer`; :func:`judge_at` says who judges a page."""
    path = find_model(topic.name, (FOLDS_FILE, PAGES_FILE), models)
    if path is None:
        return PageRuleJudge(topic)
    if path.name == FOLDS_FILE:
        return load_fold_judge(path) or PageRuleJudge(topic)
    return load_pages(path)


def judge_at(judge: PageJudge, url: str) -> PageJudge:
    """Return who judges the page at a URL: of a judge by folds, that which has not seen its host."""
    return judge.at(url) if isinstance(judge, FoldPageJudge) else judge


def find_model(topic: str, files: Sequence[str], models: Path) -> Path | None:
    """Return where one of the files is: in the user's folder, else where they ship, else None."""
    places = (installed(folder / topic, file) for folder in (models, _SHIPPED) for file in files)
    return next((path for path in places if path), None)


def untrained_note(topic: str) -> str:
    """Return a sentence for a crawl without a trained link scorer: why, and what scores instead."""
    if not _SHIPPED.is_dir():
        return (
            f"the models of focuscrawl are not installed (no folder {_SHIPPED}): install the package"
            f" again; links are scored by the lexicon of {topic}"
        )
    return f"no model of {topic} is trained: links are scored by its lexicon"


def is_trained(scorer: LinkScorer) -> bool:
    """Whether a scorer has learned from links."""
    return not isinstance(scorer, LexiconScorer)
