"""Files of Scrapy's feeds, each written by one crawl at a time."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO, Any, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FileFeedStorage

from focuscrawl.crawl_run import fail
from focuscrawl.errors import AlreadyRunningError


class FeedFile(FileFeedStorage):
    """Storage of a feed in a file; stops a crawl whose file another one writes, for their rows would mix."""

    crawler: Crawler
    _refusal: AlreadyRunningError | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, uri: str, **options: Any) -> Self:
        """Build the storage of a feed."""
        storage = cls(uri, **options)
        storage.crawler = crawler
        return storage

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file, locked until it is closed; it is not emptied before it is locked."""
        path = Path(self.path)
        if path.exists() and not path.is_file():
            # Pipes and devices may have several writers.
            return super().open(spider)
        # Scrapy tries again for each item and at the end, when the other crawl may have finished.
        if self._refusal:
            raise self._refusal
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        file = path.open("ab" if self.write_mode == "ab" else "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            self._refusal = AlreadyRunningError(
                f"another crawl is writing the feed {path}; wait until it has finished, or name another"
                " file (-o, -O or FEEDS)"
            )
            fail(self.crawler, self._refusal)
            raise self._refusal from None
        except OSError:
            pass  # some network folders have no locks
        if self.write_mode != "ab":
            file.truncate()
        return file
