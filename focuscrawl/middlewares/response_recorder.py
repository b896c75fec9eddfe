"""Downloader middleware that records the responses of a crawl in a WARC file."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

import scrapy
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArchiveError

if TYPE_CHECKING:
    from focuscrawl.replay.warc_recorder import Exchange, Recorder

_TRUNCATED = {"dataloss": "disconnect", "download_stopped": "unspecified"}
_SUFFIX = ".warc.gz"
_COOKIE = re.compile(rb"^([^=;]*)=[^;]*")
SECRET = "secret"
"""Key of ``meta`` of requests that are not recorded, such as those of a login."""
_NOT_FROM_THE_WEB = {"cached", "not recorded"}


class WarcRecorder:
    """Downloader middleware nearest the network: sees every response once, unchanged.

    Redirects, errors, robots.txt and responses that will be retried pass here before they are
    decompressed. A page reaches the spider once it is in the file; until then it counts as being
    downloaded, so that a slow disk slows the crawl down and nothing piles up.
    """

    def __init__(self, crawler: Crawler, recorder: Recorder) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self._recorder = recorder
        profile = getattr(crawler.spider, "profile", None)
        self._has_session = any(getattr(profile, part, None) for part in ("login", "cookies"))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="warc")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WarcRecorder:
        """Open the file of setting ``FOCUSCRAWL_WARC``; raises :class:`ArchiveError` if that fails."""
        name = crawler.settings["FOCUSCRAWL_WARC"]
        if not name:
            raise NotConfigured
        # Loading warcio takes a tenth of a second.
        from focuscrawl.replay.recording_paths import recording_paths
        from focuscrawl.replay.warc_recorder import Recorder

        path = _own_file(Path(name), RunningCrawl.of(crawler).worker)
        replayed = recording_paths(crawler.settings.getlist("FOCUSCRAWL_REPLAY"))
        if path.resolve() in {warc.resolve() for warc in replayed}:
            raise ArchiveError(f"{path} is being replayed: give another FOCUSCRAWL_WARC")
        middleware = cls(crawler, Recorder(path, f"focuscrawl on Scrapy {scrapy.__version__}"))
        RunningCrawl.of(crawler).note(f"every response is recorded in {path}")
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def process_request(self, request: Request) -> None:
        """Accept only compression that every reader of WARC files supports."""
        accepted = request.headers.get("Accept-Encoding") or b""
        if b"br" in accepted or b"zstd" in accepted:
            request.headers["Accept-Encoding"] = "gzip, deflate"

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response once it is recorded."""
        is_web = request.url.startswith(("http://", "https://"))
        is_secret = SECRET in request.meta
        if not is_web or is_secret or _NOT_FROM_THE_WEB.intersection(response.flags):
            return response
        # Before the other middlewares, which change the headers of this very object.
        exchange = _exchange(request, response, masks=self._has_session)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._recorder.write, exchange)
        except ArchiveError as error:
            self.run.fail(error)
        else:
            self.crawler.stats.inc_value("focuscrawl/warc/recorded")
        return response

    def spider_closed(self) -> None:
        """Close the file; by now no response is being written."""
        self._thread.shutdown()
        self._recorder.close()
        duplicates = self._recorder.duplicates
        self.crawler.stats.set_value("focuscrawl/warc/duplicates", duplicates)


def _own_file(path: Path, worker: str) -> Path:
    """Return the file of one of several workers, whose records would mix in a single one."""
    if not worker or not path.name.endswith(_SUFFIX):
        return path
    stem = path.name.removesuffix(_SUFFIX)
    return path.with_name(f"{stem}-{worker.replace(':', '-')}{_SUFFIX}")


def _exchange(request: Request, response: Response, *, masks: bool) -> Exchange:
    from focuscrawl.replay.warc_recorder import Exchange

    return Exchange(
        url=urldefrag(request.url).url,
        method=request.method,
        request_headers=_pairs(request.headers, masks=masks),
        request_body=request.body,
        status=response.status,
        protocol=response.protocol or "HTTP/1.1",
        headers=_pairs(response.headers, masks=masks),
        body=response.body,
        truncated=next((_TRUNCATED[flag] for flag in response.flags if flag in _TRUNCATED), ""),
    )


def _pairs(headers: Headers, *, masks: bool) -> list[tuple[bytes, bytes]]:
    """Return headers as they were sent, or without the session of a login."""
    pairs = [(name, value) for name, values in headers.items() for value in values]
    if not masks:
        return pairs
    return [
        (name, _COOKIE.sub(rb"\1=***", value) if name == b"Set-Cookie" else value)
        for name, value in pairs
        if name != b"Cookie"
    ]
