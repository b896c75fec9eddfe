"""Order among workers: one whose best URL is worse than another's waits for that."""

from __future__ import annotations

from math import inf

from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import Call, RedisCalls

# In seconds: a worker that is stopped holds the others back no longer than that, and a worker that is
# held back looks again after a tenth of it.
_COUNTS_FOR = 2.0
LOOKS_AGAIN = 0.2


class BestScores:
    """The scores of the best URLs that workers may lease now.

    Workers that fill all their slots whatever the others have fetch pages that one worker would not
    choose: four of them reach .72 of its harvest after 1,000 recorded pages, and .98 or more if each
    leases only what is as good as the best of the others (``scrapy lab --workers``).
    """

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, worker: str) -> None:
        self._calls = calls
        self._key = keys.of_all("best")
        self._worker = worker
        self.of_others = -inf
        """The best score that another worker had when :meth:`publish` was called."""

    def publish(self, score: float | None) -> None:
        """Publish the score of this worker's best URL, None if it can lease none."""
        text = "" if score is None else repr(float(score))
        call = Call.of("publish_score", self._key, self._worker, text, _COUNTS_FOR)
        best = self._calls.run([call])[0]
        self.of_others = float(best) if best else -inf
