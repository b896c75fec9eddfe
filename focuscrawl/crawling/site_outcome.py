"""Outcome of the crawl of one site: its records, and the state of its seed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import seed_failed
from focuscrawl.items import Seed, SeedState, TemplateRecord
from focuscrawl.templates.crawl_windows import Window

if TYPE_CHECKING:
    from focuscrawl.crawling.site_crawl import CrawledSite


def site_outcome(
    crawler: Crawler, window: Window, seed: Seed, site: CrawledSite, *, keeps_all: bool
) -> tuple[list[TemplateRecord], Seed]:
    """Return the records of a seed to be stored, and the seed with its state.

    If a page got no response, the stored records of the site do not change: the new ones are
    returned only with ``keeps_all``, for a site of many records.
    """
    records = site.records
    state: SeedState = "useful" if records or site.is_repeat else "useless"
    urls = {record.url for record in records}
    if site.is_faulty and (not records or window.misses(seed.url, site.arrived, urls)):
        state = "failed"
        # A page read instead of a contact page without response is no evidence of a change.
        records = records if keeps_all else []
        seed_failed(crawler, seed.url, site.failure or "a page of the site failed")
    window.meet(record.url for record in records)
    crawler.stats.inc_value("focuscrawl/pages/relevant", len(records))
    return records, replace(seed, state=state, listed_at=datetime.now(UTC))
