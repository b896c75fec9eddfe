"""Choice of the link scorer and page judge of a topic: the trained model, else the lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from focuscrawl.items import check_code
from focuscrawl.pages.link import LinkScorer
from focuscrawl.scoring.fold_scorer import FoldPageJudge
from focuscrawl.scoring.harvest_estimate import (
    QUALITY_FILE,
    JudgeQuality,
    ModelQuality,
    read_quality,
)
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
from focuscrawl.scoring.page_log_odds import PageText
from focuscrawl.scoring.probability_calibration import Calibration
from focuscrawl.topics import Topic, page_relevance

_PACKAGE = Path(__file__).resolve().parents[2]
# The wheel has the models in the package, a checkout beside it.
_PLACES = (_PACKAGE / "models", _PACKAGE.parent / "models")
_SHIPPED = next((folder for folder in _PLACES if folder.is_dir()), _PLACES[0])
_ALMOST = 0.999
_TEXT = "text:"


class PageJudge(Protocol):
    """Judge of pages, such as the trained classifier or the topic's page rule."""

    @property
    def name(self) -> str:
        """The name of the judge, for logs."""

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages, each (title, text)."""


class PageRuleJudge:
    """The page rule of a topic as a :class:`PageJudge`."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self.name = f"{topic.name} (page rule)"

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages, each (title, text); the score is in log-odds."""
        return [self._judged(title, text) for title, text in pages]

    def _judged(self, title: str, text: str) -> ScoredPage:
        found = page_relevance(self._topic, title, text)
        threshold = self._topic.page_rule.threshold
        probability = Calibration()(found.score)
        if not found.relevant:
            probability = min(probability, _ALMOST * threshold)
        return ScoredPage(found.score, probability, threshold)


def load_scorer(topic: Topic, models: Path) -> LinkScorer:
    """Return the link scorer: a model in the folder ``models``, else a shipped one, else the lexicon.

    In each folder, classifiers of folds (:class:`~focuscrawl.scoring.fold_scorer.FoldScorer`) take
    precedence. Raises :class:`~focuscrawl.errors.ModelError` for an existing model that is unusable.
    """
    path = find_model(topic.name, (FOLDS_FILE, LINKS_FILE), models)
    if path is None:
        return LexiconScorer(topic)
    return load_fold_scorer(path) if path.name == FOLDS_FILE else load_links(path)


def load_page_judge(topic: Topic, models: Path) -> PageJudge:
    """Return the page judge, chosen like :func:`load_scorer`; use :func:`judge_at` for a page."""
    path = find_model(topic.name, (FOLDS_FILE, PAGES_FILE), models)
    if path is None:
        return PageRuleJudge(topic)
    if path.name == FOLDS_FILE:
        return load_fold_judge(path) or PageRuleJudge(topic)
    return load_pages(path)


def quality_of(topic: Topic, judge: PageJudge, models: Path) -> JudgeQuality | str:
    """Return the measured quality of the judge of a topic's crawl, or why there is none.

    The figures are those beside the links' classifier that :func:`load_scorer` chooses. Raises
    :class:`~focuscrawl.errors.ModelError` for a file that is damaged.
    """
    path = find_model(topic.name, (FOLDS_FILE, LINKS_FILE), models)
    if path is None:
        return f"{topic.name} has no model card; train it: scrapy train {topic.name}"
    name = "rule" if isinstance(judge, PageRuleJudge) else "model"
    found = installed(path.parent, QUALITY_FILE)
    card = read_quality(found) if found else ModelQuality(topic_version="", judges={})
    folder = path.parent.resolve()
    if name not in card.judges:
        return f"the model card in {folder} has no figures of the {name} as a judge; retrain it"
    if name == "rule" and card.topic_version != version_of(topic):
        return f"the words of {topic.name} are not those of the model card in {folder}; retrain it"
    return card.judges[name]


def version_of(topic: Topic) -> str:
    """Return an MD5 of what the page rule judges by."""
    return check_code(topic.model_dump_json(include={"lexicon", "page_rule"}))


def judge_at(judge: PageJudge, url: str) -> PageJudge:
    """Return the judge of the page at a URL: for folds, the classifier that has not seen its host."""
    return judge.at(url) if isinstance(judge, FoldPageJudge) else judge


def find_model(topic: str, files: Sequence[str], models: Path) -> Path | None:
    """Return the path of one of the files: in the user's folder, else shipped, else None."""
    places = (installed(folder / topic, file) for folder in (models, _SHIPPED) for file in files)
    return next((path for path in places if path), None)


def word_shares() -> dict[str, float]:
    """Return the share of the pages that the shipped judges learned from that have a word, by word.

    The counts of a judge weigh repeated words more, so that shares are bounded by the commonest.
    """
    counts: Counter[str] = Counter()
    pages = 0.0
    for path in sorted(_SHIPPED.glob(f"*/{PAGES_FILE}")):
        words = load_pages(path).naive_bayes.counts
        of_text = {key[len(_TEXT) :]: sum(n) for key, n in words.items() if key.startswith(_TEXT)}
        counts.update(of_text)
        pages += max(of_text.values())
    return {word: count / pages for word, count in counts.items()}


def untrained_note(topic: str) -> str:
    """Return a sentence for a crawl without a trained link scorer: why, and what scores instead."""
    if not _SHIPPED.is_dir():
        return (
            f"the models of focuscrawl are not installed (no folder {_SHIPPED}): install the package"
            f" again; links are scored by the lexicon of {topic}"
        )
    return f"no trained model for {topic}: links are scored by its lexicon"


def is_trained(scorer: LinkScorer) -> bool:
    """Return whether a scorer was trained on links."""
    return not isinstance(scorer, LexiconScorer)
