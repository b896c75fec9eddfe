"""The rows of runs: those of a crawl's workers belong together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.extensions import run_recorder
from focuscrawl.extensions.run_recorder import RunRecorder
from focuscrawl.items import CrawlRun
from focuscrawl.summary.run_report import RunReport


class _Spider(Spider):
    name = "own"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[CrawlRun]:
    """The rows of runs that are written."""
    runs: list[CrawlRun] = []

    async def write_run(run: CrawlRun) -> None:
        runs.append(run)

    archive = SimpleNamespace(write_run=write_run)
    monkeypatch.setattr(RunningCrawl, "archive", archive)
    return runs


def crawler_of(folder: Path, frontier: str) -> Crawler:
    crawler = get_crawler(
        _Spider, {"FOCUSCRAWL_FRONTIER": frontier, "FOCUSCRAWL_DATA": str(folder)}
    )
    crawler.spider = crawler._create_spider()
    return crawler


async def test_workers_name_their_crawl_and_themselves(
    tmp_path: Path, written: list[CrawlRun]
) -> None:
    crawler = crawler_of(tmp_path, "redis://u:geheim@h/0")
    for recorder in (RunRecorder(crawler), RunRecorder(crawler)):
        recorder.spider_opened()
        await asyncio.sleep(0)
        recorder.end_updates()
    first, second = written
    assert first.key != second.key
    assert first.crawl == second.crawl == "own"
    name = f"{first.machine}:{first.details['pid']}"
    assert first.details["worker"] == RunningCrawl.of(crawler).worker == name
    assert first.details["server"] == "redis://u:***@h/0"
    assert "frontier" not in first.details


async def test_a_clock_that_is_set_back_during_a_run_gives_no_negative_times(
    tmp_path: Path, written: list[CrawlRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SetBack(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) - timedelta(hours=2)

    recorder = RunRecorder(crawler_of(tmp_path, ""))
    recorder.spider_opened()
    monkeypatch.setattr(run_recorder, "datetime", SetBack)
    began = datetime.now(UTC)
    report = RunReport(crawl="own", spider="own", began=began, seconds=0.0, reason="finished")
    await recorder.record_end(report)
    run = written[-1]
    assert run.ended_at is not None
    assert run.ended_at == run.updated_at >= run.began_at
    assert {point.seconds for point in run.details["series"]} == {0}
