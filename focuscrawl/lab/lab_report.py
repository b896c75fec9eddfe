"""Report of a lab: tables, raw figures and plots of its crawls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.result_tables import ResultTable
from focuscrawl.lab.crawl_outcomes import CrawlOutcome, write_outcomes
from focuscrawl.lab.crawl_plots import draw_all, draw_lengths, draw_speeds
from focuscrawl.lab.crawl_policies import length_of
from focuscrawl.lab.policy_comparison import budgets_up_to, compare, tables_of
from focuscrawl.lab.tunnel_lengths import lengths_table, series_of

TABLE_FILE = "table.md"


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
        paths.append(draw_lengths(series, folder / "tunnel-length.png"))
    others = [each for each in outcomes if not (series and length_of(each.policy))]
    if others:
        most = budget or max(outcome.pages for outcome in others)
        comparison = compare(others)
        budgets = budgets_up_to(most)
        tables += tables_of(comparison, budgets)
        paths += draw_all(comparison, most, folder)
        if comparison.has_times:
            paths.append(draw_speeds(comparison, budgets, folder / "speed.png"))
    return tables, [*paths, _write(tables, folder / TABLE_FILE)]


def _write(tables: Sequence[ResultTable], path: Path) -> Path:
    try:
        path.write_text("\n\n".join(table.as_markdown() for table in tables) + "\n", "utf-8")
    except OSError as error:
        raise ArgumentError(
            f"cannot write {path}: {error.strerror}; name a folder you may write to."
        ) from None
    return path
