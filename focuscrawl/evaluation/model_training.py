"""Training of the shipped classifiers: on all labelled examples, with figures by cross-validation over hosts.

Also one classifier a fold of hosts, for crawls of the recorded web that they are trained on, and the card of
a model with its training data and its quality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Bools, Floats, Interval, intervals, quality
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, Indices, cross_validation
from focuscrawl.evaluation.links.classifier_contest import calibration_error
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import LabelledPage, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.fold_scorer import FoldPageJudge, FoldScorer
from focuscrawl.scoring.harvest_estimate import JudgeQuality, ModelQuality, log_odds
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.link_classifier import Algorithm, LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.model_files.fold_files import save_folds
from focuscrawl.scoring.model_files.scorer_loading import PageRuleJudge, version_of
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures, ScoredPage
from focuscrawl.topics import Topic

FOLDS = 5
_MOST_WRONG = 0.1  # calibration error
_GROUPS = {
    FeatureGroup.ANCHOR: "words of the anchor",
    FeatureGroup.CONTEXT: "words and lexicon terms of anchor and context",
    FeatureGroup.URL: "words and lexicon terms of anchor, context and URL; position on the page",
}
_VERSIONS = ("focuscrawl", "scikit-learn", "numpy")

C = TypeVar("C", LinkClassifier, PageClassifier)
E = TypeVar("E")
Step = Callable[[str], None]
_Scored = Sequence[ScoredLink] | Sequence[ScoredPage]
_Rows = Sequence[int] | Indices
_Judge = Callable[[Indices, Indices], _Scored]


@dataclass(frozen=True, slots=True)
class Figures:
    """Quality of a classifier on hosts that it has not seen, by cross-validation.

    Precision, recall and F1 at a probability of one half; bootstrap intervals by host; the
    calibration error is over 15 bins of equal width. ``untrained`` is the average precision, on the
    same hosts, of the judge used without a training: the lexicon, or the page rule. ``trivial_f1`` is
    the F1 of calling everything relevant.
    """

    average_precision: Interval
    precision: Interval
    recall: Interval
    f1: Interval
    calibration_error: float
    untrained: float
    trivial_f1: float


@dataclass(frozen=True, slots=True)
class Trained(Generic[C]):
    """A classifier, counts of its training data, and its figures (None with too few hosts).

    ``held_out`` has the probability of each example by a classifier that has not seen its host; it is empty
    with too few hosts.
    """

    classifier: C
    examples: int
    relevant: int
    hosts: int
    figures: Figures | None
    held_out: list[float]

    def doubt(self, untrained: str) -> str:
        """Return why it should not be installed, or an empty string; ``untrained`` names the other judge."""
        figures = self.figures
        if figures is None:
            return f"cannot be measured: that takes relevant and irrelevant examples on {FOLDS} hosts each"
        if figures.average_precision.estimate < figures.untrained:
            return f"ranks worse than the {untrained}"
        if figures.f1.estimate < figures.trivial_f1:
            return f"has an F1 below that of calling everything relevant ({figures.trivial_f1:.3f})"
        if figures.calibration_error > _MOST_WRONG:
            return f"has probabilities that are wrong by {figures.calibration_error:.2f} on average"
        return ""

    @property
    def expectation(self) -> str:
        """What to expect of it on hosts that it has not seen, in plain words."""
        if self.figures is None:
            return "nobody knows how it does on other hosts; it may have learned one host's words"
        right, seen = self.figures.precision.estimate, self.figures.recall.estimate
        return (
            f"of 100 it calls relevant on a new host, some {100 * right:.0f} are; of 100 relevant ones it"
            f" recognises some {100 * seen:.0f}"
        )

    def __str__(self) -> str:
        return f"{self.examples} examples, {self.relevant} relevant, {self.hosts} hosts"


def train_links(
    data: DataSet,
    topic: Topic,
    algorithm: Algorithm = "nb",
    group: FeatureGroup = FeatureGroup.URL,
    step: Step = lambda _: None,
) -> Trained[LinkClassifier]:
    """Train a link classifier on all labelled links; ``step`` is called before each training.

    Raises :class:`~focuscrawl.errors.ArgumentError` if all have the same label.
    """
    labels = data.labels.tolist()
    _check(labels, "links")
    features = LinkFeatures(topic.terms, group=group)
    examples = features.of(data.links)

    def fitted(rows: _Rows) -> LinkClassifier:
        step("training on links")
        classifier = LinkClassifier(features, algorithm=algorithm)
        return classifier.fit_features(*_taken(rows, examples, labels, data.hosts))

    def judge(train: Indices, test: Indices) -> Sequence[ScoredLink]:
        return fitted(train).score([data.links[row] for row in test])

    held_out = _held_out(judge, labels, data.hosts)
    figures = _figures(held_out, LexiconScorer(topic).score(data.links), labels, data.hosts)
    return _trained(fitted(range(len(labels))), labels, data.hosts, figures, held_out)


def train_pages(
    pages: Sequence[LabelledPage], topic: Topic, step: Step = lambda _: None
) -> Trained[PageClassifier]:
    """Train a page classifier on all labelled pages, see :func:`train_links`."""
    texts = [(page.title, page.text) for page in pages]
    labels, hosts = [page.label for page in pages], [host_of(page.url) for page in pages]
    _check(labels, "pages")
    features = PageFeatures(topic.terms)
    examples = features.of(texts)

    def fitted(rows: _Rows) -> PageClassifier:
        step("training on pages")
        return PageClassifier(features).fit_features(*_taken(rows, examples, labels, hosts))

    def judge(train: Indices, test: Indices) -> Sequence[ScoredPage]:
        return fitted(train).score([texts[row] for row in test])

    held_out = _held_out(judge, labels, hosts)
    figures = _figures(held_out, PageRuleJudge(topic).score(texts), labels, hosts)
    return _trained(fitted(range(len(texts))), labels, hosts, figures, held_out)


def judges_quality(
    data: DataSet, topic: Topic, links: Sequence[float], pages: Sequence[float]
) -> ModelQuality:
    """Measure the page rule and the classifier as judges of pages.

    ``links`` and ``pages`` are the probabilities of the data's links and pages by classifiers that have not
    seen their hosts, both may be empty; without ``pages`` there is no classifier.
    """
    behind = links_by_page([link.url for link in data.links], links) if links else {}
    by_rule = PageRuleJudge(topic).score([(page.title, page.text) for page in data.pages])
    judged = {"rule": by_rule, "model": [ScoredPage(0.0, one) for one in pages]}
    found = {name: measured_quality(data.pages, its, behind) for name, its in judged.items() if its}
    return ModelQuality(
        topic_version=version_of(topic), judges={name: one for name, one in found.items() if one}
    )


def _taken(
    rows: _Rows, examples: Sequence[E], labels: Sequence[bool], hosts: Sequence[str]
) -> tuple[list[E], list[bool], list[str]]:
    # Extracting features takes longer than training: all folds share those of an example.
    return (
        [examples[row] for row in rows],
        [labels[row] for row in rows],
        [hosts[row] for row in rows],
    )


def _trained(
    classifier: C,
    labels: Sequence[bool],
    hosts: Sequence[str],
    figures: Figures | None,
    held_out: Sequence[ScoredLink | ScoredPage],
) -> Trained[C]:
    return Trained(
        classifier,
        len(labels),
        sum(labels),
        len(set(hosts)),
        figures,
        [one.probability for one in held_out],
    )


def _check(labels: Sequence[bool], what: str) -> None:
    if len(set(labels)) < 2:
        missing = "irrelevant" if any(labels) else "relevant"
        raise ArgumentError(
            f"no {missing} {what} to train on; add domains to the topic and label more"
        )


def _held_out(
    judge: _Judge, labels: Sequence[bool], hosts: Sequence[str]
) -> list[ScoredLink | ScoredPage]:
    """Return what is said of each example by a classifier that has not seen its host; empty for few hosts."""
    try:
        splits = cross_validation(labels, hosts, folds=FOLDS)
    except ArgumentError:
        return []
    said: dict[int, ScoredLink | ScoredPage] = {}
    for split in splits:
        said |= zip(split.test.tolist(), judge(*split), strict=True)
    return [said[row] for row in range(len(labels))]


def _figures(
    judged: Sequence[ScoredLink | ScoredPage],
    untrained: _Scored,
    labels: Sequence[bool],
    hosts: Sequence[str],
) -> Figures | None:
    if not judged:
        return None
    truth = np.asarray(labels)
    probabilities = np.array([scored.probability for scored in judged])
    scores = np.array([scored.score for scored in judged])
    found = intervals(truth, scores, probabilities >= 0.5, hosts)
    return Figures(
        **found,
        calibration_error=calibration_error(truth, probabilities),
        trivial_f1=2 * float(truth.mean()) / (1 + float(truth.mean())),
        untrained=_average_precision(truth, np.array([one.score for one in untrained])),
    )


def _average_precision(labels: Bools, scores: Floats) -> float:
    return quality(labels, scores, scores >= 0).average_precision


def train_folds(
    data: DataSet,
    topic: Topic,
    folds: int,
    folder: Path,
    source: str,
    step: Callable[[], None] = lambda: None,
) -> Path:
    """Train and write a link and a page classifier per fold; ``step`` is called after each fold.

    ``source`` is kept with them, see :func:`~focuscrawl.scoring.model_files.fold_files.save_folds`. Raises
    :class:`~focuscrawl.errors.ArgumentError` if there are fewer hosts than folds need.
    """
    fold_of = deal_hosts(data, folds)
    links, pages = [], []
    for part in training_parts(data, fold_of, folds):
        classifier = LinkClassifier(LinkFeatures(topic.terms))
        links.append(classifier.fit(part.links, part.labels.tolist(), part.hosts))
        if len({page.label for page in part.pages}) == 2:
            judge = PageClassifier(PageFeatures(topic.terms))
            texts = [(page.title, page.text) for page in part.pages]
            labels = [page.label for page in part.pages]
            pages.append(judge.fit(texts, labels, [host_of(page.url) for page in part.pages]))
        step()
    pages = pages if len(pages) == folds else []
    scored = FoldScorer(links, fold_of, topic.name).score(data.links)
    by_fold = FoldPageJudge(pages, fold_of, topic.name)
    judged = [
        by_fold.at(page.url).score([(page.title, page.text)])[0].probability
        for page in (data.pages if pages else ())
    ]
    quality = judges_quality(data, topic, [one.probability for one in scored], judged)
    return save_folds(folder, topic.name, source, fold_of, links, pages, quality)


def deal_hosts(data: DataSet, folds: int) -> dict[str, int]:
    """Return the fold of every host, balanced by the labels of its links, else of its pages.

    A host whose links redirect to another host is in the fold of that host.
    """
    splits = cross_validation(data.labels, data.hosts, folds=folds)
    fold_of = {data.hosts[row]: fold for fold, split in enumerate(splits) for row in split.test}
    for link, host in zip(data.links, data.hosts, strict=True):
        fold_of.setdefault(host_of(link.url), fold_of[host])
    pages = Counter(host_of(page.url) for page in data.pages)
    sizes = Counter(dict.fromkeys(range(folds), 0))
    for host, fold in fold_of.items():
        sizes[fold] += pages[host]
    for host in sorted({*pages, *data.sources} - {*fold_of}):
        smallest = min(sizes, key=lambda fold: (sizes[fold], fold))
        fold_of[host] = smallest
        sizes[smallest] += pages[host]
    return fold_of


def training_parts(data: DataSet, fold_of: Mapping[str, int], folds: int) -> Iterator[DataSet]:
    """Yield the training data of each fold: no pages of its hosts, and no links from or to them."""
    touched = np.array(
        [
            [fold_of[host] for host in (target, host_of(link.url), source)]
            for link, target, source in zip(data.links, data.hosts, data.sources, strict=True)
        ]
    )
    for fold in range(folds):
        held_out = [host for host, its in fold_of.items() if its == fold]
        yield data.part(np.flatnonzero((touched != fold).all(axis=1)), held_out)


def model_card(
    topic: Topic,
    source: str,
    links: Trained[LinkClassifier],
    pages: Trained[PageClassifier] | None,
    quality: ModelQuality,
) -> str:
    """Return the model card in Markdown; ``source`` describes the origin of the labels in one line."""
    classifier = links.classifier
    lines = [
        f"# Models of the topic {topic.name}",
        "",
        topic.description,
        "",
        f"Labels: {source}. The files hold counts of words, no text and no URLs; every word occurs"
        f" in at least {classifier.min_count:g} links. Written by `scrapy train {topic.name}`.",
        "",
        "## links.json: relevance of the page behind a link",
        "",
        *_facts(links, "lexicon"),
        f"- features: {_GROUPS[classifier.features.group]}; {len(classifier.model.weights)} of them",
        f"- algorithm: {classifier.algorithm}; a host with n links counts as the square root of n",
    ]
    if pages:
        lines += [
            "",
            "## pages.json: relevance of a fetched page",
            "",
            *_facts(pages, "page rule"),
            f"- features: words of title and beginning of the text, density of lexicon terms;"
            f" {len(pages.classifier.model.weights)} of them",
            "- algorithm: multinomial Naive Bayes",
        ]
    lines += _quality_lines(quality.judges)
    lines += ["", "Made with " + ", ".join(f"{name} {version(name)}" for name in _VERSIONS) + "."]
    return "\n".join(lines) + "\n"


def _facts(
    trained: Trained[LinkClassifier] | Trained[PageClassifier], untrained: str
) -> Iterator[str]:
    yield f"- trained on: {trained}"
    yield f"- tokeniser: {trained.classifier.features.tokeniser.name}"
    yield f"- what to expect: {trained.expectation}"
    if trained.figures is None:
        return
    yield f"- on hosts held out, {FOLDS} folds (95 % bootstrap interval by host):"
    yield from _figure_lines(trained.figures)
    yield f"  - average precision of the {untrained}: {trained.figures.untrained:.3f}"


def _quality_lines(judges: Mapping[str, JudgeQuality]) -> Iterator[str]:
    if judges:
        yield from ("", "## quality.json: the judges of pages in crawls, on hosts held out", "")
    for name, its in judges.items():
        yield f"- {name}: {its.text}, {its.hosts} hosts; crawls correct their harvest by these pages"


def _figure_lines(figures: Figures) -> Iterator[str]:
    for name, value in (
        ("average precision", figures.average_precision),
        ("precision at a probability of 0.5", figures.precision),
        ("recall", figures.recall),
        ("F1", figures.f1),
    ):
        yield f"  - {name}: {_interval(value)}"
    yield f"  - expected calibration error: {figures.calibration_error:.3f}"


def _interval(value: Interval) -> str:
    return f"{value.estimate:.3f} [{value.low:.3f}, {value.high:.3f}]"


# Measurement of a judge of pages on held-out hosts, for the estimate of harvest rates.


def links_by_page(urls: Sequence[str], probabilities: Sequence[float]) -> dict[str, list[float]]:
    """Return the probabilities of the links to each page, by its canonical URL."""
    found: dict[str, list[float]] = {}
    for url, probability in zip(urls, probabilities, strict=True):
        found.setdefault(canonical_or_same(url), []).append(probability)
    return found


def measured_quality(
    pages: Sequence[LabelledPage],
    judged: Sequence[ScoredPage],
    links: Mapping[str, Sequence[float]],
) -> JudgeQuality | None:
    """Return the quality of a judge on pages that it was not trained on, None if nothing follows from them.

    ``links`` has the probabilities of the links to a page by its canonical URL, from a scorer that has not
    seen its host. A page with n links counts as n parts: a crawl follows one of them, and not always the best,
    since it has not seen them all. Pages without links are counted, but no weight is fitted on them.
    """
    labels = np.array([page.label for page in pages], bool)
    chosen = np.array([one.relevant for one in judged], bool)
    hosts = np.array([host_of(page.url) for page in pages])
    behind = [links.get(canonical_or_same(page.url), ()) for page in pages]
    rows = np.array([row for row, its in enumerate(behind) for _ in its], int)
    parts = np.array([1 / len(its) for its in behind for _ in its])
    columns = [
        (1.0, log_odds(one.probability), log_odds(link))
        for one, its in zip(judged, behind, strict=True)
        for link in its
    ]
    known = labels[rows]
    if len(set(known.tolist())) < 2 or len(set(hosts[rows].tolist())) < 2:
        return None
    weights, covariance, clustering = _fitted(np.array(columns), parts, known, hosts[rows])
    return JudgeQuality(
        hosts=len(set(hosts.tolist())),
        found=int((labels & chosen).sum()),
        missed=int((labels & ~chosen).sum()),
        false_alarms=int((~labels & chosen).sum()),
        rejected=int((~labels & ~chosen).sum()),
        weights=weights.round(6).tolist(),
        covariance=covariance.round(9).tolist(),
        clustering=round(clustering, 6),
    )


def _fitted(
    columns: Floats, parts: Floats, labels: Bools, hosts: np.ndarray
) -> tuple[Floats, Floats, float]:
    """Return the weights of a logistic regression, their covariance by clusters (Liang and Zeger 1986,
    Biometrika 73), and the clustering of its errors by host, by the method of moments.
    """
    model = LogisticRegression(C=1.0, max_iter=1000).fit(columns[:, 1:], labels, parts)
    weights = np.array([model.intercept_[0], *model.coef_[0]])
    chances = model.predict_proba(columns[:, 1:])[:, 1]
    slopes, errors = parts * chances * (1 - chances), parts * (labels - chances)
    groups = [hosts == host for host in np.unique(hosts)]
    scores = np.array([errors[group] @ columns[group] for group in groups])
    bread = np.linalg.pinv(columns.T @ (columns * slopes[:, None]))
    spreads = np.array([slopes[group].sum() for group in groups])
    excess = np.array([errors[group].sum() ** 2 for group in groups]) - spreads
    clustering = float(max(0.0, excess.sum() / max((spreads**2).sum(), 1e-12)))
    return weights, bread @ (scores.T @ scores) @ bread, clustering
