"""``scrapy export``: records of a store as flat rows, in a file for other programs."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import FrameType
from typing import NoReturn, cast

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import past_day, share
from focuscrawl.command_support.output_file import STANDARD_OUTPUT, replaced_file, text_output
from focuscrawl.commands.report import SHOWN, configured_stores, source_store
from focuscrawl.errors import ArgumentError
from focuscrawl.exports.flat_records import Columns
from focuscrawl.exports.record_streams import EXPORTED, columns_of
from focuscrawl.exports.row_files import (
    CsvRows,
    JsonLines,
    RowFile,
    parquet_file,
    workbook_file,
)
from focuscrawl.stores.store_protocol import StoreReader
from focuscrawl.system.package_extras import require_extra

_KINDS = ", ".join(EXPORTED)
_JUDGED = ("articles", "numbered", "pages")
_SUFFIXES = (".csv", ".jsonl", ".parquet", ".xlsx")


class Command(PlainCommand):
    """Writes records of a store as flat rows, one at a time; no page is fetched."""

    stopped = "stopped; the file is unchanged"
    usage = (
        f"{'|'.join(EXPORTED)} [-o FILE{'|'.join(_SUFFIXES)}] [--since YYYY-MM-DD] [--store URL]"
    )
    summary = "Export records of a store as CSV, JSON lines, Parquet or workbook"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Export").add_argument
        add(
            "-o",
            "--output",
            default=STANDARD_OUTPUT,
            metavar="FILE",
            help=f"file to write, by its ending {', '.join(_SUFFIXES)} "
            "(default: - for CSV on standard output)",
        )
        add(
            "--since",
            type=past_day,
            metavar="YYYY-MM-DD",
            help="leave out what is undated or dated before (quotes, articles, numbered) or was "
            "last fetched before (pages, records, items)",
        )
        add(
            "--least-relevance",
            type=share,
            default=0.0,
            metavar="P",
            help="leave out articles, numbered and pages that are less relevant to the topic of their "
            "crawl, or were not judged (0 to 1)",
        )
        add(
            "--store",
            metavar="URL",
            help="database with the records, such as sqlite:///data/focuscrawl.sqlite "
            "(default: the first database of setting FOCUSCRAWL_STORES)",
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the file and print the number of rows."""
        if len(args) != 1 or args[0] not in EXPORTED:
            raise ArgumentError(f"name what to export: one of {_KINDS}")
        suffix = Path(opts.output).suffix.lower()
        if opts.output != STANDARD_OUTPUT and suffix not in _SUFFIXES:
            raise ArgumentError(
                f"{opts.output} has none of the endings {', '.join(_SUFFIXES)}; name such a file"
            )
        if opts.least_relevance and args[0] not in _JUDGED:
            raise ArgumentError(f"--least-relevance is for {', '.join(_JUDGED)}, not for {args[0]}")
        if suffix == ".parquet":
            require_extra("parquet")
        store = source_store(opts.store or configured_stores(settings))
        # Temporary files are removed then, as they are at Ctrl-C.
        signal.signal(signal.SIGTERM, _terminate)
        templates = Path(settings.get("FOCUSCRAWL_TEMPLATES") or "templates")
        least = opts.least_relevance
        rows = asyncio.run(_export(args[0], opts.output, store, opts.since, templates, least))
        if opts.output != STANDARD_OUTPUT:
            print(f"{opts.output}: {rows:,} rows")


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    # The exit code of shells for a program that a signal ended.
    sys.exit(128 + number)


async def _export(
    kind: str,
    output: str,
    store: StoreReader,
    since: date | None,
    templates: Path,
    least: float,
) -> int:
    # Imported here: Scrapy loads this module for every command.
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    shown = SpinnerColumn(), TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn()
    console = Console(stderr=True)
    rows = 0
    with Progress(*shown, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        try:
            await store.open()
            columns = await columns_of(kind, store, templates)
            with _opened(output, columns, kind) as out:
                async for row in EXPORTED[kind](store, since):
                    if least and cast("float", row["relevance"] or 0.0) < least:
                        continue
                    out.append(row)
                    rows += 1
                    if rows % SHOWN == 0:
                        bar.update(task, completed=rows)
        finally:
            await store.close()
    return rows


@contextmanager
def _opened(output: str, columns: Columns, kind: str) -> Iterator[RowFile]:
    suffix = Path(output).suffix.lower()
    if output == STANDARD_OUTPUT or suffix == ".csv":
        with text_output(output) as out:
            yield CsvRows(out, columns)
    elif suffix == ".jsonl":
        with text_output(output, "utf-8") as out:
            yield JsonLines(out, columns)
    elif suffix == ".parquet":
        with replaced_file(output) as path, parquet_file(path, columns) as rows:
            yield rows
    else:
        with replaced_file(output) as path, workbook_file(path, columns, kind) as sheet:
            yield sheet
