"""Due times by the clock of the server, since those of workers differ."""

from __future__ import annotations

import time

from focuscrawl.frontier.frontier_entries import Candidate
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import RedisCalls

# In seconds: clocks that differ less are those of machines that are kept in step.
_SAME_TIME = 5.0


def seconds_ahead(calls: RedisCalls, keys: CrawlKeys) -> float:
    """Return how many seconds the server's clock is ahead of this machine's; 0 for a few."""
    seconds, micros = calls.one(keys.crawl, "TIME")
    ahead = float(seconds + micros / 1e6 - time.time())
    return ahead if abs(ahead) > _SAME_TIME else 0.0


def by_server_time(link: Candidate, ahead: float) -> Candidate:
    """Return a link with its due time by the server's clock."""
    due = link.not_before
    return link._replace(not_before=due + ahead) if due is not None and ahead else link
