"""The summary of a worker: its own counts, and those of all workers that have ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import INCOMPLETE_STAT, RunningCrawl
from focuscrawl.errors import FrontierError
from focuscrawl.extensions.run_summary import ResultLines, RunSummary
from focuscrawl.summary.run_report import NamedCounts, RunReport


class _Spider(Spider):
    name = "own"

    async def results(self) -> ResultLines:
        return ResultLines(
            [NamedCounts("kept", {"new": self.crawler.stats.get_value("new", 0)})], []
        )


class Server:
    """A server with sums in memory."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()
        self.error: FrontierError | None = None

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        if self.error:
            raise self.error
        self.sums.update(counts)
        return dict(self.sums)


def worker(pages: Server | None, folder: Path, url: str = "redis://h/0") -> Crawler:
    crawler = get_crawler(_Spider, {"FOCUSCRAWL_FRONTIER": url, "FOCUSCRAWL_DATA": str(folder)})
    crawler.spider = crawler._create_spider()
    scheduler = SimpleNamespace(services=SimpleNamespace(pages=pages))
    crawler.engine = SimpleNamespace(scheduler=scheduler)  # type: ignore[assignment]
    return crawler


async def report_of(crawler: Crawler) -> RunReport:
    summary = RunSummary.from_crawler(crawler)
    await summary.spider_closed("finished")
    assert summary.report
    return summary.report


async def test_the_last_worker_prints_the_sum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    for new in (3, 0):
        crawler = worker(server, tmp_path)
        crawler.stats.set_value("new", new)
        crawler.stats.set_value("response_received_count", new * 2)
        report = await report_of(crawler)
        # A worker for which the others have left nothing is fine.
        assert not crawler.stats.get_value(INCOMPLETE_STAT)
        assert not report.alarms
    assert report.worker == RunningCrawl.of(crawler).worker != ""
    assert (report.workers, report.together["kept"]) == (2, {"new": 3})
    assert "  kept      0 new\n" in (out := capsys.readouterr().out)
    assert "            kept      3 new\n" in out
    assert "2 workers of this crawl have ended so far" in out


async def test_a_crawl_of_which_no_worker_has_read_a_page_is_incomplete(tmp_path: Path) -> None:
    report = await report_of(worker(Server(), tmp_path))
    assert report.not_done == ["no worker has read a page so far; check the seeds and the network"]


async def test_a_server_that_is_gone_at_the_end_leaves_the_own_counts(tmp_path: Path) -> None:
    server = Server()
    server.error = FrontierError("redis://h/0 does not answer")
    report = await report_of(worker(server, tmp_path))
    assert (report.workers, report.together) == (0, {})
    assert report.notes == [
        "the counts of the other workers are not known: redis://h/0 does not answer"
    ]


async def test_a_crawl_of_one_process_shares_nothing(tmp_path: Path) -> None:
    report = await report_of(worker(None, tmp_path, "frontier.sqlite"))
    assert (report.worker, report.workers, report.not_done) == ("", 0, ())
