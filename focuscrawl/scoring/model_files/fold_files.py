"""Classifiers of folds on disk: ``folds.json``, and a folder with the models of each fold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from focuscrawl.errors import ModelError
from focuscrawl.scoring.fold_scorer import FoldPageJudge, FoldScorer
from focuscrawl.scoring.harvest_estimate import QUALITY_FILE, ModelQuality
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.model_files.classifier_files import (
    LINKS_FILE,
    PAGES_FILE,
    load_links,
    load_pages,
    save_links,
    save_pages,
)
from focuscrawl.scoring.model_files.model_installation import read_installed
from focuscrawl.scoring.page_classifier import PageClassifier
from focuscrawl.system.durable_files import replace_text

FOLDS_FILE = "folds.json"
_AGAIN = "delete its folder and run scrapy lab TOPIC again"


class FoldMap(BaseModel):
    """``folds.json``. ``source`` identifies the data that the classifiers were trained on."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1] = 1
    topic: str
    source: str
    has_pages: bool
    folds: Annotated[int, Field(ge=2, le=100)]
    hosts: dict[str, Annotated[int, Field(ge=0)]]

    @model_validator(mode="after")
    def _every_host_has_a_fold_that_is_there(self) -> Self:
        if max(self.hosts.values(), default=0) >= self.folds:
            raise ValueError("a host is in a fold that does not exist")
        return self


def save_folds(
    folder: Path,
    topic: str,
    source: str,
    fold_of: Mapping[str, int],
    links: Sequence[LinkClassifier],
    pages: Sequence[PageClassifier],
    quality: ModelQuality,
) -> Path:
    """Write the classifiers of all folds; ``pages`` may be empty. Returns the path of ``folds.json``.

    That file is deleted first and written last, so that an existing one is complete.
    """
    path = folder / FOLDS_FILE
    stored = FoldMap(
        topic=topic, source=source, has_pages=bool(pages), folds=len(links), hosts=dict(fold_of)
    )
    try:
        path.unlink(missing_ok=True)
        for fold, classifier in enumerate(links):
            save_links(classifier, _fold(folder, fold), topic, f"fold {fold}")
        for fold, judge in enumerate(pages):
            save_pages(judge, _fold(folder, fold), topic, f"fold {fold}")
        replace_text(folder / QUALITY_FILE, quality.model_dump_json() + "\n")
        replace_text(path, stored.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise ModelError(
            f"cannot write the models {folder}: {error.strerror}; give another folder"
        ) from None
    return path


def read_fold_map(path: Path) -> FoldMap:
    """Return the content of a ``folds.json``; raises :class:`ModelError` with one sentence."""
    try:
        text = read_installed(path)
        json.loads(text)
    except OSError as error:
        raise ModelError(f"cannot read the models {path}: {error.strerror}; {_AGAIN}") from None
    except (ValueError, RecursionError):
        raise ModelError(f"{path} is damaged or cut short; {_AGAIN}") from None
    try:
        return FoldMap.model_validate_json(text)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "hosts"
        raise ModelError(f"{path} is not a valid folds.json ({place}); {_AGAIN}") from None


def load_fold_scorer(path: Path) -> FoldScorer:
    """Return the link scorer of a ``folds.json``; raises :class:`ModelError`."""
    stored = read_fold_map(path)
    classifiers = [
        load_links(_fold(path.parent, fold) / LINKS_FILE) for fold in range(stored.folds)
    ]
    return FoldScorer(classifiers, stored.hosts, _name(stored))


def load_fold_judge(path: Path) -> FoldPageJudge | None:
    """Return the page judge of a ``folds.json``, None if it has none; raises :class:`ModelError`."""
    stored = read_fold_map(path)
    if not stored.has_pages:
        return None
    judges = [load_pages(_fold(path.parent, fold) / PAGES_FILE) for fold in range(stored.folds)]
    return FoldPageJudge(judges, stored.hosts, _name(stored))


def _fold(folder: Path, fold: int) -> Path:
    return folder / f"fold-{fold}"


def _name(stored: FoldMap) -> str:
    return f"{stored.topic} (nb, {stored.folds} folds by host)"
