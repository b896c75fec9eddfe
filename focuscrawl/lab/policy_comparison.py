"""Comparison tables of policies: relevant pages found within budgets of pages."""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Floats, Interval
from focuscrawl.evaluation.result_tables import Cell, ResultTable
from focuscrawl.lab.crawl_outcomes import CrawlOutcome

# Means over sets of seeds with 95 % bootstrap bands; sets are drawn with replacement.

_DRAWS = 2000
_LEAST_SETS = 3
_BOUNDS = (2.5, 97.5)


class Band(NamedTuple):
    """A mean and its bounds, arrays (points,)."""

    mean: Floats
    low: Floats
    high: Floats

    def intervals(self) -> list[Interval]:
        """Return one interval per point; fewer than three sets of seeds give estimates without bounds."""
        return [Interval(*map(float, values)) for values in zip(*self, strict=True)]


def mean_band(values: Floats, seed: int = 0) -> Band:
    """Return the mean over the sets of ``values`` (sets, points)."""
    low, high = np.percentile(_draws(len(values), seed) @ values, _BOUNDS, axis=0)
    return Band(values.mean(axis=0), low, high)


def ratio_band(values: Floats, others: Floats, seed: int = 0) -> Band:
    """Return the ratio of the means of two arrays (sets, points), both on the same draws.

    NaN where the mean of the others is zero.
    """
    drawn = _draws(len(values), seed)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        # Division by zero where the others never find anything.
        warnings.simplefilter("ignore", RuntimeWarning)
        ratios = _finite((drawn @ values) / (drawn @ others))
        low, high = np.nanpercentile(ratios, _BOUNDS, axis=0)
        return Band(_finite(values.mean(axis=0) / others.mean(axis=0)), low, high)


def _draws(sets: int, seed: int) -> Floats:
    """Return the weight of each set in each draw, (draws, sets); one or two sets tell of no others."""
    if sets < _LEAST_SETS:
        return np.full((_DRAWS, sets), np.nan)
    return np.random.default_rng(seed).multinomial(sets, [1 / sets] * sets, size=_DRAWS) / sets


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


