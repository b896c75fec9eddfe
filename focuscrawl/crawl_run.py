"""State of one crawl: its stores, notes, counts, and the error that ended it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote
from weakref import WeakKeyDictionary, WeakSet

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

_archives: WeakKeyDictionary[Crawler, Archive] = WeakKeyDictionary()
_failed: WeakSet[Crawler] = WeakSet()
_closing: set[asyncio.Task[None]] = set()

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
_JOINING = dict.fromkeys(
    ("redis", "rediss", "unix", "valkey", "valkeys"), "focuscrawl.workers.shared_crawl.join_crawl"
)


def crawl_name(crawler: Crawler) -> str:
    """Return the name of a crawl: that of its spider and, where it has one, of the site or topic."""
    return str(getattr(crawler.spider, "crawl_name", None) or crawler.spidercls.name)


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


def worker_name(crawler: Crawler) -> str:
    """Return machine and process of a worker of a crawl, and ``""`` where a crawl is one process."""
    return process_name() if has_workers(crawler.settings) else ""


def exit_code(crawler: Crawler) -> int:
    """Return the exit code of a run that has ended: 0 fine, 1 fault, 2 error, 3 incomplete, 130 stopped."""
    stats = crawler.stats
    if stats.get_value(ERROR_STAT):
        return 2
    reason = stats.get_value("finish_reason")
    if reason == "start_error" or any(stat.startswith(_FAULTS) for stat in stats.get_stats()):
        return 1
    if reason in (None, "shutdown"):
        return INTERRUPTED
    return 3 if stats.get_value(INCOMPLETE_STAT) else 0


def data_folder(crawler: Crawler) -> Path:
    """Return the folder of the setting ``FOCUSCRAWL_DATA``; it is created if it does not exist."""
    folder = Path(crawler.settings["FOCUSCRAWL_DATA"])
    return made_folder(folder, ArgumentError, "set FOCUSCRAWL_DATA to another")


def has_archive(crawler: Crawler) -> bool:
    """Return whether a component of the crawl uses the stores."""
    return crawler in _archives


def archive_of(crawler: Crawler) -> Archive:
    """Return the archive of a crawl; created on first use, opened by the store pipeline."""
    if crawler not in _archives:
        settings, folder = crawler.settings, data_folder(crawler)
        places = make_destinations(settings["FOCUSCRAWL_STORES"] or default_stores(folder))
        _archives[crawler] = Archive(
            places.databases,
            folder / "spill",
            workbooks=places.workbooks,
            batch_size=int(number_setting(crawler, "FOCUSCRAWL_BATCH_SIZE", least=1)),
            batch_age=number_setting(crawler, "FOCUSCRAWL_BATCH_AGE", least=0),
            retry_seconds=number_setting(crawler, "FOCUSCRAWL_STORE_RETRY", least=0),
        )
    return _archives[crawler]


def number_setting(crawler: Crawler, name: str, least: int, most: int | None = None) -> float:
    """Return a setting that must be a number from ``least`` to ``most``; raises ArgumentError."""
    value = crawler.settings[name]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if value is None and crawler.settings.getpriority(name) is None:
        raise ArgumentError(
            f"{name} has no value; add focuscrawl.addon.FocuscrawlAddon, which has its default, to "
            "ADDONS"
        )
    if not least <= number < math.inf or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ArgumentError(f"{name} must be a number {bounds}, not {value!r}; correct the setting")
    return number


def default_stores(folder: Path) -> str:
    """Return the default store URLs, which need no server: SQLite and a workbook in ``folder``."""
    # A comma or ${ in the path would otherwise count as syntax of store URLs.
    path = quote(folder.resolve().as_posix())
    return f"sqlite:///{path}/focuscrawl.sqlite,excel:///{path}/focuscrawl.xlsx"


def remember(crawler: Crawler, error: FocuscrawlError) -> bool:
    """Record the first error of a crawl: ``scrapy crawl`` prints it and exits non-zero.

    Returns whether it is the first.
    """
    if crawler.stats.get_value(ERROR_STAT):
        return False
    crawler.stats.set_value(ERROR_STAT, str(error))
    logger.info("%s", error)
    return True


def fail(crawler: Crawler, error: FocuscrawlError) -> None:
    """Stop a running crawl because of ``error``."""
    remember(crawler, error)
    if has_failed(crawler):
        return
    _failed.add(crawler)
    task = asyncio.ensure_future(crawler.engine.close_spider_async(reason="error"))
    _closing.add(task)
    task.add_done_callback(_closing.discard)


def fail_on_machine_fault(crawler: Crawler, error: BaseException) -> bool:
    """Stop a crawl if an error is a fault of the machine; return whether it is."""
    fault = machine_fault(error)
    if fault:
        fail(crawler, fault)
    return fault is not None


def has_failed(crawler: Crawler) -> bool:
    """Return whether :func:`fail` has stopped the crawl."""
    return crawler in _failed


def mark_incomplete(crawler: Crawler, reason: str) -> None:
    """Record that part of the job was not done: the summary shows it, and the exit code is 3."""
    reasons = crawler.stats.get_value(INCOMPLETE_STAT, [])
    if reason not in reasons:
        logger.info("%s", reason)
        crawler.stats.set_value(INCOMPLETE_STAT, [*reasons, reason])


def page_failed(crawler: Crawler, reason: str, url: str) -> None:
    """Count a finally failed request; the summary shows the reasons."""
    crawler.stats.inc_value("focuscrawl/pages/failed")
    crawler.stats.inc_value(FAILED_STAT + reason)
    crawler.signals.send_catch_log(page_has_failed, url=url)
    logger.info("page failed (%s): %s", reason, url)


def seed_failed(crawler: Crawler, url: str, reason: str) -> None:
    """Record that a seed had no result; the summary names it."""
    failed = crawler.stats.get_value(FAILED_SEEDS_STAT, {})
    crawler.stats.set_value(FAILED_SEEDS_STAT, failed | {url: reason})


def check_seeds(crawler: Crawler, count: int) -> bool:
    """Mark a run as incomplete if all of its ``count`` seeds failed; return whether any did not."""
    failed = crawler.stats.get_value(FAILED_SEEDS_STAT, {})
    if failed and len(failed) >= count:
        reason = next(iter(failed.values()))
        mark_incomplete(crawler, f"no seed could be read ({reason}); {remedy(reason)}")
        return False
    return True


def give_up_page(crawler: Crawler, error: PageLimitError, url: str) -> None:
    """Count a page that takes too much time or memory to read; mark the run as incomplete."""
    logger.info("page failed (%s): %s", error, url)
    drop(crawler, str(error), url)
    mark_incomplete(crawler, f"some pages could not be read: {error}")


def note(crawler: Crawler, text: str) -> None:
    """Add a note to the log, and to the summary at the end of the run."""
    logger.info("%s", text)
    crawler.stats.set_value(_NOTES, [*notes(crawler), text])


def notes(crawler: Crawler) -> list[str]:
    """Return the notes so far."""
    found: list[str] = crawler.stats.get_value(_NOTES, [])
    return found


def drop(crawler: Crawler, reason: str, what: str, count: int = 1) -> None:
    """Count a dropped URL or item, and log it at debug level."""
    crawler.stats.inc_value(f"focuscrawl/dropped/{reason}", count)
    if _is_debugging(crawler):
        logger.debug("dropped (%s): %s", reason, what)


def drop_links(crawler: Crawler, refused: Sequence[tuple[str, str]]) -> None:
    """Count the dropped links of a page, pairs of URL and reason, as :func:`drop` does."""
    for reason, count in Counter(reason for _, reason in refused).items():
        crawler.stats.inc_value(f"focuscrawl/dropped/{reason}", count)
    if _is_debugging(crawler):
        for url, reason in refused:
            logger.debug("dropped (%s): %s", reason, url)


# Scrapy filters log records only in its handler, so formatting a hidden one would take as long as a link.
def _is_debugging(crawler: Crawler) -> bool:
    return crawler.settings["LOG_LEVEL"] in ("DEBUG", logging.DEBUG)
