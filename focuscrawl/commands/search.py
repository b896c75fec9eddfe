"""``scrapy search``: full-text search of all stored texts, and articles related to a numbered one."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.commands.report import configured_stores, source_store
from focuscrawl.errors import ArgumentError
from focuscrawl.search.article_search import MOST
from focuscrawl.search.search_results import FoundText, Passage, Scope
from focuscrawl.stores.database_copies import open_existing
from focuscrawl.stores.database_urls import Database

if TYPE_CHECKING:
    from rich.text import Text

_LIMIT = 20
_COLUMNS = ("score", "published", "title", "url", "snippet", "kind")


class Command(PlainCommand):
    """Finds stored texts of all kinds in a store."""

    usage = '"WORDS" [--store URL] [--limit N] | --related URL'
    summary = "Find articles, pages, records and own items by words, in any of the databases"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Search").add_argument
        add(
            "--related",
            metavar="URL",
            help="find the articles nearest to this one, instead of a search by words",
        )
        add("--limit", type=whole_number(1, MOST), default=_LIMIT, metavar="N",
            help=f"maximum number of results (default: {_LIMIT})")  # fmt: skip
        add("--site", metavar="HOST", help="only what is of this site")
        add("--series", metavar="PATTERN", help="only numbered articles of this URL pattern")
        add("--json", action="store_true", help="print one JSON object per line")
        add("--store", metavar="URL",
            help="database with the articles (default: the first one of FOCUSCRAWL_STORES)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Print the found articles; the exit code is 1 if there are none."""
        found = _find(args, opts, settings)
        self.exitcode = 0 if found else 1
        _print(found, as_json=opts.json)


def _find(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> Sequence[FoundText]:
    if bool(args) == bool(opts.related):
        raise ArgumentError('give words or a URL: scrapy search "WORDS" or --related URL')
    if opts.related and (opts.site or opts.series):
        raise ArgumentError("--related searches all sites; remove --site and --series")
    store = source_store(opts.store or configured_stores(settings))
    scope = Scope(site=opts.site, series=opts.series)
    return asyncio.run(_query(store, " ".join(args), opts.related, opts.limit, scope))


async def _query(
    store: Database, query: str, address: str | None, limit: int, scope: Scope
) -> Sequence[FoundText]:
    try:
        await open_existing(store)
        if address:
            return await store.related(address, limit)
        return await store.search(query, limit, scope=scope)
    finally:
        await store.close()


def _print(found: Sequence[FoundText], *, as_json: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if as_json:
        for one in found:
            print(json.dumps(asdict(one), ensure_ascii=False, default=str))
    elif console.is_terminal:
        for one in found:
            console.print(_block(one))
    else:
        print(*_COLUMNS, sep="\t")
        for one in found:
            snippet = _printable(one.snippet.text)
            print(f"{one.score:.3f}", one.published or "", _printable(one.title.text),
                  _printable(one.url), snippet, one.kind, sep="\t")  # fmt: skip
    if not found:
        print("nothing found; try fewer or other words", file=sys.stderr)
    sys.stdout.flush()


def _block(found: FoundText) -> Text:
    from rich.text import Text

    day = f"  {found.published}" if found.published else ""
    address = Text(f"{_printable(found.url)}{day}  {found.kind}\n", style="dim")
    return Text.assemble(_marked(found.title, "bold"), "\n", address, _marked(found.snippet), "\n")


def _marked(passage: Passage, style: str = "") -> Text:
    from rich.text import Text

    text = Text(_printable(passage.text), style=style)
    for start, end in passage.spans:
        text.stylize("bold red", start, end)
    return text


def _printable(text: str) -> str:
    """Return text from the web without control characters, which could move the cursor."""
    return "".join(char if char.isprintable() else " " for char in text)
