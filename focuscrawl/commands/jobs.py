"""``scrapy jobs``: the crawls on a server, with their workers; deletes or forgives one on request."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import seconds
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.crawl_run import is_server
from focuscrawl.errors import ArgumentError
from focuscrawl.scheduling.frontier_settings import default_path
from focuscrawl.workers.frontier_server import chosen_crawls, server_calls

if TYPE_CHECKING:
    from focuscrawl.workers.crawl_overview import CrawlOverview
    from focuscrawl.workers.redis_calls import RedisCalls

_HEADS = ("crawl", "run", "state", "workers", "waiting", "leased", "done", "failed", "dropped",
    "inboxes", "pages/s", "arguments")  # fmt: skip


class Command(PlainCommand):
    """Lists the crawls on a server, deletes one on which nobody works, or forgives its pages."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "[redis://HOST:PORT/0] [--json | --delete CRAWL | --forgive CRAWL]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "List the crawls on a frontier server, with their workers"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Jobs").add_argument
        add("--json", action="store_true", help="print a JSON list")
        add("--seconds", type=seconds, default=1.0, metavar="N",
            help="count pages per second over N seconds (default: 1)")  # fmt: skip
        add("--delete", metavar="CRAWL",
            help="delete the frontier of a crawl on which nobody works; its records stay in their stores")  # fmt: skip
        add("--forgive", metavar="CRAWL",
            help="let the next run of a crawl, on a server or in a file, try the pages that kill crawlers")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Print the crawls."""
        if len(args) > 1:
            raise ArgumentError("give one server at most: scrapy jobs redis://HOST:PORT/0")
        if opts.json + (opts.delete is not None) + (opts.forgive is not None) > 1:
            raise ArgumentError("give one of --json, --delete and --forgive")
        address = args[0] if args else settings["FOCUSCRAWL_FRONTIER"]
        if opts.forgive is not None and not is_server(address):
            add_defaults(settings)
            default = default_path(Path(settings["FOCUSCRAWL_DATA"]), opts.forgive)
            _forgive_in_file(opts.forgive, Path(address) if address else default)
            return
        with server_calls(address) as calls:
            # Imported here: redis-py may not be installed.
            from focuscrawl.workers.crawl_overview import overviews, stored_crawls

            if opts.delete is not None:
                _delete(calls, opts.delete)
                return
            if opts.forgive is not None:
                _forgive(calls, opts.forgive)
                return
            crawls = stored_crawls(calls)
            readable = [crawl for crawl in crawls if crawl.is_readable]
            found = overviews(calls, readable, opts.seconds)
        for crawl in crawls:
            if not crawl.is_readable:
                print(f"{crawl.name}: of another version of focuscrawl", file=sys.stderr)
        if opts.json:
            print(json.dumps([asdict(crawl) for crawl in found], ensure_ascii=False, indent=2))
        elif found:
            _print(found)
        else:
            print(f"no crawls at {calls.address}", file=sys.stderr)


def _forgive_in_file(name: str, path: Path) -> None:
    from focuscrawl.frontier.crawl_job import forgive_job

    if not path.is_file():
        raise ArgumentError(f"there is no frontier {path}; name its crawl, as in list-example.com")
    print(f"forgave {forgive_job(path)} pages of {name}; its next run tries them again")


def _forgive(calls: RedisCalls, name: str) -> None:
    from focuscrawl.workers.crawl_overview import stored_crawls
    from focuscrawl.workers.shard_rows import forgive

    (crawl,) = chosen_crawls(stored_crawls(calls), name, calls.address)
    count = forgive(calls, crawl.keys)
    print(f"forgave {count} pages of {name}; its next job tries them again")


def _delete(calls: RedisCalls, name: str) -> None:
    from focuscrawl.workers.crawl_membership import delete_crawl
    from focuscrawl.workers.crawl_overview import overviews, stored_crawls

    # One that was deleted before may have keys left.
    (crawl,) = chosen_crawls(stored_crawls(calls, with_deleted=True), name, calls.address)
    if not crawl.is_readable:
        raise ArgumentError(
            f"another version of focuscrawl wrote the crawl {name}; delete it with that version"
        )
    (before,) = overviews(calls, [crawl], 0)
    delete_crawl(calls, name)
    ended = before.done + before.failed + before.dropped
    print(f"deleted {name}: {before.waiting + before.leased} URLs were waiting, {ended} had ended")


def _print(crawls: Sequence[CrawlOverview]) -> None:
    rows = [_HEADS, *map(_cells, crawls)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    _print_row(_HEADS, widths)
    for crawl, row in zip(crawls, rows[1:], strict=True):
        _print_row(row, widths)
        for worker, shards in crawl.workers.items():
            print(f"  {worker}  {shards} shards")
        if crawl.workers and crawl.free_shards:
            print(f"  nobody  {crawl.free_shards} shards")


def _print_row(cells: Sequence[str], widths: Sequence[int]) -> None:
    print("  ".join(map(str.ljust, cells, widths)).rstrip())


def _cells(crawl: CrawlOverview) -> tuple[str, ...]:
    numbers = crawl.waiting, crawl.leased, crawl.done, crawl.failed, crawl.dropped
    given = {name: value for name, value in crawl.arguments.items() if value is not None}
    return (
        crawl.name,
        str(crawl.generation),
        crawl.state,
        str(len(crawl.workers)),
        *map(str, (*numbers, crawl.inbox_batches)),
        f"{crawl.pages_per_second:.1f}",
        json.dumps(given, ensure_ascii=False),
    )
