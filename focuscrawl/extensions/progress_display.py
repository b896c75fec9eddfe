"""Extensions that show the progress of a crawl: on a terminal, and to the process that started it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.summary.rule_version import rules_of
from focuscrawl.summary.run_series import measured


class ProgressLine:
    """One line on standard error: site profile and its version, pages, harvest rate, waiting requests, items.

    Harvest rate = pages that a spider counted as relevant / pages fetched (Chakrabarti 1999).
    """

    def __init__(self, crawler: Crawler) -> None:
        # Imported here: most crawls run from cron and show no progress.
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.crawler = crawler
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("starting")
        self._updates: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressLine:
        """Build the extension; raises NotConfigured if standard error is not a terminal."""
        if not sys.stderr.isatty():
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Show the line."""
        self._progress.start()
        self._updates = asyncio.ensure_future(self._update_forever())

    def spider_closed(self) -> None:
        """Remove the line, since the summary follows."""
        if self._updates:
            self._updates.cancel()
        self._progress.stop()

    async def _update_forever(self) -> None:
        while True:
            self._progress.update(self._task, description=self._line())
            await asyncio.sleep(0.3)

    def _line(self) -> str:
        rules = rules_of(self.crawler.spider)
        name = f"{rules.name} {rules.version} · " if rules else ""
        return name + progress_text(progress_counts(self.crawler.stats.get_stats()))


def progress_counts(stats: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of the progress line, from Scrapy's stats."""
    point = measured(stats, 0)._asdict()
    return {name: point[name] for name in ("pages", "relevant", "waiting", "items", "judged")}


def progress_text(counts: Mapping[str, int]) -> str:
    """Return the progress line of counts."""
    pages = counts["pages"]
    harvest = f"{counts['relevant'] / pages:.0%}" if pages else "–"
    judge = " by its own judge" if counts.get("judged") else ""
    waiting, items = counts["waiting"], counts["items"]
    return f"{pages} pages · harvest {harvest}{judge} · {waiting} waiting · {items} items"


_SECONDS = 0.5


class ProgressFile:
    """Writes the file of setting ``FOCUSCRAWL_PROGRESS_FILE`` twice a second."""

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self.crawler = crawler
        self._path = path
        self._updates: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressFile:
        """Build the extension; raises NotConfigured if no file is named."""
        if not crawler.settings["FOCUSCRAWL_PROGRESS_FILE"]:
            raise NotConfigured
        extension = cls(crawler, Path(crawler.settings["FOCUSCRAWL_PROGRESS_FILE"]))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Begin to write."""
        self._updates = asyncio.ensure_future(self._update_forever())

    def spider_closed(self) -> None:
        """Write the last counts."""
        if self._updates:
            self._updates.cancel()
        self._write()

    async def _update_forever(self) -> None:
        while True:
            self._write()
            await asyncio.sleep(_SECONDS)

    def _write(self) -> None:
        # Replaced at once: the reader never sees half a file.
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(progress_counts(self.crawler.stats.get_stats())))
        fresh.replace(self._path)
