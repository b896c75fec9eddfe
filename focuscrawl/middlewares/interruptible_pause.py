"""Pause before a request: in the frontier if it came from there, else inside a downloader middleware."""

from __future__ import annotations

import asyncio
import time

from scrapy import Request
from scrapy.crawler import Crawler

from focuscrawl.network.waiting_times import HOUR
from focuscrawl.scheduling.request_errback import HostUnavailableError, can_return

_STEP = 0.5


async def pause(crawler: Crawler, request: Request, seconds: float, reason: str) -> None:
    """Sleep for ``seconds``; raises HostUnavailableError(reason) if the crawl is closed meanwhile.

    Raises it at once for a request of the frontier, which is to wait there: here it would occupy a
    request slot. Also for more than an hour: no run waits that long.
    """
    if can_return(request):
        raise HostUnavailableError(reason, seconds)
    if seconds > HOUR:
        raise HostUnavailableError(reason)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        # Scrapy 2.19 has no signal for the start of closing: it waits for every request first.
        if crawler.engine._slot is None or crawler.engine._slot.closing:
            raise HostUnavailableError(reason)
        await asyncio.sleep(min(left, _STEP))