BUDGETS = (200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
TENTHS = tuple(tenth / 10 for tenth in range(1, 11))
_WINDOWS = 10
# Below that, a window would have fewer than ten pages.
_LEAST_WINDOWED = 100
_REFERENCES = ("breadth", "lexicon", "parent", "oracle")
ORACLE = "oracle"

Measure = Callable[[CrawlOutcome, int], float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Crawls by policy, each with the same sets of seeds in the same order."""

    policies: dict[str, list[CrawlOutcome]]

    @property
    def places(self) -> list[tuple[str, str]]:
        """(Topic, name) of each set of seeds."""
        return [outcome.place for outcome in next(iter(self.policies.values()))]

    @property
    def topics(self) -> list[str]:
        """The distinct topics."""
        return list(dict.fromkeys(topic for topic, _ in self.places))

    @property
    def has_times(self) -> bool:
        """True if the durations of all crawls are known."""
        return all(found.seconds for each in self.policies.values() for found in each)

    def values(self, policy: str, measure: Measure, points: Sequence[int]) -> Floats:
        """Return a measure at numbers of pages, an array (sets, points)."""
        outcomes = self.policies[policy]
        return np.array([[measure(each, point) for point in points] for each in outcomes])

    def band(self, policy: str, measure: Measure, points: Sequence[int]) -> Band:
        """Return the mean of a measure over the sets of seeds."""
        return mean_band(self.values(policy, measure, points))


def compare(outcomes: Sequence[CrawlOutcome]) -> Comparison:
    """Group crawls by policy; raises :class:`~focuscrawl.errors.ArgumentError` if one is missing."""
    by_policy: dict[str, dict[tuple[str, str], CrawlOutcome]] = {}
    for outcome in outcomes:
        by_policy.setdefault(outcome.variant, {})[outcome.place] = outcome
    places = list(dict.fromkeys(outcome.place for outcome in outcomes))
    for policy, found in by_policy.items():
        for topic, seeds in places:
            if (topic, seeds) not in found:
                raise ArgumentError(
                    f"no crawl with {policy} from {seeds} of {topic}; run the same policies"
                    " on all seeds, or join other folders"
                )
    return Comparison(
        {policy: [found[place] for place in places] for policy, found in by_policy.items()}
    )


def budgets_up_to(most: int) -> list[int]:
    """Return the budgets of the tables, the last one being ``most``."""
    return [*(budget for budget in BUDGETS if budget < most), most]


def tables_of(comparison: Comparison, budgets: Sequence[int]) -> list[ResultTable]:
    """Return all tables; the share of the oracle only if that was run."""
    tables = [
        _bands(
            comparison, budgets, "harvest", "Harvest rate: relevant / pages", CrawlOutcome.harvest
        ),
        _each_set(comparison, budgets),
        _bands(
            comparison,
            budgets,
            "recall",
            "Target recall: relevant / all targets",
            CrawlOutcome.recall,
        ),
    ]
    if any(one.judged is not None for each in comparison.policies.values() for one in each):
        title = "Harvest rate by the crawl's own judge, which nobody has checked"
        tables.append(_bands(comparison, budgets, "own-harvest", title, CrawlOutcome.own_harvest))
    if budgets[-1] >= _LEAST_WINDOWED:
        tables.append(_windows(comparison, budgets[-1]))
    if ORACLE in comparison.policies:
        tables.append(_share_of_oracle(comparison, budgets))
    tables += [*_times(comparison, budgets), tenths_table(comparison)]
    return [*tables, _speeds(comparison, budgets)] if comparison.has_times else tables


def _bands(
    comparison: Comparison, budgets: Sequence[int], name: str, title: str, measure: Measure
) -> ResultTable:
    rows: list[list[Cell]] = []
    for policy, outcomes in comparison.policies.items():
        fetched = round(statistics.mean(outcome.pages for outcome in outcomes))
        band = comparison.band(policy, measure, budgets)
        rows.append([policy, *band.intervals(), fetched])
    return ResultTable(
        name,
        f"{title} (mean over {len(comparison.places)} sets of seeds of {', '.join(comparison.topics)})",
        ["policy", *_headings(budgets), "fetched"],
        rows,
        "In brackets: 95 % bootstrap intervals over sets of seeds; fewer than three have none. A budget that a crawl did not use"
        " up, because no link was left, still counts in full.",
    )


def _windows(comparison: Comparison, most: int) -> ResultTable:
    """Return the harvest rate of each tenth of the pages, which shows whether a crawl drifts."""
    width = most // _WINDOWS
    ends = [width * number for number in range(1, _WINDOWS + 1)]
    rows: list[list[Cell]] = []
    for policy, outcomes in comparison.policies.items():
        for judge in ("truth", "own judge"):
            by_judge = judge != "truth"
            rates = [[one.window(end - width, end, by_judge) for one in outcomes] for end in ends]
            rows.append([policy, judge, *map(_mean, rates)])
    return ResultTable(
        "windows",
        f"Harvest rate in windows of {width:,} pages (mean over {len(comparison.places)} sets of seeds)",
        ["policy", "by", *(f"to {end:,}" for end in ends)],
        rows,
        "-: no crawl fetched so many pages, or what its judge said is unknown.",
    )


def _mean(rates: Sequence[float | None]) -> Cell:
    known = [rate for rate in rates if rate is not None]
    return statistics.mean(known) if known else math.nan


def _each_set(comparison: Comparison, budgets: Sequence[int]) -> ResultTable:
    rows: list[list[Cell]] = []
    for policy in comparison.policies:
        values = comparison.values(policy, CrawlOutcome.harvest, budgets)
        rows.append([policy, *(" ".join(map(_short, row)) for row in values)])
    return ResultTable(
        "harvest-by-seeds",
        f"Harvest rate at {' / '.join(_headings(budgets))} pages, each set of seeds",
        ["policy", *(_place(comparison, *place) for place in comparison.places)],
        rows,
    )


def _share_of_oracle(comparison: Comparison, budgets: Sequence[int]) -> ResultTable:
    others = comparison.values(ORACLE, CrawlOutcome.harvest, budgets)
    rows: list[list[Cell]] = [
        [
            policy,
            *ratio_band(
                comparison.values(policy, CrawlOutcome.harvest, budgets), others
            ).intervals(),
        ]
        for policy in comparison.policies
        if policy != ORACLE
    ]
    return ResultTable(
        "share-of-oracle",
        f"Share of the harvest of {ORACLE} (mean by mean; intervals on the same draws of seeds)",
        ["policy", *_headings(budgets)],
        rows,
        "The oracle knows the true relevance of every link's target, one step ahead.",
    )


def _times(comparison: Comparison, budgets: Sequence[int]) -> list[ResultTable]:
    """Return the ratio of each policy's mean harvest to that of the standard policies."""
    known = [policy for policy in _REFERENCES if policy in comparison.policies]
    means = {
        policy: comparison.values(policy, CrawlOutcome.harvest, budgets).mean(axis=0)
        for policy in comparison.policies
    }
    if not known:
        return []
    rows: list[list[Cell]] = [
        [policy, *(_ratios(own, means[other]) for other in known)] for policy, own in means.items()
    ]
    return [
        ResultTable(
            "times",
            f"Mean harvest as a multiple of others', at {' / '.join(_headings(budgets))} pages",
            ["policy", *(f"of {other}" for other in known)],
            rows,
        )
    ]


def _speeds(comparison: Comparison, budgets: Sequence[int]) -> ResultTable:
    rows: list[list[Cell]] = []
    for variant, outcomes in comparison.policies.items():
        means = comparison.values(variant, CrawlOutcome.harvest, budgets).mean(axis=0)
        *conditions, eagerness = outcomes[0].condition
        own = "" if eagerness is None else eagerness
        speed = round(pages_per_second(outcomes), 1)
        rows.append([outcomes[0].policy, *conditions, own, speed, *map(_short, means)])
    return ResultTable(
        "speed",
        "Harvest rate and pages per second by concurrency, latency and delay (seconds), eagerness",
        ["policy", "at once", "latency", "delay", "eagerness", "pages/s", *_headings(budgets)],
        rows,
        "Concurrent crawls (--jobs) share the machine, which lowers their pages per second.",
    )


def pages_per_second(outcomes: Sequence[CrawlOutcome]) -> float:
    """Return the mean pages per second of several crawls."""
    return sum(found.pages for found in outcomes) / sum(found.seconds for found in outcomes)


def tenths_table(comparison: Comparison) -> ResultTable:
    """Return the number of pages needed for each tenth of recall."""
    rows: list[list[Cell]] = [
        [policy, *(_pages(median_pages(outcomes, share)) for share in TENTHS)]
        for policy, outcomes in comparison.policies.items()
    ]
    return ResultTable(
        "tenths",
        f"Pages for each tenth of target recall (median of {len(comparison.places)} sets of seeds)",
        ["policy", *(f"{share:.0%}" for share in TENTHS)],
        rows,
        "-: half of the crawls never find that many.",
    )


def median_pages(outcomes: Sequence[CrawlOutcome], share: float) -> float:
    """Return the median number of pages until a share of the targets; NaN if half never reach it."""
    found = (outcome.pages_for(share) for outcome in outcomes)
    median = statistics.median(math.inf if pages is None else pages for pages in found)
    return median if math.isfinite(median) else math.nan


def _pages(median: float) -> Cell:
    return median if math.isnan(median) else round(median)


def _headings(budgets: Sequence[int]) -> list[str]:
    return [f"{budget:,}" for budget in budgets]


def _place(comparison: Comparison, topic: str, seeds: str) -> str:
    return f"{topic} {seeds}" if len(comparison.topics) > 1 else seeds


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _ratios(own: Floats, others: Floats) -> str:
    pairs = zip(own, others, strict=True)
    return " ".join(f"{one / other:.2f}" if other else "-" for one, other in pairs)
