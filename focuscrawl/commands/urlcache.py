"""``scrapy urlcache``: simulation of the cache of seen URLs on the links of a crawl."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import shown_progress
from focuscrawl.command_support.option_types import out_folder
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.evaluation.result_tables import ResultTable
    from focuscrawl.lab.cache_simulation import CachePoint, Trace


class Command(PlainCommand):
    """Simulates cache sizes from 64 to a million URLs on a trace."""

    usage = "TRACE [--out FOLDER]"
    summary = "Simulate the cache of seen URLs on the links of a crawl"
    explanation = (
        f"{summary}: its miss rates by size. TRACE has one URL or its key per line, in the order"
        " of the crawl; it may be gzipped."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Cache").add_argument
        add("--out", type=Path, metavar="FOLDER",
            help="folder for the table (CSV)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Simulate and print the table."""
        _run(args, opts.out)


def _run(args: list[str], out: Path | None) -> None:
    if len(args) != 1:
        raise ArgumentError("give one trace: scrapy urlcache TRACE")
    # Imported here: Scrapy loads this module for every command.
    from focuscrawl.lab.cache_simulation import SIZES, read_trace, simulate

    folder = out_folder(out) if out else None
    trace = read_trace(Path(args[0]))
    points = []
    with shown_progress() as shown:
        shown.stretch("simulating", len(SIZES))
        for point in simulate(trace):
            points.append(point)
            shown.step()
    table = _table(trace, points)
    print(table.as_text())
    if folder:
        print(f"\n{table.write(folder)}")


def _table(trace: Trace, points: Sequence[CachePoint]) -> ResultTable:
    from focuscrawl.evaluation.result_tables import ResultTable
    from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE

    links = len(trace.links)
    rates = {point.size: point.misses / links for point in points}
    return ResultTable(
        "urlcache",
        f"Miss rates by cache size: {links:,} links to {trace.distinct:,} URLs",
        ["size", "misses"],
        [[size, rate] for size, rate in sorted(rates.items())],
        f"Hits at {DEFAULT_SIZE:,}, the size that crawls use: {1 - rates[DEFAULT_SIZE]:.1%}."
        f" Of a cache that holds all URLs: {1 - trace.distinct / links:.1%}. The paper: almost 80%.",
    )
