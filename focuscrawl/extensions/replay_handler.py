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
from focuscrawl.replay.dead_hosts import Death, dead_hosts
from focuscrawl.replay.recorded_web import NOT_RECORDED, RecordedAnswer
from focuscrawl.replay.warc_records import TooLargeError

logger = logging.getLogger(__name__)


class ReplayHandler(BaseStreamingDownloadHandler[RecordedAnswer]):
    """Download handler for http and https that opens no connection.

    Everything else around a download is as in a live crawl: slots, delays, signals, size limits,
    latency. A URL that was not recorded gives a 404 flagged ``not recorded``, counted in the stats.
    A share of the hosts that were not recorded, ``FOCUSCRAWL_REPLAY_DEAD``, are dead.
    """

    lazy = True
    supports_per_request_bindaddress = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._recording = recording_of(crawler)
        self.run = RunningCrawl.of(crawler)
        self._latency = self.run.number("FOCUSCRAWL_REPLAY_LATENCY", least=0)
        share = self.run.number("FOCUSCRAWL_REPLAY_DEAD", least=0, most=1)
        self._death_of = dead_hosts(share, self._recording.hosts()) if share else None

    @asynccontextmanager
    async def _make_request(
        self,
        request: Request,
        timeout: float,  # noqa: ASYNC109 - Scrapy's signature
    ) -> AsyncIterator[RecordedAnswer]:
        # As on the web, other tasks run before the response arrives. It is read without a thread:
        # that takes 0.2 ms, and with threads the order of pages would differ from run to run.
        await asyncio.sleep(self._latency)
        if self._death_of and (death := self._death_of(urlparse_cached(request).netloc)):
            await self._die(request, death, timeout)
        yield self._answer(request)

    async def _die(self, request: Request, death: Death, timeout: float) -> NoReturn:  # noqa: ASYNC109
        """Raise the error of a dead host, for a silent one after ``timeout`` seconds."""
        self.crawler.stats.inc_value(f"focuscrawl/replay/dead/{death}")
        if death is Death.SILENT:
            await asyncio.sleep(timeout)
            raise DownloadTimeoutError(f"no answer from {request.url} in {timeout:g} s")
        raise DownloadConnectionRefusedError if death is Death.REFUSES else CannotResolveHostError

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
