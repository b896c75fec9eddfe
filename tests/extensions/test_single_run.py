"""One run of a crawl at a time in a data folder, but any number of workers of a shared one."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import has_workers
from focuscrawl.errors import AlreadyRunningError
from focuscrawl.extensions.single_run import SingleRun


class _Spider(Spider):
    name = "own"


def crawler(folder: Path, frontier: object) -> Crawler:
    settings = {"FOCUSCRAWL_DATA": str(folder), "FOCUSCRAWL_FRONTIER": frontier}
    made = get_crawler(_Spider, settings)
    made.spider = made._create_spider()
    return made


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    for name in (None, "", "data/frontier.sqlite", "redis.sqlite", "./unix:/x"):
        assert not has_workers(crawler(tmp_path, name).settings)
    first = SingleRun.from_crawler(crawler(tmp_path, "x/redis:.sqlite"))
    with pytest.raises(AlreadyRunningError, match="own is already running"):
        SingleRun.from_crawler(crawler(tmp_path, None))
    first.spider_closed()
    SingleRun.from_crawler(crawler(tmp_path, None)).spider_closed()


@pytest.mark.parametrize(
    "url", ["redis://h/0", "rediss://h", "unix:///tmp/s", "valkey://h", "valkeys://h", "Redis://h"]
)
def test_workers_run_beside_each_other(tmp_path: Path, url: str) -> None:
    worker = crawler(tmp_path, url)
    assert has_workers(worker.settings)
    with pytest.raises(NotConfigured):
        SingleRun.from_crawler(worker)
    assert not (tmp_path / "locks").exists()
