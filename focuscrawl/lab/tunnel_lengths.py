"""The tunnel experiment of Lin Huaizhong and Jiang Yuqian (2010): relevant and all pages by length K."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focuscrawl.evaluation.result_tables import Cell, ResultTable
from focuscrawl.lab.crawl_outcomes import CrawlOutcome
from focuscrawl.lab.crawl_policies import length_of

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
