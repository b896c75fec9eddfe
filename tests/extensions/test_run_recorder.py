"""The rows of runs: those of a crawl's workers belong together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import worker_name
from focuscrawl.extensions import run_recorder
from focuscrawl.extensions.run_recorder import RunRecorder
from focuscrawl.items import CrawlRun
from focuscrawl.summary.run_report import RunReport


class _Spider(Spider):
    name = "own"


async def test_workers_name_their_crawl_and_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[CrawlRun] = []

    async def write_run(run: CrawlRun) -> None:
        written.append(run)

    archive = SimpleNamespace(write_run=write_run)
    monkeypatch.setattr(run_recorder, "archive_of", lambda _: archive)
    url = "redis://u:geheim@h/0"
    crawler = get_crawler(_Spider, {"FOCUSCRAWL_FRONTIER": url, "FOCUSCRAWL_DATA": str(tmp_path)})
    crawler.spider = crawler._create_spider()
    for recorder in (RunRecorder(crawler), RunRecorder(crawler)):
        recorder.spider_opened()
        await asyncio.sleep(0)
        recorder.end_updates()
    first, second = written
    assert first.key != second.key
    assert first.crawl == second.crawl == "own"
    assert (
        first.details["worker"] == worker_name(crawler) == f"{first.machine}:{first.details['pid']}"
    )
    assert first.details["server"] == "redis://u:***@h/0"
    assert "frontier" not in first.details


async def test_a_clock_that_is_set_back_during_a_run_gives_no_negative_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[CrawlRun] = []

    async def write_run(run: CrawlRun) -> None:
        written.append(run)

    class SetBack(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) - timedelta(hours=2)

    archive = SimpleNamespace(write_run=write_run)
    monkeypatch.setattr(run_recorder, "archive_of", lambda _: archive)
    crawler = get_crawler(_Spider, {"FOCUSCRAWL_FRONTIER": "", "FOCUSCRAWL_DATA": str(tmp_path)})
    crawler.spider = crawler._create_spider()
    recorder = RunRecorder(crawler)
    recorder.spider_opened()
    monkeypatch.setattr(run_recorder, "datetime", SetBack)
    began = datetime.now(UTC)
    report = RunReport(crawl="own", spider="own", began=began, seconds=0.0, reason="finished")
    await recorder.record_end(report)
    run = written[-1]
    assert run.ended_at is not None
    assert run.ended_at >= run.began_at > run.updated_at
    assert {point.seconds for point in run.details["series"]} == {0}
