"""Errors in the spiders and pipelines of somebody else's project: counted, exit code 1, nothing lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import NO_DELAYS, Crawler, Finished, report_of
from tests.crawl.test_addon import make_project, scrapy

PIPES = """
class Raising:
    def process_item(self, item):
        raise ValueError("item")

class Closing:
    def process_item(self, item):
        return item

    def close_spider(self):
        raise ValueError("close")
"""
SPIDER = """
import scrapy

class Faulty(scrapy.Spider):
    name = "faulty"
    start_urls = ["http://bulletins.demo.test/list/"]

    def parse(self, response):
        raise ValueError("callback")
"""


@pytest.fixture
def project(crawl: Crawler, demo: Callable[..., DemoWeb]) -> DemoWeb:
    """A project of its own, with faults, and a demo web."""
    make_project(crawl.folder)
    (crawl.folder / "theirs" / "pipes.py").write_text(PIPES)
    (crawl.folder / "theirs" / "spiders" / "faulty.py").write_text(SPIDER)
    return demo(days=3)


def test_an_error_in_a_callback_is_counted(crawl: Crawler, project: DemoWeb) -> None:
    run = scrapy(crawl, "crawl", "faulty", *NO_DELAYS, "--json")
    report = report_of(Finished(run.returncode, run.stdout, run.stderr))
    assert run.returncode == 1
    assert report["raised"] == {"callbacks": {"ValueError": 1}}


def test_items_lost_in_a_pipeline_are_counted_and_come_again(
    crawl: Crawler, project: DemoWeb
) -> None:
    pipelines = 'ITEM_PIPELINES={"theirs.pipes.Raising": 100}'
    run = scrapy(crawl, "crawl", "maize", "-a", "site=demo", *NO_DELAYS, "-s", pipelines)
    count = len(project.truth())
    assert run.returncode == 1
    assert f"raised    {count} ValueError in pipelines; the log shows where" in run.stdout
    run = scrapy(crawl, "crawl", "maize", "-a", "site=demo", *NO_DELAYS)
    assert run.returncode == 0
    assert f"{count} new" in run.stdout


@pytest.mark.parametrize("order", [100, 950])
def test_a_pipeline_that_cannot_be_closed_keeps_no_store_open(
    crawl: Crawler, project: DemoWeb, order: int
) -> None:
    pipelines = f'ITEM_PIPELINES={{"theirs.pipes.Closing": {order}}}'
    run = scrapy(crawl, "crawl", "maize", "-a", "site=demo", *NO_DELAYS, "-s", pipelines)
    assert run.returncode == 1
    assert "raised    1 error in close_spider of pipelines; the log shows where" in run.stdout
    workbook = crawl.folder / "data" / "focuscrawl.xlsx"
    assert str(workbook) in run.stdout
    assert workbook.exists()
    run = scrapy(crawl, "crawl", "maize", "-a", "site=demo", *NO_DELAYS)
    assert "0 new, 0 changed" in run.stdout
