"""Data set of labelled links and pages, the input of all evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Bools
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link
from focuscrawl.pages.site_hosts import host_of

# Train and test splits by host, so that no host is on both sides.

Indices = NDArray[np.intp]
_HELD_OUT = 0.3
_TRIES = 200


class SplitBy(StrEnum):
    """Unit of a split: all links to one host, or single links."""

    HOST = "host"
    LINK = "link"


class Split(NamedTuple):
    """Row numbers of the training part and of the held-out part; no row is in both."""

    train: Indices
    test: Indices


def cross_validation(
    labels: Sequence[bool] | Bools,
    hosts: Sequence[str],
    *,
    folds: int = 5,
    by: SplitBy = SplitBy.HOST,
    seed: int = 0,
    sources: Sequence[str] | None = None,
) -> list[Split]:
    """Return ``folds`` splits; each link is held out once.

    ``hosts`` are those of the links' targets. By host, a host is held out in one fold only, and
    hosts are distributed so that each fold gets as even a share of relevant links as they allow.
    With ``sources``, the hosts of the pages with the links, links on pages of a held-out host are
    also excluded from the training part. Raises :class:`ArgumentError` for too few links or hosts.
    """
    _check(labels, hosts, folds, by)
    groups = hosts if by is SplitBy.HOST else None
    options: dict[str, Any] = {"n_splits": folds, "shuffle": True, "random_state": seed}
    chooser = StratifiedGroupKFold(**options) if by is SplitBy.HOST else StratifiedKFold(**options)
    splits = [
        Split(train, test)
        for train, test in chooser.split(np.zeros(len(labels)), np.asarray(labels), groups)
    ]
    return [
        _without_authors(split, hosts, sources) if by is SplitBy.HOST else split for split in splits
    ]


def hold_out(
    labels: Sequence[bool] | Bools,
    hosts: Sequence[str],
    *,
    by: SplitBy = SplitBy.HOST,
    seed: int = 0,
    sources: Sequence[str] | None = None,
) -> Split:
    """Return one split with about 30% of all links and of the relevant links held out.

    By host, it is the best of 200 random choices of hosts, because one large host can have a fifth
    of all relevant links. Other arguments as for :func:`cross_validation`.
    """
    _check(labels, hosts, 2, by)
    y = np.asarray(labels)
    rows = np.zeros(len(y))
    if by is SplitBy.LINK:
        chooser = StratifiedShuffleSplit(1, test_size=_HELD_OUT, random_state=seed)
        return Split(*next(chooser.split(rows, y)))
    tries = GroupShuffleSplit(_TRIES, test_size=_HELD_OUT, random_state=seed).split(rows, y, hosts)
    best = min((Split(*parts) for parts in tries), key=lambda split: _unevenness(split, y))
    return _without_authors(best, hosts, sources)


def _unevenness(split: Split, labels: Bools) -> float:
    held_out = labels[split.test]
    relevant = held_out.sum() / labels.sum()
    others = (~held_out).sum() / (~labels).sum()
    return float(abs(relevant - _HELD_OUT) + abs(others - _HELD_OUT))


def _without_authors(split: Split, hosts: Sequence[str], sources: Sequence[str] | None) -> Split:
    if sources is None:
        return split
    held_out = {hosts[row] for row in split.test}
    kept = [row for row in split.train if sources[row] not in held_out]
    return Split(np.asarray(kept, dtype=np.intp), split.test)


def _check(labels: Sequence[bool] | Bools, hosts: Sequence[str], folds: int, by: SplitBy) -> None:
    if folds < 2:
        raise ArgumentError(f"{folds} folds leave nothing to train on; give at least 2.")
    for wanted, kind in ((True, "relevant"), (False, "irrelevant")):
        rows = [host for host, label in zip(hosts, labels, strict=True) if label == wanted]
        have = len(set(rows)) if by is SplitBy.HOST else len(rows)
        if have < folds:
            raise ArgumentError(
                f"{folds} parts by {by} need {kind} links to {folds} {by}s, there are {have};"
                " label more links, or give fewer folds."
            )


@dataclass(frozen=True, slots=True)
class DataSet:
    """Links with labels, hosts and sources, all of length n, and pages.

    ``hosts`` are those of the links' targets after known redirects, ``sources`` those of the pages
    with the links.
    """

    links: list[Link]
    labels: Bools
    hosts: list[str]
    sources: list[str]
    pages: list[LabelledPage]

    def part(self, rows: Indices, held_out: Iterable[str] = ()) -> DataSet:
        """Return the links of these rows, and the pages except those of the held-out hosts."""
        without = set(held_out)
        return DataSet(
            [self.links[row] for row in rows],
            self.labels[rows],
            [self.hosts[row] for row in rows],
            [self.sources[row] for row in rows],
            [page for page in self.pages if host_of(page.url) not in without],
        )


def data_set(
    links: Iterable[LabelledLink],
    pages: Iterable[LabelledPage],
    final_url: dict[str, str] | None = None,
) -> DataSet:
    """Return the labelled links, with the pages.

    ``final_url`` maps targets to the URLs they redirect to. Raises
    :class:`~focuscrawl.errors.ArgumentError` if no link is labelled.
    """
    known = [link for link in links if link.label is not None]
    if not known:
        raise ArgumentError("no link is labelled; run scrapy crawl labels first, or give a truth.")
    targets = [
        (final_url or {}).get(known_link.link.url, known_link.link.url) for known_link in known
    ]
    return DataSet(
        [link.link for link in known],
        np.array([bool(link.label) for link in known]),
        [host_of(url) for url in targets],
        [host_of(link.source) for link in known],
        list(pages),
    )
