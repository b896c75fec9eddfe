"""The paper's experiments, run on labelled links and pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from focuscrawl.evaluation.classification_metrics import Bools
from focuscrawl.evaluation.datasets.host_splits import Split, SplitBy, cross_validation, hold_out
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
from focuscrawl.evaluation.links.classifier_contest import (
    Contender,
    HeldOut,
    held_out,
    training_part,
)
from focuscrawl.evaluation.links.contenders import Setup
from focuscrawl.evaluation.links.context_entropy import EntropyTable, Words, compare, numbered
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.link_classifier import Algorithm
from focuscrawl.scoring.link_features import FeatureGroup
from focuscrawl.text.tokeniser import Tokeniser

T = TypeVar("T")
Step = Callable[[str], None]
_TEXTS_AT_ONCE = 200
_LINKS_OF_A_PAGE = 100
ALGORITHMS: tuple[Algorithm, ...] = ("nb", "logistic", "svm")


@dataclass(frozen=True, slots=True)
class Plan:
    """Number of folds and algorithms to compare; the first algorithm is that of tables 1 and 2."""

    folds: int = 5
    by: SplitBy = SplitBy.HOST
    algorithms: tuple[Algorithm, ...] = ALGORITHMS
    seed: int = 0

    def protocols(self, data: DataSet) -> dict[str, list[Split]]:
        """Return the splits of table 1 by name; the other tables use the first one."""
        named = {
            f"{self.folds} folds by {self.by}": cross_validation(
                data.labels,
                data.hosts,
                folds=self.folds,
                by=self.by,
                seed=self.seed,
                sources=data.sources,
            )
        }
        for by in SplitBy:
            split = hold_out(data.labels, data.hosts, by=by, seed=self.seed, sources=data.sources)
            named[f"7:3 by {by}"] = [split]
        return named

    def trainings(self) -> int:
        """Return the maximum number of trainings in :func:`run`, for a progress bar."""
        rest = len(self.algorithms) - 1 + len(("lexicon", "ACHE", "pages", "page classifier"))
        return len(FeatureGroup) * (self.folds + len(SplitBy)) + rest * self.folds


@dataclass(frozen=True, slots=True)
class Results:
    """Results, the input of :mod:`focuscrawl.evaluation.links.evaluation_report`.

    ``groups`` are by protocol and feature group; all others use the first protocol. ``contenders``
    starts with the lexicon and the classifier of tables 1 and 2. ``page_trained`` and ``entropies``
    are empty without pages. ``speeds`` are in links per second.
    """

    data: DataSet
    groups: dict[tuple[str, FeatureGroup], HeldOut]
    contenders: list[HeldOut]
    page_trained: list[HeldOut]
    entropies: dict[str, EntropyTable]
    speeds: dict[str, float]

    @property
    def own(self) -> HeldOut:
        """Judgements of the topic's own classifier on links held out by the first protocol."""
        return self.contenders[1]


def run(data: DataSet, setup: Setup, plan: Plan, step: Step = lambda _: None) -> Results:
    """Run all experiments; ``step`` is called after each training with the name of the contender."""
    protocols = plan.protocols(data)
    folds = next(iter(protocols))

    def judged(contender: Contender, protocol: str = folds) -> HeldOut:
        return held_out(
            contender,
            data,
            protocols[protocol],
            seed=plan.seed,
            step=lambda: step(contender.name),
        )

    own, *others = plan.algorithms
    groups = {
        (protocol, group): judged(setup.link_trained(own, group), protocol)
        for protocol in protocols
        for group in FeatureGroup
    }
    has_pages = all(_teaches_pages(training_part(data, split)) for split in protocols[folds])
    rivals = [*(setup.link_trained(other, setup.group) for other in others), setup.ache(plan.seed)]
    return Results(
        data,
        groups,
        [
            judged(setup.lexicon_only()),
            groups[folds, setup.group],
            *(judged(rival) for rival in rivals),
        ],
        [judged(each) for each in setup.page_trained(own)] if has_pages else [],
        entropies(data, setup.features(setup.group).tokeniser, plan.seed),
        speeds([setup.link_trained(own, setup.group), *rivals], data),
    )


def _teaches_pages(part: DataSet) -> bool:
    return len({page.label for page in part.pages}) == 2


def entropies(data: DataSet, tokeniser: Tokeniser, seed: int = 0) -> dict[str, EntropyTable]:
    """Compare the words of pages and of link contexts; return no table without pages.

    The tables are of all texts and of the relevant ones, each in random halves and in halves by host.
    """
    if not data.pages:
        return {}
    vocabulary: dict[str, int] = {}
    pages = _words((f"{page.title}\n{page.text}" for page in data.pages), tokeniser, vocabulary)
    contexts = _words(
        (f"{link.anchor}\n{link.before}\n{link.after}" for link in data.links),
        tokeniser,
        vocabulary,
    )
    page_hosts = [host_of(page.url) for page in data.pages]
    relevant_pages = np.array([page.label for page in data.pages])
    tables = {}
    for name, of_pages, of_links in (
        ("all", np.ones(len(pages), bool), np.ones(len(contexts), bool)),
        ("relevant", relevant_pages, data.labels),
    ):
        sides = (_chosen(pages, of_pages), _chosen(contexts, of_links))
        hosts = (_chosen(page_hosts, of_pages), _chosen(data.sources, of_links))
        tables[f"{name}, random halves"] = compare(*sides, seed=seed)
        tables[f"{name}, halves by host"] = compare(
            *sides, page_hosts=hosts[0], context_hosts=hosts[1], seed=seed
        )
    # A side without words cannot be compared.
    return {name: table for name, table in tables.items() if table.words}


def _words(texts: Iterable[str], tokeniser: Tokeniser, vocabulary: dict[str, int]) -> list[Words]:
    found: list[Words] = []
    for batch in _batches(iter(texts), _TEXTS_AT_ONCE):
        found += numbered(tokeniser.tokens_of(batch), vocabulary)
    return found


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch


def _chosen(items: Sequence[T], chosen: Bools) -> list[T]:
    return [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def speeds(contenders: Iterable[Contender], data: DataSet) -> dict[str, float]:
    """Return the links per second that each contender judges on one core, in batches of a hundred.

    Each was trained on all links and judges each of them once, so that the caches that help in a
    crawl have little effect here.
    """
    found = {}
    for contender in contenders:
        judge = contender.train(data)
        start = time.process_time()
        for batch in _batches(iter(data.links), _LINKS_OF_A_PAGE):
            judge(batch)
        found[contender.name] = len(data.links) / (time.process_time() - start)
    return found
