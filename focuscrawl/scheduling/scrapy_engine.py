"""Access to Scrapy's engine for the frontier scheduler, including private parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.request import request_from_dict
from twisted.python.failure import Failure

from focuscrawl.frontier.frontier_entries import DAMAGED, Lease
from focuscrawl.network.waiting_times import HOUR
from focuscrawl.scheduling.request_json import fields_of

_GLANCE = 0.02


def restored(lease: Lease, spider: Spider) -> Request | None:
    """Return the request of a lease, None where its row is damaged.

    Raises ``ValueError`` for a callback that the spider does not have.
    """
    try:
        # Raises for text that is not a URL; all stored URLs are ASCII.
        Request(lease.url).url.encode("ascii")
        fields = fields_of(lease.url, lease.payload)
    except (AttributeError, TypeError, ValueError):
        return None
    return None if DAMAGED.items() <= fields.items() else request_from_dict(fields, spider=spider)


# Scrapy 2.19 has no signal for a finished request, and no public way to wake the engine.
def in_progress(crawler: Crawler) -> Collection[Request]:
    """Return the requests that the engine has not finished."""
    slot = crawler.engine._slot
    return slot.inprogress if slot else ()


def is_closing(crawler: Crawler) -> bool:
    """Return whether the crawl is being closed or is closed."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def most_retries(crawler: Crawler) -> int:
    """Return how often a request is sent again at most."""
    settings = crawler.settings
    return max(0, settings.getint("RETRY_TIMES")) if settings.getbool("RETRY_ENABLED") else 0


def slot_key(crawler: Crawler, request: Request) -> str:
    """Return the name of the downloader slot that a request belongs to: its host."""
    key: str = crawler.engine.downloader.get_slot_key(request)
    return key


def download_delay(crawler: Crawler, host: str) -> float:
    """Return the seconds after a request to a host before the next one may go to the downloader.

    For a random delay that is halfway between its minimum and its mean: this makes the delays that the
    downloader draws only slightly longer (by 3 % with Scrapy's jitter of 0.5).
    """
    downloader = crawler.engine.downloader
    slot = downloader.slots.get(host)
    if slot is None:
        own = crawler.settings.getdict("DOWNLOAD_SLOTS").get(host, {})
        return float(own.get("delay", downloader._delay))
    return float(slot.delay * (1 - slot.jitter / 2))


def leave_slot_of_source(request: Request) -> None:
    """Remove the downloader slot of the previous host from a redirect to another host.

    Scrapy copies it, so that pauses and delays of one host would be those of the other.
    """
    sources = request.meta.get("redirect_urls")
    if sources and request.meta.get("download_slot") == urlsplit(sources[-1]).hostname:
        del request.meta["download_slot"]


def wake(crawler: Crawler) -> None:
    """Make the engine look for the next request."""
    if slot := crawler.engine._slot:
        slot.nextcall.schedule()


def lift_limit(crawler: Crawler) -> None:
    """Leave ``CONCURRENT_REQUESTS`` to the scheduler.

    The downloader counts a page whose robots.txt is awaited twice, and one whose host is silent forever.
    """
    crawler.engine.downloader.total_concurrency = 0


def close_when_opened(crawler: Crawler, reason: str) -> None:
    """Close the crawl as soon as its spider is open."""

    def close() -> None:
        raise CloseSpider(reason)

    # Any earlier, Scrapy 2.19 closes components that it has not opened, which prints tracebacks.
    crawler.signals.connect(close, signals.spider_opened, weak=False)


def on_shutdown(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do something before the reactor stops, also if Scrapy has not opened the spider by then."""
    from twisted.internet import reactor

    reactor.addSystemEventTrigger("before", "shutdown", lambda: deferred_from_coro(work()))  # type: ignore[arg-type]


async def wait_until_closed(crawler: Crawler) -> None:
    """Return when the spider is closed, with all that its end brings along."""
    while crawler.engine.spider is not None:  # noqa: ASYNC110
        await asyncio.sleep(_GLANCE)


class EngineTimer:
    """Timer that makes the engine look for the next request."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None) -> None:
        """Set the alarm to that many seconds from now, an hour at most, or clear it (None)."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            delay = min(max(seconds, 0.001), HOUR)
            self._timer = asyncio.get_running_loop().call_later(delay, wake, self._crawler)


def is_wanted(crawler: Crawler, link: Request) -> bool:
    """Return whether no handler of ``request_scheduled`` rejects a request.

    The engine sends this signal only for requests that it receives itself.
    """
    results = crawler.signals.send_catch_log(
        signals.request_scheduled,
        request=link,
        spider=crawler.spider,
        dont_log=IgnoreRequest,
    )
    return not any(
        isinstance(result, Failure) and isinstance(result.value, IgnoreRequest)
        for _, result in results
    )


def kills(crawler: Crawler, request: Request) -> bool:
    """Whether the frontier leaves a page out because it kills the crawler."""
    frontier = getattr(crawler.engine.scheduler, "frontier", None)
    return frontier is not None and request.url in frontier.fatal_urls


def retries(request: Request) -> int:
    """Return the number of retries of a request."""
    return int(request.meta.get("retry_times", 0))
