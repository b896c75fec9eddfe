"""Extension that prevents two runs of the same crawl at the same time, unless they are its workers."""

from __future__ import annotations

from filelock import FileLock, Timeout
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.crawl_run import RunningCrawl, has_workers
from focuscrawl.errors import AlreadyRunningError, FocuscrawlError


class SingleRun:
    """Extension: locks a file in the data folder from before the first request until the spider closes."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SingleRun:
        """Acquire the lock; raises :class:`AlreadyRunningError` if another run holds it.

        Raises NotConfigured for a worker, for others of its crawl may run beside it.
        """
        if has_workers(crawler.settings):
            raise NotConfigured
        run = RunningCrawl.of(crawler)
        crawl, folder = run.name, run.data_folder() / "locks"
        lock = FileLock(folder / f"{crawl}.lock")
        try:
            folder.mkdir(exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            raise AlreadyRunningError(
                f"{crawl} is already running (lock {lock.lock_file}); wait until it has finished"
            ) from None
        except OSError as error:
            raise FocuscrawlError(
                f"cannot write {lock.lock_file} ({error.strerror}); set FOCUSCRAWL_DATA to a folder of yours"
            ) from None
        extension = cls(lock)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_closed(self) -> None:
        """Release the lock."""
        self._lock.release()
