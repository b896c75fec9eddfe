"""Download handler that serves responses from recorded webs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn, cast
from urllib.parse import urldefrag

from scrapy import Request
from scrapy.core.downloader.handlers._base_streaming import (
    BaseStreamingDownloadHandler,
    _BaseResponseArgs,
)
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
)
from scrapy.http import Headers
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArchiveError
from focuscrawl.extensions.web_replay import MISSING_STAT, recording_of
from focuscrawl.known_settings import UNRECORDED
from focuscrawl.replay.recorded_web import NOT_RECORDED, RecordedAnswer
from focuscrawl.replay.unrecorded_hosts import DEAD, OTHER_PAGE, Fate, fates
from focuscrawl.replay.warc_records import TooLargeError

logger = logging.getLogger(__name__)


class ReplayHandler(BaseStreamingDownloadHandler[RecordedAnswer]):
    """Download handler for http and https that opens no connection.

    Everything else around a download is as in a live crawl: slots, delays, signals, size limits,
    latency. A URL that was not recorded gives a 404 flagged ``not recorded``, counted in the stats.
    Of the hosts that were not recorded, the share ``FOCUSCRAWL_REPLAY_DEAD`` is dead, and of
    ``FOCUSCRAWL_REPLAY_OFF_TOPIC`` every page is the same one, off any topic.
    """

    lazy = True
    supports_per_request_bindaddress = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._recording = recording_of(crawler)
        self.run = RunningCrawl.of(crawler)
        self._latency = self.run.number("FOCUSCRAWL_REPLAY_LATENCY", least=0)
        dead, off_topic = (self.run.number(name, least=0, most=1) for name in UNRECORDED)
        hosts = self._recording.hosts() if dead or off_topic else ()
        self._fate_of = fates(dead, off_topic, hosts)

    @asynccontextmanager
    async def _make_request(
        self,
        request: Request,
        timeout: float,  # noqa: ASYNC109 - Scrapy's signature
    ) -> AsyncIterator[RecordedAnswer]:
        # As on the web, other tasks run before the response arrives. It is read without a thread:
        # that takes 0.2 ms, and with threads the order of pages would differ from run to run.
        await asyncio.sleep(self._latency)
        address = urlparse_cached(request)
        fate = self._fate_of(address.netloc)
        if fate in DEAD:
            await self._die(request, fate, timeout)
        has_page = fate is Fate.OFF_TOPIC and address.path != "/robots.txt"
        yield OTHER_PAGE if has_page else self._answer(request)

    async def _die(self, request: Request, death: Fate, timeout: float) -> NoReturn:  # noqa: ASYNC109
        """Raise the error of a dead host, for a silent one after ``timeout`` seconds."""
        self.crawler.stats.inc_value(f"focuscrawl/replay/dead/{death}")
        if death is Fate.SILENT:
            await asyncio.sleep(timeout)
            raise DownloadTimeoutError(f"no answer from {request.url} in {timeout:g} s")
        raise DownloadConnectionRefusedError if death is Fate.REFUSES else CannotResolveHostError

    def _answer(self, request: Request) -> RecordedAnswer:
        url = urldefrag(request.url).url
        is_conditional = (
            "If-None-Match" in request.headers or "If-Modified-Since" in request.headers
        )
        try:
            answer = self._recording.answer(
                url, request.method, request.body, conditional=is_conditional
            )
        except ArchiveError as error:
            self.run.fail(error)
            raise
        except TooLargeError:
            raise DownloadCancelledError(f"the recorded response of {url} is too large") from None
        if answer is NOT_RECORDED:
            self.crawler.stats.inc_value(MISSING_STAT)
            logger.debug("not recorded: %s", url)
        return answer

    @staticmethod
    def _extract_headers(response: RecordedAnswer) -> Headers:
        headers = Headers(response.headers)
        # An HTTP client rejects such responses before Scrapy sees them.
        if not (headers.get("Content-Length") or b"").isdigit():
            headers.pop("Content-Length", None)
        return headers

    @staticmethod
    def _build_base_response_args(
        response: RecordedAnswer, request: Request, headers: Headers
    ) -> _BaseResponseArgs:
        arguments = {
            "url": urldefrag(request.url).url,
            "status": response.status,
            "headers": headers,
            "protocol": response.protocol,
            "flags": ["not recorded"] if response is NOT_RECORDED else None,
        }
        # Scrapy passes them to make_response(), which accepts flags as well.
        return cast(_BaseResponseArgs, arguments)

    @staticmethod
    async def _iter_body_chunks(response: RecordedAnswer) -> AsyncIterator[bytes]:
        yield response.body

    @staticmethod
    def _is_dataloss_exception(exc: Exception) -> bool:
        return False
