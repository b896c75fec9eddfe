"""Model card of a trained model: its training data and its quality."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

from focuscrawl.evaluation.classification_metrics import Interval
from focuscrawl.evaluation.training.model_training import FOLDS, Figures, Trained
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup
from focuscrawl.scoring.page_classifier import PageClassifier
from focuscrawl.topics import Topic

_GROUPS = {
    FeatureGroup.ANCHOR: "words of the anchor",
    FeatureGroup.CONTEXT: "words and lexicon terms of anchor and context",
    FeatureGroup.URL: "words and lexicon terms of anchor, context and URL; position on the page",
}
_VERSIONS = ("focuscrawl", "scikit-learn", "numpy")


def model_card(
    topic: Topic,
    source: str,
    links: Trained[LinkClassifier],
    pages: Trained[PageClassifier] | None,
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
    yield from _figures(trained.figures)
    yield f"  - average precision of the {untrained}: {trained.figures.untrained:.3f}"


def _figures(figures: Figures) -> Iterator[str]:
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
