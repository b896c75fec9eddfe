"""Extension that opens the recorded webs that a crawl replays."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.pages.canonical_urls import canonical_url

if TYPE_CHECKING:
    from focuscrawl.replay.recorded_web import Recording

MISSING_STAT = "focuscrawl/replay/missing"
_recordings: WeakKeyDictionary[Crawler, Recording] = WeakKeyDictionary()


def recording_of(crawler: Crawler) -> Recording:
    """Return the recording that a crawl replays, opened by :class:`Replay`."""
    return _recordings[crawler]


class Replay:
    """Extension: opens the WARC files of setting ``FOCUSCRAWL_REPLAY`` and mentions them in the summary.

    Not part of the download handler, because Scrapy only logs the errors of a handler.
    """

    def __init__(self, crawler: Crawler, recording: Recording, names: str) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self._recording = recording
        self._names = names

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Replay:
        """Open the files; raises :class:`ArchiveError` for one that cannot be read."""
        names = crawler.settings.getlist("FOCUSCRAWL_REPLAY")
        if not names:
            raise NotConfigured
        # Imported here: loading warcio takes a tenth of a second, which only replays should spend.
        from focuscrawl.replay.recorded_web import Recording
        from focuscrawl.replay.recording_paths import recording_paths

        paths = recording_paths(names)
        recording = Recording(paths, RunningCrawl.of(crawler).data_folder(), canonical_url)
        _recordings[crawler] = recording
        crawler.stats.set_value(MISSING_STAT, 0)
        extension = cls(crawler, recording, ", ".join(path.name for path in paths))
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def spider_closed(self) -> None:
        """Add a note on the replay to the summary."""
        missing = self.crawler.stats.get_value(MISSING_STAT)
        text = f"replayed {self._names} ({self._recording.count} responses) without the network"
        if not self.crawler.settings.getfloat("DOWNLOAD_DELAY"):
            text += " and without delays"
        self.run.note(f"{text}; requests not in the recording: {missing}")
        for warc in self._recording.torn:
            self.run.note(f"the last record of {warc} is incomplete and was skipped")

    def engine_stopped(self) -> None:
        """Close the files."""
        self._recording.close()
