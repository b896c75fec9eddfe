"""The stepping spider over a distant frontier, for ``scrapy runspider``."""

from __future__ import annotations

from typing import Any

from focuscrawl.workers import crawl_membership
from tests.frontier.distant_frontier import open_distant
from tests.scheduling import stepping_spider

crawl_membership.open_crawl = open_distant  # type: ignore[assignment]


class DistantStepper(stepping_spider.Stepper):
    custom_settings: Any = stepping_spider.Stepper.custom_settings | {
        "FOCUSCRAWL_FRONTIER": "redis://all",
    }
