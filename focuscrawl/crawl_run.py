"""State of one crawl: its stores, notes, counts, and the error that ended it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import quote

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from focuscrawl.errors import INTERRUPTED, ArgumentError, FocuscrawlError, PageLimitError
from focuscrawl.network.failure_names import remedy
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations
from focuscrawl.system.durable_files import made_folder
from focuscrawl.system.machine_faults import machine_fault
from focuscrawl.system.processes import process_name

logger = logging.getLogger(__name__)

stores_needed = object()
"""Signal that the stores must be closed, if they are not; sent before the summary is printed."""

report_made = object()
"""Signal with the ``report`` of a run, sent once the stores are closed and the summary is printed."""

page_has_failed = object()
"""Signal with the ``url`` of a finally failed request."""

ERROR_STAT = "focuscrawl/error"
INCOMPLETE_STAT = "focuscrawl/incomplete"
FAILED_STAT = "focuscrawl/pages/failed/"
"""Prefix of the stats with the number of finally failed requests by reason."""
CALLBACK_ERRORS_STAT = "spider_exceptions/"
"""Prefix of Scrapy's stats with the number of errors in callbacks by class, and of their ``count``."""
PIPELINE_ERRORS_STAT = "focuscrawl/pipelines/failed/"
"""Prefix of the stats with the number of errors in pipelines by class."""
UNCLOSED_STAT = "focuscrawl/pipelines/unclosed"
"""Whether an error in a pipeline kept Scrapy from closing the stores."""
_FAULTS = (CALLBACK_ERRORS_STAT, PIPELINE_ERRORS_STAT, UNCLOSED_STAT)
FAILED_SEEDS_STAT = "focuscrawl/seeds/failed"
_NOTES = "focuscrawl/notes"
_ATTRIBUTE = "focuscrawl_run"
_JOINING = dict.fromkeys(
    ("redis", "rediss", "unix", "valkey", "valkeys"), "focuscrawl.workers.shared_crawl.join_crawl"
)


def has_workers(settings: BaseSettings) -> bool:
    """Return whether the frontier is on a server, so that a crawl is that of all workers that name it."""
    return is_server(settings["FOCUSCRAWL_FRONTIER"])


def is_server(frontier: str | None) -> bool:
    """Return whether a frontier is named by the URL of a server."""
    return joining_of(frontier) is not None


def joining_of(frontier: str | None) -> str | None:
    """Return the path of the function that joins a crawl at a frontier's URL; None for a file.

    It is chosen by the scheme of the URL; see :func:`~focuscrawl.workers.shared_crawl.join_crawl`.
    """
    scheme, separator, _ = str(frontier or "").partition("://")
    return _JOINING.get(scheme.lower()) if separator else None


def default_stores(folder: Path) -> str:
    """Return the default store URLs, which need no server: SQLite and a workbook in ``folder``."""
    # A comma or ${ in the path would otherwise count as syntax of store URLs.
    path = quote(folder.resolve().as_posix())
    return f"sqlite:///{path}/focuscrawl.sqlite,excel:///{path}/focuscrawl.xlsx"


