"""Opens recorded webs to be replayed in place of the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.crawl_run import data_folder, note
from focuscrawl.pages.canonical_urls import canonical_url

if TYPE_CHECKING:
    from focuscrawl.replay.recorded_web import Recording

MISSING_STAT = "focuscrawl/replay/missing"
_recordings: WeakKeyDictionary[Crawler, Recording] = WeakKeyDictionary()


def recording_of(crawler: Crawler) -> Recording:
    """Return what a crawl replays; :class:`Replay` has opened it."""
    return _recordings[crawler]


class Replay:
    """Extension: opens the WARC files of setting ``FOCUSCRAWL_REPLAY``, and says so in the summary.

    It is apart from the download handler because what goes wrong there is only logged by Scrapy.
    """

    def __init__(self, crawler: Crawler, recording: Recording, names: str) -> None:
        self.crawler = crawler
        self._recording = recording
        self._names = names

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Replay:
        """Open the files; raises :class:`ArchiveError` for one that cannot be used."""
        paths = [Path(name.strip()) for name in crawler.settings.getlist("FOCUSCRAWL_REPLAY")]
        if not paths:
            raise NotConfigured
        # Loading warcio takes time that only replays shall spend.
        from focuscrawl.replay.recorded_web import Recording

        recording = Recording(paths, data_folder(crawler), canonical_url)
        _recordings[crawler] = recording
        crawler.stats.set_value(MISSING_STAT, 0)
        extension = cls(crawler, recording, ", ".join(path.name for path in paths))
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def spider_closed(self) -> None:
        """Say where the pages came from."""
        missing = self.crawler.stats.get_value(MISSING_STAT)
        text = f"replayed {self._names} ({self._recording.count} answers) without the network"
        if not self.crawler.settings.getfloat("DOWNLOAD_DELAY"):
            text += " and without pauses"
        note(self.crawler, f"{text}; asked for and not recorded: {missing}")
        for warc in self._recording.torn:
            note(self.crawler, f"the last record of {warc} is torn, and was left out")

    def engine_stopped(self) -> None:
        """Close the files."""
        self._recording.close()
