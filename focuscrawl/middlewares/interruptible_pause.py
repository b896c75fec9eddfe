"""Pause inside a downloader middleware that ends when the crawl ends."""

from __future__ import annotations

import asyncio
import time

from scrapy.crawler import Crawler

from focuscrawl.network.waiting_times import HOUR
from focuscrawl.scheduling.request_errback import HostUnavailableError

_STEP = 0.5


async def pause(crawler: Crawler, seconds: float, reason: str) -> None:
    """Sleep for ``seconds``; raises HostUnavailableError(reason) if the crawl is closed meanwhile.

    Raises it at once for more than an hour: no run waits that long.
    """
    if seconds > HOUR:
        raise HostUnavailableError(reason)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        # Scrapy 2.19 has no signal for the start of closing: it waits for every request first.
        if crawler.engine._slot is None or crawler.engine._slot.closing:
            raise HostUnavailableError(reason)
        await asyncio.sleep(min(left, _STEP))
