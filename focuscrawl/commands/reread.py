"""``scrapy reread``: prices of stored articles, read again with another alias table or reader."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.commands.report import configured_stores, source_store
from focuscrawl.errors import ArgumentError, PageLimitError
from focuscrawl.items import Article, RereadArticle
from focuscrawl.prices.reading_task import ReadingOptions, read_text, reading_options
from focuscrawl.sites.site_profile import load_profile, profile_names
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_protocol import RefusedRecordsError
from focuscrawl.stores.store_urls import make_destinations
from focuscrawl.system.worker_pool import read_in_worker, stop_worker

_BATCH = 50
_FIELDS = [field.name for field in fields(Article)]


class Command(PlainCommand):
    """Reads the prices of stored articles again; no page is fetched."""

    usage = "[-s FOCUSCRAWL_ALIASES=FILE.yaml] [-s FOCUSCRAWL_READER=NAME]"
    summary = "Read the prices of stored articles again"

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Read the prices again and print the counts."""
        if args:
            raise ArgumentError(f"unknown argument {args[0]!r}; see scrapy reread -h")
        try:
            summary, undone = asyncio.run(_reread(settings))
        finally:
            stop_worker()
        print(summary)
        for line in undone:
            print(line, file=sys.stderr)
            self.exitcode = 3


async def _reread(settings: BaseSettings) -> tuple[str, list[str]]:
    """Return the counts, and a line for each kind of article that is not done."""
    urls = configured_stores(settings)
    options = reading_options(settings)
    # Raises an error for a SQLite file that does not exist: opening it would create an empty one.
    source_store(urls)
    stores, workbooks = make_destinations(urls)
    spill_folder = Path(settings["FOCUSCRAWL_DATA"]) / "spill"
    archive = Archive(stores, spill_folder, workbooks=workbooks, batch_age=0)
    counts: Counter[str] = Counter()
    refused: list[RefusedRecordsError] = []
    without_prices = 0
    await archive.open()
    try:
        gone = {summary.url async for summary in stores[0].summaries() if summary.is_gone}
        waiting: list[Article] = []
        async for article in stores[0].articles():
            if article.quotes is None:
                without_prices += 1
            elif article.url not in gone:
                waiting.append(article)
            if len(waiting) == _BATCH:
                counts += await _read_again(waiting, archive, options, refused)
                waiting = []
        counts += await _read_again(waiting, archive, options, refused)
    finally:
        await archive.close()
    summary = f"{counts['articles']} articles read again, {counts['changed']} with other quotes"
    if counts["given_up"]:
        summary += (
            f"; {counts['given_up']} unchanged, since they exceed FOCUSCRAWL_PAGE_SECONDS or memory"
        )
    if without_prices:
        summary += f"; {without_prices} of crawls without prices left as they are"
    undone = [
        f"waiting: {count} articles for {label} in {archive.spill_files[label]}, for the next crawl"
        for label, count in archive.spilled.items()
    ]
    if counts["replaced"]:
        others = f"{counts['replaced']} articles that a crawl has changed meanwhile"
        undone.append(f"left as they are: {others}; run scrapy reread again")
    if refused:
        undone.append(f"not stored: {len(refused)} articles, {refused[0]}")
    return summary, undone


async def _read_again(
    articles: list[Article],
    archive: Archive,
    options: ReadingOptions,
    refused: list[RefusedRecordsError],
) -> Counter[str]:
    given_up = 0
    for article in articles:
        try:
            article.quotes = await read_in_worker(
                read_text,
                _of_site(options, article.site),
                article.text,
                article.title,
                article.published,
            )
        except PageLimitError:
            given_up += 1
    # As such, since a crawl may have stored another version of them meanwhile.
    records = [
        RereadArticle(**{name: getattr(article, name) for name in _FIELDS}) for article in articles
    ]
    results = await asyncio.gather(*map(archive.write, records), return_exceptions=True)
    counts = Counter(articles=len(articles), given_up=given_up)
    for result in results:
        if isinstance(result, RefusedRecordsError):
            refused.append(result)
        elif isinstance(result, BaseException):
            raise result
        else:
            counts["changed"] += result.changed
            counts["replaced"] += result.incomplete
    return counts


def _of_site(options: ReadingOptions, site: str) -> ReadingOptions:
    """Return the options with the confidence of the profile that ships for a site, if none is set."""
    if options.threshold is not None or site not in profile_names():
        return options
    return replace(options, threshold=load_profile(site).price_confidence)
