"""``scrapy urlcache``: simulation of caches of seen URLs on the links of a crawl."""

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
from focuscrawl.system.package_extras import require_matplotlib

if TYPE_CHECKING:
    from focuscrawl.evaluation.result_tables import Table
    from focuscrawl.lab.url_caches.cache_simulation import Point, Trace


class Command(PlainCommand):
    """Simulates all policies over cache sizes from 64 to a million URLs on a trace."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "TRACE [--out FOLDER]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Simulate caches of seen URLs on the links of a crawl"

    def long_desc(self) -> str:
        """Return the text of ``scrapy urlcache -h``."""
        return (
            f"{self.short_desc()}: the miss rates of LRU, CLOCK, RANDOM and STATIC, of MIN, which knows"
            " future links, and of an infinite cache. TRACE has one URL or its key per line, in the order"
            " of the crawl; it may be gzipped."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Cache").add_argument
        add("--out", type=Path, metavar="FOLDER",
            help="folder for the table (CSV) and the curves (PNG)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Simulate and print the table."""
        _run(args, opts.out)


def _run(args: list[str], out: Path | None) -> None:
    if len(args) != 1:
        raise ArgumentError("give one trace: scrapy urlcache TRACE")
    # Imported here: Scrapy loads this module for every command.
    from focuscrawl.lab.url_caches.cache_simulation import POLICIES, SIZES, read_trace, simulate
    from focuscrawl.lab.url_caches.miss_rate_plot import draw

    if out:
        require_matplotlib()
    folder = out_folder(out) if out else None
    trace = read_trace(Path(args[0]))
    points = []
    with shown_progress() as shown:
        shown.stretch("simulating", len(POLICIES) * len(SIZES))
        for point in simulate(trace):
            points.append(point)
            shown.step()
    table = _table(trace, points)
    print(table.as_text())
    if folder:
        picture = draw(points, len(trace.links), folder / "urlcache.png")
        print(f"\n{table.write(folder)} and {picture}")


def _table(trace: Trace, points: Sequence[Point]) -> Table:
    from focuscrawl.evaluation.result_tables import Table
    from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE
    from focuscrawl.lab.url_caches.cache_simulation import POLICIES

    links = len(trace.links)
    rates = {(point.policy, point.size): point.misses / links for point in points}
    sizes = sorted({point.size for point in points})
    hits = ", ".join(f"{name} {1 - rates[name, DEFAULT_SIZE]:.1%}" for name in ("LRU", "CLOCK"))
    return Table(
        "urlcache",
        f"Miss rates by cache size: {links:,} links to {trace.distinct:,} URLs",
        ["size", *POLICIES],
        [[size, *(rates[policy, size] for policy in POLICIES)] for size in sizes],
        f"Hits at {DEFAULT_SIZE:,}, the size that crawls use: {hits}. The paper: almost 80%.",
    )
