"""Fetching of sample pages by commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import BaseSettings

from focuscrawl.command_support.project_settings import provide_spiders
from focuscrawl.crawl_run import ERROR_STAT
from focuscrawl.errors import FocuscrawlError

if TYPE_CHECKING:
    from focuscrawl.crawling.page_sampler import PageSamples


def fetch_samples(settings: BaseSettings, url: str, find_rules: Any, count: int) -> PageSamples:
    """Fetch a list page and ``count`` of its articles with the settings of the project.

    ``find_rules`` returns the rules of the list page. Raises a FocuscrawlError if that page cannot be
    fetched or read.
    """
    from focuscrawl.crawling.page_sampler import PageSampler, PageSamples

    provide_spiders(settings)
    samples = PageSamples(url)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PageSampler)
    task = process.crawl(crawler, samples, find_rules, count)
    process.start()
    error = None if task.cancelled() or not task.done() else task.exception()
    if error is not None:
        raise error
    if sentence := crawler.stats.get_value(ERROR_STAT):
        raise FocuscrawlError(sentence)
    return samples
