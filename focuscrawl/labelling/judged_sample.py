"""Random sample of a crawl's pages judged by people: their rates, their agreement, and what follows for the judge.

The method of the link paper (4.3.1): a random share of the pages, several judges, the mean of their verdicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import NamedTuple

from focuscrawl.items import PageVerdict
from focuscrawl.summary.harvest_report import Share, share_of

SHARE = 0.05
"""Share of the pages that are judged."""
_POINTS = {"relevant": 1.0, "irrelevant": 0.0}


def draw_sample(keys: Iterable[str], share: float = SHARE, seed: int = 0) -> list[str]:
    """Return a random share of keys, at least one of them; the same for equal keys, share and seed.

    Keys are in a random order that depends on the seed alone: the first ones of a sample are a sample, and a
    larger share contains the smaller ones. Most keys of a crawl that has grown stay in it.
    """
    ordered = sorted(keys, key=lambda key: sha256(f"{seed} {key}".encode()).digest())
    # A float would make 0.05 of 100 pages six of them.
    return ordered[: ceil(Fraction(str(share)) * len(ordered))]


class JudgeRate(NamedTuple):
    """Verdicts of one person: the pages judged, those that the person was unsure of, and the share relevant."""

    judge: str
    pages: int
    unsure: int
    rate: Share | None


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """What people said of a sample: ``harvest`` is the mean over its pages of the mean of their verdicts.

    A page of which all are unsure is left out. ``agreement`` is Krippendorff's alpha, None where it is not
    defined: with one judge, without a page of two, or where all said the same of all pages. ``precision`` and
    ``recall`` are those of the crawl's own judge. ``has_irrelevant`` is False where that one called all of
    these pages relevant, as it does of pages stored with keep=relevant: they tell of no harvest rate.
    """

    judges: Sequence[JudgeRate]
    pages: int
    harvest: Share | None
    agreement: float | None
    precision: Share | None
    recall: Share | None
    has_irrelevant: bool


def judged_sample(verdicts: Iterable[PageVerdict]) -> JudgedSample:
    """Evaluate the verdicts of people on pages of one crawl."""
    by_judge: dict[str, dict[str, PageVerdict]] = {}
    for one in verdicts:
        by_judge.setdefault(one.judge, {})[one.url] = one
    judges = [_rate(name, its) for name, its in sorted(by_judge.items())]
    points: dict[str, list[float]] = {}
    own: dict[str, bool] = {}
    for one in (one for its in by_judge.values() for one in its.values()):
        own[one.url] = one.is_relevant
        if one.verdict in _POINTS:
            points.setdefault(one.url, []).append(_POINTS[one.verdict])
    means = {url: sum(its) / len(its) for url, its in points.items()}
    chosen = [mean for url, mean in means.items() if own[url]]
    has_irrelevant = not all(own.values())
    return JudgedSample(
        judges,
        len(means),
        share_of(sum(means.values()), len(means)),
        _agreement([its for its in points.values() if len(its) > 1]),
        share_of(sum(chosen), len(chosen)),
        share_of(sum(chosen), sum(means.values())) if has_irrelevant else None,
        has_irrelevant,
    )


def _rate(judge: str, its: dict[str, PageVerdict]) -> JudgeRate:
    sure = [_POINTS[one.verdict] for one in its.values() if one.verdict in _POINTS]
    return JudgeRate(judge, len(its), len(its) - len(sure), share_of(sum(sure), len(sure)))


def _agreement(units: Sequence[Sequence[float]]) -> float | None:
    """Return Krippendorff's alpha (2004, Content Analysis, chapter 11) of units judged twice at least."""
    values = sorted({value for unit in units for value in unit})
    if len(values) < 2:
        return None
    # Imported here: a crawl without verdicts needs neither it nor NumPy.
    import krippendorff

    counts = [[unit.count(value) for value in values] for unit in units]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def sample_lines(sample: JudgedSample) -> list[str]:
    """Return the figures of a judged sample, one a line."""
    lines = []
    for judge, pages, unsure, rate in sample.judges:
        said = f"{rate} relevant" if rate else "no verdict"
        lines.append(
            f"{judge}: {pages} pages, {said}" + (f", unsure of {unsure}" if unsure else "")
        )
    alpha = sample.agreement
    if len(sample.judges) > 1:
        lines.append(
            "agreement: not defined (no page of two verdicts, or all are the same)"
            if alpha is None
            else f"agreement: Krippendorff's alpha {alpha:.2f}"
        )
    if sample.has_irrelevant:
        lines.append(f"harvest: {sample.harvest or 'unknown'} by people, of {sample.pages} pages")
    else:
        lines.append(NO_HARVEST)
    own = {"precision": sample.precision, "recall": sample.recall}
    lines.append(f"own judge: {', '.join(f'{n} {v}' for n, v in own.items() if v) or 'unknown'}")
    return lines


NO_HARVEST = (
    "harvest: unknown, since the own judge called all of these pages relevant; crawl with -a keep=all, and"
    " judge again"
)


def topic_of_crawl(crawl: str) -> str:
    """Return the topic of the pages of a crawl.

    >>> topic_of_crawl("tunnel-finance")
    'finance'
    """
    return crawl.removeprefix("tunnel-")
