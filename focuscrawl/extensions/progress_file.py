"""Extension that writes the counts of the progress line into a file, for the process that started this one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.extensions.progress_display import progress_counts

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
