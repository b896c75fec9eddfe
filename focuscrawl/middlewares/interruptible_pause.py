"""Waiting inside a downloader middleware, which ends with the crawl."""

from __future__ import annotations

import asyncio
import time

from scrapy.crawler import Crawler

from focuscrawl.network.waiting_times import HOUR
from focuscrawl.scheduling.request_errback import HostUnavailableError

_STEP = 0.5


async def pause(crawler: Crawler, seconds: float, reason: str) -> None:
    """Wait; raises HostUnavailableError with the reason where the crawl ends meanwhile.

    It raises at once for more than an hour: a run does not wait that long.
    """
    if seconds > HOUR:
        raise HostUnavailableError(reason)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        # Scrapy 2.19 tells nobody that it begins to close: it waits for every request first.
        if crawler.engine._slot is None or crawler.engine._slot.closing:
            raise HostUnavailableError(reason)
        await asyncio.sleep(min(left, _STEP))
