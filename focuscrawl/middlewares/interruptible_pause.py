"""Waits of downloader middlewares that end when the crawl is closed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from scrapy import Request
from scrapy.crawler import Crawler

from focuscrawl.network.waiting_times import HOUR
from focuscrawl.scheduling.request_errback import HostUnavailableError, can_return
from focuscrawl.scheduling.scrapy_engine import is_closing

# Scrapy 2.19 has no signal for the start of closing: it waits for every request first.
_STEP = 0.5
_T = TypeVar("_T")


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
        if is_closing(crawler):
            raise HostUnavailableError(reason)
        await asyncio.sleep(min(left, _STEP))


async def until_closing(crawler: Crawler, download: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of a download; cancel it and raise HostUnavailableError if the crawl is closed.

    Otherwise a crawl that has all of its pages would wait a minute for each silent host.
    """
    task = asyncio.ensure_future(download)
    while not (await asyncio.wait({task}, timeout=_STEP))[0]:
        if is_closing(crawler):
            task.cancel()
            await asyncio.wait({task})
            raise HostUnavailableError("the crawl was closed")
    return task.result()
