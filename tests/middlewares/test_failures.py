"""Crawls whose pages exceed the limits, or whose machine cannot start workers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from focuscrawl.frontier import Outcome, State, read_frontier
from tests.servers import warm_scrapy

SPIDER = """
import resource
from scrapy import Request, Spider
from focuscrawl.system.worker_pool import read_in_worker

class Reader(Spider):
    name = "reader"
    custom_settings = {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500},
        "FOCUSCRAWL_MANNERS": True, "FOCUSCRAWL_PAGE_SECONDS": 1, "DOWNLOAD_DELAY": 0,
        "FOCUSCRAWL_STORES": "sqlite:///reader.sqlite",
        %s
    }
    is_poor = ""

    async def start(self):
        for number in range(4):
            yield Request(f"data:text/plain,{number}")

    async def parse(self, response):
        if self.is_poor:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, 1024))
        most = 10**12 if response.text == "2" else 10
        yield {"url": response.url, "sum": await read_in_worker(sum, range(most))}
        print("READ", response.text, flush=True)
"""
FRONTIER = '"SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",'


def run(folder: Path, more: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "reader.py").write_text(SPIDER % more)
    return warm_scrapy.run(["runspider", "reader.py", "-L", "INFO", *arguments], cwd=folder)


@pytest.mark.parametrize("scheduler", ["", FRONTIER])
def test_a_page_over_the_limit_fails_with_its_reason(tmp_path: Path, scheduler: str) -> None:
    told = run(tmp_path, scheduler)
    assert "Traceback" not in told.stderr
    assert sorted(line for line in told.stdout.splitlines() if line.startswith("READ")) == [
        "READ 0", "READ 1", "READ 3",
    ]  # fmt: skip
    assert "1 reading takes over 1 s" in told.stdout
    assert "not done" in told.stdout
    if scheduler:
        with read_frontier(tmp_path / "data" / "frontier-reader.sqlite") as frontier:
            assert frontier.counts().outcomes == {
                Outcome(State.DONE): 3, Outcome(State.FAILED, "reading takes over 1 s"): 1,
            }  # fmt: skip


def test_a_worker_that_cannot_start_ends_the_crawl_and_all_pages_are_kept(tmp_path: Path) -> None:
    told = run(tmp_path, FRONTIER, "-a", "is_poor=1")
    assert "cannot start a worker process (Too many open files)" in told.stdout
    with read_frontier(tmp_path / "data" / "frontier-reader.sqlite") as frontier:
        total = frontier.counts().total()
    assert (total.waiting, total.done, total.failed, total.leased) == (4, 0, 0, 0)
