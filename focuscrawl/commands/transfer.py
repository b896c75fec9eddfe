"""``scrapy transfer``: copy of all records from one database to another, verified by their MD5."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import shown_progress
from focuscrawl.commands.report import configured_stores
from focuscrawl.errors import ArgumentError, StoreError
from focuscrawl.system.processes import collect_rarely

if TYPE_CHECKING:
    from focuscrawl.stores.database_copies import CopyStore
    from focuscrawl.transfer.record_transfer import TransferOutcome

_KINDS = "sqlite:///file.sqlite, mysql+pymysql://…/database or mongodb://…/database"


class Command(PlainCommand):
    """Copies all records from one database to another; existing records do not change."""

    stopped = "stopped; the same command continues from here"
    usage = "SOURCE DEST"
    summary = "Copy all records from one database to another, and compare them"
    explanation = (
        "Copy articles with their quotes, pages, numbered articles, missing numbers and the state "
        "of crawls from SOURCE to DEST, then compare every row of both by its MD5. "
        f"Either is a URL: {_KINDS}. May be killed and run again: it continues where it stopped. "
        "Retries databases that do not respond for FOCUSCRAWL_STORE_RETRY seconds."
    )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Copy and verify, then print the counts."""
        print(_transfer(args, settings))


def _transfer(args: list[str], settings: BaseSettings) -> str:
    if len(args) != 2:
        raise ArgumentError(f"name two databases: scrapy transfer SOURCE DEST; each is {_KINDS}")
    # Adds the defaults of the add-on, which Scrapy does not load for a command without a crawler.
    configured_stores(settings)
    collect_rarely()
    source, target = _database(args[0]), _database(args[1])
    folder = Path(settings["FOCUSCRAWL_DATA"]) / "transfer"
    seconds = settings.getfloat("FOCUSCRAWL_STORE_RETRY")
    return asyncio.run(_run(source, target, folder, seconds))


def _database(url: str) -> CopyStore:
    from focuscrawl.stores.database_urls import database_at, workbook_at

    if workbook_at(url):
        raise ArgumentError(
            f"{url} is a workbook, which cannot hold all records of a database; name a database, and "
            "write a workbook with scrapy report"
        )
    return database_at(url)


async def _run(source: CopyStore, target: CopyStore, folder: Path, seconds: float) -> str:
    # Imported here: Scrapy loads this module for every command.
    from focuscrawl.transfer.record_transfer import Patience, Transfer
    from focuscrawl.transfer.transfer_ledger import Ledger

    begin = monotonic()
    with shown_progress() as shown:
        shown.stretch("connecting")
        ledger = Ledger(folder, source.label, target.label)
        try:
            outcomes = await Transfer(source, target, ledger, Patience(seconds), shown.show).run()
        finally:
            for store in (source, target):
                with suppress(StoreError):
                    await store.close()
    return _summary(source.label, target.label, outcomes, monotonic() - begin)


def _summary(source: str, target: str, outcomes: Sequence[TransferOutcome], seconds: float) -> str:
    lines = [f"{source} -> {target}: all rows are equal, by their MD5"]
    for outcome in outcomes:
        if outcome.rows or outcome.others:
            text = f"{outcome.rows:,} rows, {outcome.written:,} of them written now"
            if outcome.others:
                text += f"; {outcome.others:,} more existed before"
            lines.append(f"  {outcome.kind.table:<17} {text}")
    if len(lines) == 1:
        lines.append("  nothing to copy: the source is empty")
    rows = sum(outcome.written for outcome in outcomes)
    return "\n".join([*lines, f"  {rows:,} rows in {seconds:.1f} s"])
