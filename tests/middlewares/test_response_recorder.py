"""The file into which a crawl records its responses."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArchiveError
from focuscrawl.middlewares.response_recorder import WarcRecorder


@pytest.mark.parametrize("frontier", [None, "redis://h/0"])
def test_each_worker_records_in_a_file_of_its_own(tmp_path: Path, frontier: str | None) -> None:
    settings = {"FOCUSCRAWL_WARC": str(tmp_path / "a.warc.gz"), "FOCUSCRAWL_FRONTIER": frontier}
    crawler = get_crawler(Spider, settings)
    recorder = WarcRecorder.from_crawler(crawler)
    run = RunningCrawl.of(crawler)
    name = f"a-{run.worker.replace(':', '-')}.warc.gz" if frontier else "a.warc.gz"
    files = [path.name for path in tmp_path.iterdir() if path.name.endswith(".warc.gz")]
    assert files == [name]
    assert run.notes == [f"every response is recorded in {tmp_path / name}"]
    recorder.spider_closed()


@pytest.mark.parametrize("frontier", [None, "redis://h/0"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, frontier: str | None) -> None:
    settings = {"FOCUSCRAWL_WARC": str(tmp_path / "a.txt"), "FOCUSCRAWL_FRONTIER": frontier}
    with pytest.raises(ArchiveError, match=r"a\.txt must end in \.warc\.gz"):
        WarcRecorder.from_crawler(get_crawler(Spider, settings))
