"""State of a topical crawl: all that its judged pages have taught it, apart from the link classifier."""

from __future__ import annotations

from focuscrawl.policy.crawler_traps import Traps
from focuscrawl.policy.learned_counts import Counts
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail, site_of
from focuscrawl.policy.sparse_tunnel import Tunnel


class CrawlState:
    """Tunnel, traps and statistics of a crawl.

    Their counts add up: the order of the pages makes no difference, nor which worker judged them.
    """

    def __init__(self, tunnel: Tunnel, statistics: OnlineStatistics | None) -> None:
        self.tunnel = tunnel
        self.statistics = statistics
        self.traps = Traps()
        self._news: CrawlState | None = None

    def judged(self, url: str, trail: Trail, is_relevant: bool) -> bool:
        """Learn from a page; return whether the waiting URLs of its site should be dropped."""
        if self._news:
            self._news.judged(url, trail, is_relevant)
        self.traps.judged(url, is_relevant=is_relevant)
        if self.statistics:
            self.statistics.judged(url, trail, is_relevant)
        return self.tunnel.judged(site_of(url), is_relevant)

    def failed(self, url: str, trail: Trail) -> None:
        """Learn that the page behind a link could not be fetched."""
        if self._news:
            self._news.failed(url, trail)
        if self.statistics:
            self.statistics.failed(url, trail)

    def record(self) -> None:
        """Begin to collect the news for :meth:`take_news`."""
        statistics = OnlineStatistics() if self.statistics else None
        self._news = CrawlState(Tunnel(self.tunnel.rules), statistics)

    def take_news(self) -> Counts:
        """Return what was learned from pages since :meth:`record` or the last call."""
        assert self._news
        counts = self._news.counts()
        self._news.clear()
        return counts

    def counts(self) -> Counts:
        """Return everything that was learned."""
        statistics = self.statistics.counts() if self.statistics else {}
        return {**self.tunnel.counts(), **self.traps.counts(), **statistics}

    def add_counts(self, counts: Counts) -> set[str]:
        """Learn what others have learned; return the domains whose waiting links should be rescored."""
        self.tunnel.add_counts(counts)
        self.traps.add_counts(counts)
        return self.statistics.add_counts(counts) if self.statistics else set()

    def restart(self) -> None:
        """Forget everything but the news, which are not known to others yet."""
        self.clear()
        if self._news:
            self.add_counts(self._news.counts())

    def clear(self) -> None:
        """Forget everything except for the news."""
        self.tunnel.clear()
        self.traps.clear()
        if self.statistics:
            self.statistics.clear()
