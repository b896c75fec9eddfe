"""Relative entropy between the words around links and the words of pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.intp]
"""The words of one text as numbers in a vocabulary shared by all compared texts."""

SMOOTHING = 0.5
HALVINGS = 10


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
    contexts, smoothed, compared by relative entropy; here the mean of both directions. The
    paper's own smoothing is unknown, ours is that of :func:`relative_entropy`.

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
    size = 1 + max((int(text.max()) for text in (*pages, *contexts) if len(text)), default=0)
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
