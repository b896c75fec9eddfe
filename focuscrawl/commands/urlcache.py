"""``scrapy urlcache``: simulation of the cache of seen URLs on the links of a crawl."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import shown_progress
from focuscrawl.command_support.option_types import out_folder
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.evaluation.result_tables import ResultTable
    from focuscrawl.lab.cache_simulation import CacheMisses

_STEPS = 100


class Command(PlainCommand):
    """Simulates cache sizes from 64 to a million URLs on a trace."""

    usage = "TRACE [--out FOLDER]"
    summary = "Simulate the cache of seen URLs on the links of a crawl"
    explanation = (
        f"{summary}: its miss rates by size. TRACE has one URL or its key per line, in the order"
        " of the crawl, such as the file of FOCUSCRAWL_URL_TRACE; it may be gzipped."
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
    from focuscrawl.lab.cache_simulation import opened_trace, simulate

    folder, path = out_folder(out) if out else None, Path(args[0])
    with shown_progress() as shown:
        shown.stretch("simulating", _STEPS)
        done = 0

        def step(share: float) -> None:
            nonlocal done
            while done < share * _STEPS:
                done += 1
                shown.step()

        with opened_trace(path, step) as lines:
            found = simulate(lines)
    if not found.links:
        raise ArgumentError(f"{path} has no URLs; give a file with one URL per line")
    table = _table(found)
    print(table.as_text())
    if folder:
        print(f"\n{table.write(folder)}")


def _table(found: CacheMisses) -> ResultTable:
    from focuscrawl.evaluation.result_tables import ResultTable
    from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE

    rates = {size: misses / found.links for size, misses in found.misses.items()}
    return ResultTable(
        "urlcache",
        f"Miss rates by cache size: {found.links:,} links to {found.distinct:,} URLs",
        ["size", "misses"],
        [[size, rate] for size, rate in sorted(rates.items())],
        f"Hits at {DEFAULT_SIZE:,}, the size that crawls use: {1 - rates[DEFAULT_SIZE]:.1%}."
        f" Of a cache that holds all URLs: {1 - found.distinct / found.links:.1%}. The paper: almost 80%.",
    )
