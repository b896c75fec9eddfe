"""The paper's experiments, run on labelled links and pages."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from focuscrawl.evaluation.classification_metrics import Bools
from focuscrawl.evaluation.datasets.labelled_dataset import (
    DataSet,
    Split,
    SplitBy,
    cross_validation,
    hold_out,
)
from focuscrawl.evaluation.links.classifier_contest import (
    Contender,
    HeldOut,
    held_out,
    training_part,
)
from focuscrawl.evaluation.links.contenders import Setup
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.link_classifier import Algorithm
from focuscrawl.scoring.link_features import FeatureGroup
from focuscrawl.text.tokeniser import Tokeniser

# Relative entropy between the words around links and the words of pages.

Words = NDArray[np.intp]
"""The words of one text as numbers in a vocabulary shared by all compared texts."""

SMOOTHING = 0.5
HALVINGS = 10
AS_PUBLISHED = "as in the paper"


class Divergence(NamedTuple):
    """Mean and standard deviation of the relative entropy over random halvings, in nats."""

    mean: float
    deviation: float


class EntropyTable(NamedTuple):
    """The three comparisons of the paper; each compared side has ``words`` words."""

    pages_contexts: Divergence
    pages_pages: Divergence
    contexts_contexts: Divergence
    words: int


def numbered(texts: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> list[Words]:
    """Return the words of each text as numbers; unknown words are added to ``vocabulary``."""
    return [
        np.fromiter((vocabulary.setdefault(word, len(vocabulary)) for word in text), np.intp)
        for text in texts
    ]


def relative_entropy(p: NDArray[np.integer], q: NDArray[np.integer]) -> float:
    """Return the Kullback-Leibler divergence of word counts ``q`` from ``p``, both (words,), in nats.

    First, 0.5 is added to each count (Krichevsky-Trofimov), so that a word missing from one side does
    not make the result infinite.
    """
    first = (p + SMOOTHING) / (p + SMOOTHING).sum()
    second = (q + SMOOTHING) / (q + SMOOTHING).sum()
    # Rounding errors can make a zero slightly negative.
    return max(0.0, float(np.sum(first * np.log(first / second))))


def shared_words_entropy(p: NDArray[np.integer], q: NDArray[np.integer]) -> float:
    """Return the Kullback-Leibler divergence over the words that both counts have, without smoothing.

    Both distributions are those of the shared words alone. NaN if there are none.
    """
    shared = (p > 0) & (q > 0)
    if not shared.any():
        return float("nan")
    first, second = (counts[shared] / counts[shared].sum() for counts in (p, q))
    return max(0.0, float(np.sum(first * np.log(first / second))))


def compare_as_published(
    pages: Sequence[Words], contexts: Sequence[Words], *, halvings: int = HALVINGS, seed: int = 0
) -> EntropyTable:
    """Compare pages with link contexts, and halves of each, by the method of the paper itself.

    Source: Han Guohui et al. (2010), formulas (3) to (5): the words that both sides have, from pages to
    contexts only, no smoothing; every side has all of its words, so that sides of different sizes are
    compared. Whether the paper's logarithm is natural is unknown; here it is.
    """
    random = np.random.default_rng(seed)
    size = _size((*pages, *contexts))
    whole = [np.bincount(_two(texts, np.zeros(len(texts), int))[0], minlength=size)
             for texts in (pages, contexts)]  # fmt: skip
    within: list[list[float]] = []
    for _ in range(halvings):
        pairs = _halved(pages, contexts, None, None, random)
        within.append(
            [
                shared_words_entropy(*(np.bincount(half, minlength=size) for half in pair))
                for pair in pairs
            ]
        )
    means, deviations = np.mean(within, axis=0), np.std(within, axis=0)
    return EntropyTable(
        Divergence(shared_words_entropy(*whole), 0.0),
        Divergence(float(means[0]), float(deviations[0])),
        Divergence(float(means[1]), float(deviations[1])),
        words=int(min(counts.sum() for counts in whole)),
    )


def _size(texts: Iterable[Words]) -> int:
    return 1 + max((int(text.max()) for text in texts if len(text)), default=0)


def compare(
    pages: Sequence[Words],
    contexts: Sequence[Words],
    *,
    page_hosts: Sequence[str] | None = None,
    context_hosts: Sequence[str] | None = None,
    halvings: int = HALVINGS,
    seed: int = 0,
) -> EntropyTable:
    """Compare pages with link contexts, and two random halves of each with each other.

    Source: Han Guohui et al. (2010), formulas (3) to (5): word distributions of pages and of link
    contexts, compared by relative entropy; here smoothed, and the mean of both directions
    (:func:`compare_as_published` does neither).

    The entropy falls with the sample size, whatever the distributions, so that pages, which have many
    times the words of contexts, would look similar merely for their size. Therefore every compared
    side is a random sample of the same number of words, without replacement: as many as the smallest
    half has. Words are sampled instead of texts: a text repeats its words, so that few long pages
    would look less similar than many short contexts.

    With ``page_hosts`` and ``context_hosts``, the hosts are halved instead of the texts, so that the
    sides of every comparison come from different hosts. This is stricter, since a site repeats its
    menus.
    """
    random = np.random.default_rng(seed)
    size = _size((*pages, *contexts))
    results = []
    for _ in range(halvings):
        page_halves, context_halves = _halved(pages, contexts, page_hosts, context_hosts, random)
        halves = [*page_halves, *context_halves]
        words = min(map(len, halves))
        a, b, c, d = (_counts(half, words, size, random) for half in halves)
        results.append((_both_ways(a, d), _both_ways(a, b), _both_ways(c, d), words))
    means, deviations = np.mean(results, axis=0), np.std(results, axis=0)
    crossed, pages_alone, contexts_alone = (
        Divergence(float(means[i]), float(deviations[i])) for i in range(3)
    )
    return EntropyTable(crossed, pages_alone, contexts_alone, words=round(float(means[3])))


def _both_ways(p: NDArray[np.integer], q: NDArray[np.integer]) -> float:
    return (relative_entropy(p, q) + relative_entropy(q, p)) / 2


def _halved(
    pages: Sequence[Words],
    contexts: Sequence[Words],
    page_hosts: Sequence[str] | None,
    context_hosts: Sequence[str] | None,
    random: np.random.Generator,
) -> tuple[list[Words], list[Words]]:
    if page_hosts is None or context_hosts is None:
        sides = [random.permutation(len(texts)) % 2 for texts in (pages, contexts)]
    else:
        hosts = sorted({*page_hosts, *context_hosts})
        side_of = dict(zip(hosts, random.permutation(len(hosts)) % 2, strict=True))
        sides = [
            np.array([side_of[host] for host in names]) for names in (page_hosts, context_hosts)
        ]
    return _two(pages, sides[0]), _two(contexts, sides[1])


def _two(texts: Sequence[Words], sides: NDArray[np.integer]) -> list[Words]:
    none = np.empty(0, np.intp)
    return [
        np.concatenate([none, *(t for t, side in zip(texts, sides, strict=True) if side == half)])
        for half in (0, 1)
    ]


def _counts(half: Words, words: int, size: int, random: np.random.Generator) -> NDArray[np.intp]:
    drawn = random.choice(half, words, replace=False, shuffle=False)
    return np.bincount(drawn, minlength=size)


T = TypeVar("T")
Step = Callable[[str], None]
_TEXTS_AT_ONCE = 200
_LINKS_OF_A_PAGE = 100
ALGORITHMS: tuple[Algorithm, ...] = ("nb", "logistic", "svm")


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
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
class ExperimentResults:
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


def run(
    data: DataSet, setup: Setup, plan: ExperimentPlan, step: Step = lambda _: None
) -> ExperimentResults:
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
    return ExperimentResults(
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

    The tables are of all texts and of the relevant ones, each in random halves, in halves by host, and
    by the method of the paper.
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
        tables[f"{name}, {AS_PUBLISHED}"] = compare_as_published(*sides, seed=seed)
    # A side without words, or without one that the other has, cannot be compared.
    return {
        name: table
        for name, table in tables.items()
        if table.words and all(math.isfinite(side.mean) for side in table[:3])
    }


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
