"""The times at which the workers of a crawl send their requests, and how close they come."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader import Downloader, Slot
from scrapy.crawler import Crawler
from scrapy.http import Response

DOWNLOADER = "tests.crawl.sent_requests.LoggingDownloader"


class Sent(NamedTuple):
    """A request; ``at`` is in seconds on the monotonic clock, which is one for all processes."""

    at: float
    worker: int
    url: str

    @property
    def host(self) -> str:
        """The host of the URL."""
        return urlsplit(self.url).hostname or ""


class LoggingDownloader(Downloader):
    """Scrapy's downloader, which appends each request to the file SENT_REQUESTS before it is sent.

    The time is the one from which the downloader counts the delay. The time at which a busy process
    gets round to sending, or at which a server is told, is later by any amount.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._log = os.open(
            crawler.settings["SENT_REQUESTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT
        )

    async def _download(self, slot: Slot, request: Request) -> Response:
        line = f"{slot.lastseen!r} {os.getpid()} {request.url}\n"
        os.write(self._log, line.encode())
        return await super()._download(slot, request)


def read_sent(log: Path) -> list[Sent]:
    """Return all requests so far, in the order in which they were sent."""
    written = log.read_text() if log.exists() else ""
    # The last line may not be complete yet.
    lines = (line.split(" ") for line in written.split("\n")[:-1])
    return sorted(Sent(float(at), int(worker), url) for at, worker, url in lines)


def gaps(requests: Iterable[Sent]) -> list[tuple[float, Sent, Sent]]:
    """Return the seconds between each two successive requests to a host, with both, the shortest first."""
    by_host: defaultdict[str, list[Sent]] = defaultdict(list)
    for request in sorted(requests):
        by_host[request.host].append(request)
    return sorted(
        (after.at - before.at, before, after)
        for found in by_host.values()
        for before, after in pairwise(found)
    )


def handed_over(requests: Iterable[Sent]) -> int:
    """Return how often a host got a request from another worker than the one before."""
    return sum(before.worker != after.worker for _, before, after in gaps(requests))
