"""Trace of the URLs that a crawl looks up in its frontier, which ``scrapy urlcache`` replays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArgumentError

_SETTING = "FOCUSCRAWL_URL_TRACE"


class UrlTrace:
    """File of the setting ``FOCUSCRAWL_URL_TRACE``: one URL per line.

    A run appends to what is there; not gzipped, since a killed one would leave a broken file. Of several workers each has a file of its own, with its name at the
    end. A disk that is full ends the trace, with a note, and not the crawl.
    """

    def __init__(self, file: IO[bytes], run: RunningCrawl) -> None:
        self._file: IO[bytes] | None = file
        self._run = run
        self._has_all_links = False

    @classmethod
    def of(cls, crawler: Crawler) -> UrlTrace | None:
        """Open the file, None if none is named; raises ArgumentError if it cannot be written."""
        if not (name := crawler.settings[_SETTING]):
            return None
        run = RunningCrawl.of(crawler)
        path = Path(name)
        if run.worker:
            path = path.with_name(f"{path.stem}-{run.worker}{path.suffix}")
        try:
            return cls(path.open("ab"), run)
        except OSError as error:
            raise ArgumentError(
                f"{_SETTING}={name} cannot be written: {error.strerror}; name another file"
            ) from None

    def add_request(self, url: str) -> None:
        """Write the URL of a request, unless the spider looks all links up before it requests some."""
        if not self._has_all_links:
            self._add([url])

    def add_looked_up(self, urls: Sequence[str]) -> None:
        """Write the URLs of the links of a page, which are looked up before some are requested."""
        self._has_all_links = True
        self._add(urls)

    def close(self) -> None:
        """Complete the file."""
        self._do(lambda file: file.close())
        self._file = None

    def _add(self, urls: Sequence[str]) -> None:
        lines = b"".join(url.encode("utf-8", "replace") + b"\n" for url in urls)
        self._do(lambda file: file.write(lines))

    def _do(self, step: Callable[[IO[bytes]], object]) -> None:
        if self._file is None:
            return
        try:
            step(self._file)
        except OSError as error:
            self._file = None
            self._run.note(f"the trace of URLs is incomplete: {error.strerror}")
