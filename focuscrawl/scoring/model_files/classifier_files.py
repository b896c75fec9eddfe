"""Trained classifiers on disk: JSON with counts and the settings of their features, never code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from focuscrawl.errors import ModelError
from focuscrawl.scoring.linear_model import LinearModel
from focuscrawl.scoring.link_classifier import Algorithm, LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.model_files.model_installation import read_installed
from focuscrawl.scoring.naive_bayes import FeatureCounts, MultinomialNaiveBayes, NaiveBayes
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures
from focuscrawl.scoring.probability_calibration import Calibration
from focuscrawl.system.durable_files import replace_text
from focuscrawl.text.tokeniser import Tokeniser

FORMAT = 1
LINKS_FILE = "links.json"
PAGES_FILE = "pages.json"

# Far above any trained value, and far below an overflow of sums.
_Finite = Annotated[float, Field(ge=-1e6, le=1e6)]
_Slope = Annotated[float, Field(ge=0, le=1e6)]
_Count = Annotated[float, Field(ge=0, le=1e12)]
_Pair = Annotated[list[_Count], Field(min_length=2, max_length=2)]


class _Stored(BaseModel):
    """Fields that both kinds share. ``counts`` are negative and positive counts by feature."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1]
    topic: str
    trained_on: str
    tokeniser: str
    lexicon: list[str]
    min_count: _Count
    calibration: tuple[_Slope, _Slope, _Finite]
    smoothing: Annotated[float, Field(ge=1e-6, le=1e6)]
    totals: _Pair
    counts: dict[str, _Pair]

    @model_validator(mode="after")
    def _no_count_is_above_its_total(self) -> Self:
        for name, pair in self.counts.items():
            if pair[0] > self.totals[0] or pair[1] > self.totals[1]:
                raise ValueError(f"{name} is counted more often than there are examples")
        return self


class _StoredPages(_Stored):
    """``pages.json``."""

    kind: Literal["pages"] = "pages"


class _StoredLinks(_Stored):
    """``links.json``; ``bias`` and ``weights`` are used by algorithms that keep no counts."""

    kind: Literal["links"] = "links"
    algorithm: Algorithm
    group: Annotated[int, Field(ge=1, le=3)]
    bias: _Finite = 0.0
    weights: dict[str, _Finite] = {}


_Model = TypeVar("_Model", bound=_Stored)


def save_links(classifier: LinkClassifier, folder: Path, topic: str, trained_on: str) -> Path:
    """Write ``links.json`` and return its path; ``trained_on`` describes the data in one line."""
    return _save(folder / LINKS_FILE, links_text(classifier, topic, trained_on))


def save_pages(classifier: PageClassifier, folder: Path, topic: str, trained_on: str) -> Path:
    """Write ``pages.json``; see :func:`save_links`."""
    return _save(folder / PAGES_FILE, pages_text(classifier, topic, trained_on))


def links_text(classifier: LinkClassifier, topic: str, trained_on: str) -> str:
    """Return the content of ``links.json``; see :func:`save_links`."""
    stored = _StoredLinks(
        **_shared(classifier, topic, trained_on),
        algorithm=classifier.algorithm,
        group=int(classifier.features.group),
    )
    if classifier.algorithm != "nb":
        stored.bias, stored.weights = classifier.model.bias, dict(classifier.model.weights)
    return _text(stored)


def pages_text(classifier: PageClassifier, topic: str, trained_on: str) -> str:
    """Return the content of ``pages.json``; see :func:`save_links`."""
    return _text(_StoredPages(**_shared(classifier, topic, trained_on)))


def load_links(path: Path) -> LinkClassifier:
    """Return the classifier of a ``links.json``; raises :class:`ModelError` with one sentence."""
    stored = _read(path, _StoredLinks)
    features = LinkFeatures(stored.lexicon, FeatureGroup(stored.group))
    _check_tokeniser(features.tokeniser, stored, path)
    linear = None if stored.algorithm == "nb" else LinearModel(stored.bias, stored.weights)
    return LinkClassifier(
        features,
        algorithm=stored.algorithm,
        naive_bayes=NaiveBayes(stored.smoothing, stored.totals, stored.counts),
        model=linear,
        calibration=Calibration(*stored.calibration),
        min_count=stored.min_count,
        name=f"{stored.topic} ({stored.algorithm}, {stored.trained_on})",
    )


def load_pages(path: Path) -> PageClassifier:
    """Return the classifier of a ``pages.json``; raises :class:`ModelError` with one sentence."""
    stored = _read(path, _StoredPages)
    features = PageFeatures(stored.lexicon)
    _check_tokeniser(features.tokeniser, stored, path)
    return PageClassifier(
        features,
        naive_bayes=MultinomialNaiveBayes(stored.smoothing, stored.totals, stored.counts),
        calibration=Calibration(*stored.calibration),
        min_count=stored.min_count,
        name=f"{stored.topic} (nb, {stored.trained_on})",
    )


def _shared(
    classifier: LinkClassifier | PageClassifier, topic: str, trained_on: str
) -> dict[str, Any]:
    tokeniser, counted = classifier.features.tokeniser, classifier.naive_bayes
    return {
        "format": FORMAT,
        "topic": topic,
        "trained_on": trained_on,
        "tokeniser": tokeniser.name,
        "lexicon": list(tokeniser.words),
        "min_count": float(classifier.min_count),
        "calibration": tuple(classifier.calibration),
        "smoothing": counted.smoothing,
        "totals": counted.totals,
        "counts": _often(counted, classifier.min_count),
    }


def _often(counted: FeatureCounts, least: float) -> dict[str, list[float]]:
    """Return the counts of frequent features: rare words are names of people, useless on other sites."""
    return {name: pair for name, pair in sorted(counted.counts.items()) if sum(pair) >= least}


def _text(stored: _Stored) -> str:
    text = json.dumps(stored.model_dump(), ensure_ascii=False, separators=(",", ":"))
    # One feature per line, so that a diff shows the changes of a new training.
    return text.replace('],"', '],\n"') + "\n"


def _save(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise ModelError(
            f"cannot write the model {path}: {error.strerror}; give another folder"
        ) from None
    return path


def _read(path: Path, kind: type[_Model]) -> _Model:
    again = "retrain it: scrapy train TOPIC"
    try:
        text = read_installed(path)
    except OSError as error:
        raise ModelError(f"cannot read the model {path}: {error.strerror}; {again}") from None
    except ValueError:
        raise ModelError(f"the model {path} is damaged or cut short; {again}") from None
    try:
        # Validated as JSON: strict mode, but lists are accepted for tuples.
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise _refusal(path, text, error, again) from None


def _refusal(path: Path, text: str, error: ValidationError, again: str) -> ModelError:
    """Return the error for a file that is not a model, or a model of another version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ModelError(f"the model {path} is damaged or cut short; {again}")
    found = data.get("format") if isinstance(data, dict) else None
    if isinstance(found, int) and found > FORMAT:
        return ModelError(
            f"the model {path} has format {found}, but this focuscrawl reads {FORMAT};"
            f" update focuscrawl, or {again}"
        )
    place = ".".join(map(str, error.errors()[0]["loc"])) or "it"
    return ModelError(f"{path} is not a model of this kind ({place}); {again}")


def _check_tokeniser(tokeniser: Tokeniser, stored: _Stored, path: Path) -> None:
    if not tokeniser.agrees_with(stored.tokeniser):
        raise ModelError(
            f"the model {path} was trained with tokeniser {stored.tokeniser}, this focuscrawl has"
            f" {tokeniser.name}; train it again: scrapy train {stored.topic}"
        )
