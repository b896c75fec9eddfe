"""Report of a lab: tables, raw figures and plots of its crawls.

Matplotlib is imported when the first plot is drawn.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focuscrawl.evaluation.result_tables import Cell, ResultTable, saved_figure, written
from focuscrawl.lab.crawl_outcomes import CrawlOutcome, write_outcomes
from focuscrawl.lab.crawl_policies import length_of
from focuscrawl.lab.policy_comparison import (
    TENTHS,
    Comparison,
    Measure,
    budgets_up_to,
    compare,
    median_pages,
    pages_per_second,
    tables_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The tunnel experiment of Lin Huaizhong and Jiang Yuqian (2010): relevant and all pages by length K.

PLAIN, SPARSE = "tunnel", "sparse-tunnel"


class LengthRow(NamedTuple):
    """Pages fetched with one length, mean over the sets of seeds."""

    length: int
    relevant: float
    pages: float


@dataclass(frozen=True, slots=True)
class LengthSeries:
    """Rows by policy, each with the same lengths; None for a length that was not run."""

    lengths: list[int]
    rows: dict[str, list[LengthRow | None]]


def series_of(outcomes: Sequence[CrawlOutcome]) -> LengthSeries | None:
    """Return the crawls that differ only in their length; None if there are none."""
    found: dict[str, dict[int, list[CrawlOutcome]]] = {}
    for outcome in outcomes:
        if parts := length_of(outcome.policy):
            policy, length = parts
            found.setdefault(policy, {}).setdefault(length, []).append(outcome)
    lengths = sorted({length for by_length in found.values() for length in by_length})
    if len(lengths) < 2:
        return None
    rows = {
        policy: [
            _row(length, by_length[length]) if length in by_length else None for length in lengths
        ]
        for policy, by_length in found.items()
    }
    return LengthSeries(lengths, rows)


def lengths_table(series: LengthSeries) -> ResultTable:
    """Return relevant and all pages by length, with sparse next to plain tunnels if both were run."""
    policies = list(series.rows)
    columns = ["K", *(f"{policy}: {what}" for policy in policies for what in ("relevant", "pages"))]
    has_both = {PLAIN, SPARSE} <= {*policies}
    if has_both:
        columns += ["sparse/plain relevant", "sparse/plain pages"]
    rows: list[list[Cell]] = []
    for number, length in enumerate(series.lengths):
        rows.append([length])
        for policy in policies:
            rows[-1] += _cells(series.rows[policy][number])
        if has_both:
            rows[-1] += _ratios(series.rows[SPARSE][number], series.rows[PLAIN][number])
    return ResultTable(
        "tunnel-length",
        "Pages fetched with at most K consecutive irrelevant pages (mean over the sets of seeds)",
        columns,
        rows,
    )


def _row(length: int, outcomes: Sequence[CrawlOutcome]) -> LengthRow:
    relevant = statistics.mean(len(outcome.hits) for outcome in outcomes)
    return LengthRow(length, relevant, statistics.mean(outcome.pages for outcome in outcomes))


def _cells(row: LengthRow | None) -> list[Cell]:
    return ["-", "-"] if row is None else [round(row.relevant), round(row.pages)]


def _ratios(sparse: LengthRow | None, plain: LengthRow | None) -> list[Cell]:
    if sparse is None or plain is None or not plain.relevant:
        return ["-", "-"]
    return [sparse.relevant / plain.relevant, sparse.pages / plain.pages]


_POINTS = 300
# The rate of the first few pages is noise.
_FIRST = 20
_STYLES = {
    "breadth": ("0.45", ":"),
    "random": ("0.65", "-."),
    "lexicon": ("tab:green", "--"),
    "keyword-front": ("olive", "--"),
    "crawlee": ("darkkhaki", "--"),
    "parent": ("tab:purple", "--"),
    "nb": ("tab:cyan", "-"),
    "nb+learn": ("tab:blue", "-"),
    "tunnel": ("tab:orange", "-"),
    "sparse-tunnel": ("tab:red", "-"),
    "oracle": ("black", "--"),
}
_OTHERS = ("tab:brown", "tab:pink", "tab:olive", "gold", "navy", "teal")


def write_report(
    outcomes: Sequence[CrawlOutcome], budget: int | None, folder: Path
) -> tuple[list[ResultTable], list[Path]]:
    """Write ``runs.csv``, ``table.md`` and the plots; return the tables and all paths.

    ``budget`` is the largest number of pages in the tables, None for that of the longest crawl.
    Crawls that differ only in their length K are shown as a series.
    """
    paths = [write_outcomes(outcomes, folder)]
    tables: list[ResultTable] = []
    series = series_of(outcomes)
    if series:
        tables.append(lengths_table(series))
        paths.append(_draw_lengths(series, folder / "tunnel-length.png"))
    others = [each for each in outcomes if not (series and length_of(each.policy))]
    if others:
        most = budget or max(outcome.pages for outcome in others)
        comparison = compare(others)
        budgets = budgets_up_to(most)
        tables += tables_of(comparison, budgets)
        paths += _draw_all(comparison, most, folder)
        if comparison.has_times:
            paths.append(_draw_speeds(comparison, budgets, folder / "speed.png"))
    paths.append(folder / "table.md")
    with written(paths[-1]):
        text = "\n\n".join(table.as_markdown() for table in tables)
        paths[-1].write_text(f"{text}\n", "utf-8")
    return tables, paths


def _draw_all(comparison: Comparison, most: int, folder: Path) -> list[Path]:
    """Plot harvest rate and target recall against pages, and pages against recall."""
    return [
        _curves(comparison, most, folder / "harvest.png", "Harvest rate", CrawlOutcome.harvest),
        _curves(comparison, most, folder / "recall.png", "Target recall", CrawlOutcome.recall),
        _tenths(comparison, folder / "tenths.png"),
    ]


def _draw_lengths(series: LengthSeries, path: Path) -> Path:
    """Plot relevant and all pages against the length K of the tunnel."""
    with _picture(path, "Pages fetched by length of the tunnel", panels=2) as (upper, lower):
        for policy, rows in series.rows.items():
            color, line = _style(policy, list(series.rows))
            kept = [row for row in rows if row is not None]
            lengths = [row.length for row in kept]
            for axes, values in (
                (upper, [row.relevant for row in kept]),
                (lower, [row.pages for row in kept]),
            ):
                axes.plot(
                    lengths, values, line, color=color, marker="o", markersize=3, label=policy
                )
        upper.set_ylabel("Relevant pages")
        lower.set_ylabel("All pages")
        lower.set_xlabel("Irrelevant pages in a row, at most (K)")
        for axes in (upper, lower):
            axes.set_ylim(bottom=0)
        upper.legend(loc="lower right", framealpha=0.9)
    return path


def _curves(comparison: Comparison, most: int, path: Path, name: str, measure: Measure) -> Path:
    points = np.unique(np.linspace(min(_FIRST, most), most, _POINTS).astype(int))
    title = f"{name}: {', '.join(comparison.topics)}, {len(comparison.places)} sets of seeds"
    with _picture(path, title) as (axes,):
        for policy in comparison.policies:
            color, line = _style(policy, list(comparison.policies))
            band = comparison.band(policy, measure, points.tolist())
            axes.plot(points, band.mean, line, color=color, label=policy, linewidth=1.6)
            axes.fill_between(points, band.low, band.high, color=color, alpha=0.08, linewidth=0)
        axes.set_xlabel("Pages fetched")
        axes.set_ylabel(name)
        axes.set_xlim(0, most)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small", framealpha=0.9)
    return path


def _tenths(comparison: Comparison, path: Path) -> Path:
    with _picture(path, "Pages needed for each tenth of target recall") as (axes,):
        for policy, outcomes in comparison.policies.items():
            color, line = _style(policy, list(comparison.policies))
            pages = [median_pages(outcomes, share) for share in TENTHS]
            axes.plot(TENTHS, pages, line, color=color, marker="o", markersize=3, label=policy)
        axes.set_xlabel("Target recall")
        axes.set_ylabel("Pages fetched (median of the sets of seeds)")
        axes.set_xlim(0, 1.02)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small", framealpha=0.9)
    return path


def _draw_speeds(comparison: Comparison, budgets: Sequence[int], path: Path) -> Path:
    """Plot harvest rate against pages per second; lines join crawls that differ only in eagerness."""
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for variant, outcomes in comparison.policies.items():
        first = outcomes[0]
        lines[first._replace(condition=first.condition._replace(eagerness=None)).variant] += [variant]  # fmt: skip
    with _picture(path, "Harvest rate and speed", panels=len(budgets)) as panels:
        for axes, budget in zip(panels, budgets, strict=True):
            for color, (name, variants) in zip(cycle(_OTHERS), lines.items(), strict=False):
                by_speed = sorted((pages_per_second(comparison.policies[one]), one) for one in variants)  # fmt: skip
                speeds = [speed for speed, _ in by_speed]
                rates = [comparison.values(one, CrawlOutcome.harvest, [budget]).mean() for _, one in by_speed]  # fmt: skip
                axes.plot(speeds, rates, "-o", color=color, markersize=3, label=name)
                for speed, rate, (_, variant) in zip(speeds, rates, by_speed, strict=True):
                    eagerness = comparison.policies[variant][0].condition.eagerness
                    if eagerness is not None:
                        axes.annotate(f"{eagerness:g}", (speed, rate), fontsize="x-small")
            axes.set_ylabel(f"Harvest rate at {budget:,}")
        panels[-1].set_xlabel("Pages per second (labels: eagerness)")
        panels[0].legend(fontsize="small", framealpha=0.9)
    return path


def _style(policy: str, all_of_them: list[str]) -> tuple[str, str]:
    if policy in _STYLES:
        return _STYLES[policy]
    return _OTHERS[all_of_them.index(policy) % len(_OTHERS)], "-"


@contextmanager
def _picture(path: Path, title: str, panels: int = 1) -> Iterator[tuple[Axes, ...]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5 if panels == 1 else 7), layout="constrained")
    FigureCanvasAgg(figure)
    found = tuple(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
    figure.suptitle(title)
    for axes in found:
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    yield found
    saved_figure(figure, path)
