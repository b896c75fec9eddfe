"""``scrapy judge``: a random sample of a crawl's pages for people to judge, and what their verdicts mean."""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import numbers, whole_number
from focuscrawl.command_support.output_file import text_output
from focuscrawl.commands.report import configured_stores, source_store
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.items import PageVerdict
    from focuscrawl.stores.database_urls import Database

_SHARE = 0.05
_SHOWN_TEXT = 1500
_MOST_JUDGES = 20


class Command(PlainCommand):
    """Draws a sample, reads verdicts, and prints the rates of the judges, their agreement, and the harvest."""

    stopped = "stopped; nothing was changed"
    usage = "--crawl NAME [-o FILE.csv [--share 0.05] [--judges 3] | --read FILE.csv]"
    summary = "Judge a random sample of a crawl's pages, or show the verdicts of people on it"
    explanation = (
        f"{summary}. With -o: writes the sample, for 1, 0 or ? in the column of each judge (rename it to the"
        " person). With --read: stores the verdicts of such a file. In the browser: /judge of scrapy serve."
        " Without either: prints the figures of all verdicts so far."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Judge").add_argument
        add("--crawl", metavar="NAME", help="the topical crawl, such as tunnel-finance")
        add("-o", "--output", metavar="FILE.csv", help="write the sample (- for standard output)")
        add("--share", type=numbers(0, 1), default=(_SHARE,), metavar="SHARE",
            help=f"share of the stored pages that is drawn, above 0, at most 1 (default: {_SHARE})")  # fmt: skip
        add("--seed", type=whole_number(0, 10**9), default=0, metavar="N",
            help="number that the draw depends on (default: 0, as in the browser)")  # fmt: skip
        add("--judges", type=whole_number(1, _MOST_JUDGES), default=3, metavar="N",
            help="columns for judges (default: 3)")  # fmt: skip
        add("--read", type=Path, metavar="FILE.csv", help="store the verdicts of a file")
        add("--replace", action="store_true", help="with --read: replace earlier verdicts of these judges that differ")  # fmt: skip
        add("--store", metavar="URL",
            help="database with the pages (default: the first one of setting FOCUSCRAWL_STORES)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the sample, or read verdicts, and print the figures."""
        if args or not opts.crawl:
            raise ArgumentError("name one crawl: scrapy judge --crawl tunnel-finance")
        if opts.read and opts.output:
            raise ArgumentError("-o writes a sample and --read reads one; give one of them")
        if opts.replace and not opts.read:
            raise ArgumentError("--replace needs --read FILE.csv")
        if len(opts.share) != 1 or not opts.share[0]:
            raise ArgumentError("--share is one number above 0, at most 1, such as 0.05")
        store = source_store(opts.store or configured_stores(settings))
        asyncio.run(_run(store, opts))


async def _run(store: Database, opts: argparse.Namespace) -> None:
    from focuscrawl.labelling.judged_sample import judged_sample, sample_lines, topic_of_crawl

    topic = topic_of_crawl(opts.crawl)
    try:
        await store.open()
        if opts.output:
            await _write_sample(store, topic, opts)
            return
        if opts.read:
            await _read(store, topic, opts)
        verdicts = [one async for one in store.page_verdicts(topic)]
        if not verdicts:
            raise ArgumentError(
                f"nobody has judged pages of {opts.crawl}; write a sample with -o FILE.csv, or open /judge"
            )
        print(*sample_lines(judged_sample(verdicts)), sep="\n")
    finally:
        await store.close()


async def _write_sample(store: Database, topic: str, opts: argparse.Namespace) -> None:
    from focuscrawl.exports.flat_records import Row
    from focuscrawl.exports.row_files import CsvRows
    from focuscrawl.labelling.judged_sample import draw_sample
    from focuscrawl.labelling.verdict_file import COLUMNS

    keys = [page.key async for page in store.pages(topic)]
    _check_pages(keys, opts.crawl)
    drawn = draw_sample(keys, opts.share[0], opts.seed)
    chosen = {page.key: page async for page in store.pages(topic) if page.key in {*drawn}}
    judges = [f"judge {number + 1}" for number in range(opts.judges)]
    with text_output(opts.output) as out:
        rows = CsvRows(out, dict.fromkeys([*COLUMNS, *judges], str))
        for page in (chosen[key] for key in drawn if key in chosen):
            row: Row = {"url": page.url, "title": page.title, "text": page.text[:_SHOWN_TEXT]}
            rows.append(row)
    if opts.output != "-":
        print(f"{opts.output}: {len(drawn)} of {len(keys)} pages, for {opts.judges} judges")


async def _read(store: Database, topic: str, opts: argparse.Namespace) -> None:
    from focuscrawl.items import PageVerdict
    from focuscrawl.labelling.verdict_file import read_verdicts

    own = {page.url: page.is_relevant async for page in store.pages(topic)}
    _check_pages(own, opts.crawl)
    given = read_verdicts(opts.read, own, opts.crawl)
    earlier = {one.key: one async for one in store.page_verdicts(topic)}
    now = datetime.now(UTC)
    said = [
        PageVerdict(topic=topic, url=url, judge=judge, verdict=opinion, is_relevant=own[url], decided_at=now)
        for judge, opinions in given.by_judge.items()
        for url, opinion in opinions.items()
    ]  # fmt: skip
    fresh = [
        one for one in said if one.key not in earlier or earlier[one.key].verdict != one.verdict
    ]
    if not opts.replace:
        _check_earlier(fresh, earlier)
    if fresh:
        await store.write(fresh)
    empty = f"; {given.empty} cells are empty" if given.empty else ""
    print(f"{opts.read}: {len(said)} verdicts, {len(fresh)} new or changed{empty}")


def _check_pages(found: object, crawl: str) -> None:
    if not found:
        raise ArgumentError(
            f"no page of {crawl} is stored; name a topical crawl as its summary does, such as tunnel-finance"
        )


def _check_earlier(fresh: list[PageVerdict], earlier: dict[str, PageVerdict]) -> None:
    differing = [one for one in fresh if one.key in earlier]
    if differing:
        one = differing[0]
        raise ArgumentError(
            f"{len(differing)} verdicts contradict earlier ones, first that of {one.judge} on {one.url}:"
            f" {one.verdict}, earlier {earlier[one.key].verdict}; correct the file, rename the column, or give"
            " --replace"
        )
