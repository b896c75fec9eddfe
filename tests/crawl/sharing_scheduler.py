"""A scheduler for one worker of several: its frontier is a file of its own, what it learns is shared."""

from __future__ import annotations

from scrapy import Spider

from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.shared_state import SharedState


class SharingScheduler(FrontierScheduler):
    """Shares by the server at the setting LEARNING_LOG."""

    async def _open(self, spider: Spider) -> None:
        await super()._open(spider)
        calls = connect(self.crawler.settings["LEARNING_LOG"])
        state = SharedState(calls, CrawlKeys("tunnel-nets"), lambda call: call())
        self.services = CrawlServices(pages=state)
