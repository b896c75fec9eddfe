"""A scheduler for one worker of several: its frontier is a file of its own, what it learns is shared."""

from __future__ import annotations

from scrapy import Spider

from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_learning_log import RedisLearningLog
from focuscrawl.frontier.redis.server_address import connect
from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler


class SharingScheduler(FrontierScheduler):
    """Shares by the server at the setting LEARNING_LOG."""

    async def _open(self, spider: Spider) -> None:
        await super()._open(spider)
        calls = connect(self.crawler.settings["LEARNING_LOG"])
        self.frontier.learning_log = RedisLearningLog(calls, CrawlKeys("tunnel-nets"))  # type: ignore[attr-defined]