class RunningCrawl:
    """State of a crawl that its components share; each gets it once, by :meth:`of`.

    Notes, counts and errors are kept in Scrapy's stats, where the summary reads them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._archive: Archive | None = None
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def of(cls, crawler: Crawler) -> RunningCrawl:
        """Return the crawl of a crawler, the same to each component."""
        # Kept by the crawler, so that both live equally long.
        attributes = vars(crawler)
        if _ATTRIBUTE not in attributes:
            attributes[_ATTRIBUTE] = cls(crawler)
        found: RunningCrawl = attributes[_ATTRIBUTE]
        return found

    @property
    def name(self) -> str:
        """The name of the crawl: that of its spider and, where it has one, of the site or topic."""
        spider = self._crawler.spider
        return str(getattr(spider, "crawl_name", None) or self._crawler.spidercls.name)

    @property
    def worker(self) -> str:
        """Machine and process of a worker of the crawl, and ``""`` where the crawl is one process."""
        return process_name() if has_workers(self._crawler.settings) else ""

    @property
    def exit_code(self) -> int:
        """The exit code of a run that has ended: 0 fine, 1 fault, 2 error, 3 incomplete, 130 stopped."""
        stats = self._crawler.stats
        if stats.get_value(ERROR_STAT):
            return 2
        reason = stats.get_value("finish_reason")
        if reason == "start_error" or any(stat.startswith(_FAULTS) for stat in stats.get_stats()):
            return 1
        if reason in (None, "shutdown"):
            return INTERRUPTED
        return 3 if stats.get_value(INCOMPLETE_STAT) else 0

    def data_folder(self) -> Path:
        """Return the folder of the setting ``FOCUSCRAWL_DATA``; it is created if it does not exist."""
        folder = Path(self._crawler.settings["FOCUSCRAWL_DATA"])
        return made_folder(folder, ArgumentError, "set FOCUSCRAWL_DATA to another")

    def number(self, name: str, least: int, most: int | None = None) -> float:
        """Return a setting that must be a number from ``least`` to ``most``; raises ArgumentError."""
        settings = self._crawler.settings
        value = settings[name]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if value is None and settings.getpriority(name) is None:
            raise ArgumentError(
                f"{name} has no value; add focuscrawl.addon.FocuscrawlAddon, which has its default, to "
                "ADDONS"
            )
        if not least <= number < math.inf or (most is not None and number > most):
            bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise ArgumentError(
                f"{name} must be a number {bounds}, not {value!r}; correct the setting"
            )
        return number

    @property
    def has_archive(self) -> bool:
        """Whether a component of the crawl uses the stores."""
        return self._archive is not None

    @property
    def archive(self) -> Archive:
        """The archive of the crawl; created on first use, opened by the store pipeline."""
        if self._archive is None:
            folder = self.data_folder()
            stores = self._crawler.settings["FOCUSCRAWL_STORES"]
            places = make_destinations(stores or default_stores(folder))
            self._archive = Archive(
                places.databases,
                folder / "spill",
                workbooks=places.workbooks,
                batch_size=int(self.number("FOCUSCRAWL_BATCH_SIZE", least=1)),
                batch_age=self.number("FOCUSCRAWL_BATCH_AGE", least=0),
                retry_seconds=self.number("FOCUSCRAWL_STORE_RETRY", least=0),
            )
        return self._archive

    def remember(self, error: FocuscrawlError) -> bool:
        """Record the first error of the crawl: ``scrapy crawl`` prints it and exits non-zero.

        Returns whether it is the first.
        """
        if self._crawler.stats.get_value(ERROR_STAT):
            return False
        self._crawler.stats.set_value(ERROR_STAT, str(error))
        logger.info("%s", error)
        return True

    def fail(self, error: FocuscrawlError) -> None:
        """Stop the crawl because of ``error``."""
        self.remember(error)
        self._close("error")

    def end_early(self, reason: str) -> None:
        """Stop the crawl in order before its end: it is incomplete, and the exit code is 3."""
        if not self.has_failed:
            self.mark_incomplete(reason)
        self._close("incomplete")

    def _close(self, reason: str) -> None:
        if not self.has_failed:
            closing = self._crawler.engine.close_spider_async(reason=reason)
            self._closing = asyncio.ensure_future(closing)

    @property
    def has_failed(self) -> bool:
        """Whether :meth:`fail` or :meth:`end_early` has stopped the crawl."""
        return self._closing is not None

    def fail_on_machine_fault(self, error: BaseException) -> bool:
        """Stop the crawl if an error is a fault of the machine; return whether it is."""
        fault = machine_fault(error)
        if fault:
            self.fail(fault)
        return fault is not None

    def mark_incomplete(self, reason: str) -> None:
        """Record that part of the job was not done: the summary shows it, and the exit code is 3."""
        reasons = self._crawler.stats.get_value(INCOMPLETE_STAT, [])
        if reason not in reasons:
            logger.info("%s", reason)
            self._crawler.stats.set_value(INCOMPLETE_STAT, [*reasons, reason])

    def page_failed(self, reason: str, url: str) -> None:
        """Count a finally failed request; the summary shows the reasons."""
        self._crawler.stats.inc_value("focuscrawl/pages/failed")
        self._crawler.stats.inc_value(FAILED_STAT + reason)
        self._crawler.signals.send_catch_log(page_has_failed, url=url)
        logger.info("page failed (%s): %s", reason, url)

    def seed_failed(self, url: str, reason: str) -> None:
        """Record that a seed had no result; the summary names it."""
        failed = self._crawler.stats.get_value(FAILED_SEEDS_STAT, {})
        self._crawler.stats.set_value(FAILED_SEEDS_STAT, failed | {url: reason})

    def check_seeds(self, count: int) -> bool:
        """Mark the run as incomplete if all of its ``count`` seeds failed; return whether any did not."""
        failed = self._crawler.stats.get_value(FAILED_SEEDS_STAT, {})
        if failed and len(failed) >= count:
            reason = next(iter(failed.values()))
            self.mark_incomplete(f"no seed could be read ({reason}); {remedy(reason)}")
            return False
        return True

    def give_up_page(self, error: PageLimitError, url: str) -> None:
        """Count a page that takes too much time or memory to read; mark the run as incomplete."""
        logger.info("page failed (%s): %s", error, url)
        self.drop(str(error), url)
        self.mark_incomplete(f"some pages could not be read: {error}")

    def note(self, text: str) -> None:
        """Add a note to the log, and to the summary at the end of the run."""
        logger.info("%s", text)
        self._crawler.stats.set_value(_NOTES, [*self.notes, text])

    @property
    def notes(self) -> list[str]:
        """The notes so far."""
        found: list[str] = self._crawler.stats.get_value(_NOTES, [])
        return found

    def drop(self, reason: str, what: str, count: int = 1) -> None:
        """Count a dropped URL or item, and log it at debug level."""
        self._crawler.stats.inc_value(f"focuscrawl/dropped/{reason}", count)
        if self._is_debugging():
            logger.debug("dropped (%s): %s", reason, what)

    def drop_links(self, refused: Sequence[tuple[str, str]]) -> None:
        """Count the dropped links of a page, pairs of URL and reason, as :meth:`drop` does."""
        for reason, count in Counter(reason for _, reason in refused).items():
            self._crawler.stats.inc_value(f"focuscrawl/dropped/{reason}", count)
        if self._is_debugging():
            for url, reason in refused:
                logger.debug("dropped (%s): %s", reason, url)

    # Scrapy filters log records only in its handler, so formatting a hidden one would take as long as a link.
    def _is_debugging(self) -> bool:
        return self._crawler.settings["LOG_LEVEL"] in ("DEBUG", logging.DEBUG)


class CrawlComponent:
    """Base of components of a crawl that need nothing but its crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the component of a crawler."""
        return cls(crawler)
