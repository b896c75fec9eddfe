"""Collection of what 今日摘要 shows beside figures: sentences of the newest day, doubts, alarms."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from datetime import date

from focuscrawl.items import ArticleSummary, StoredQuote
from focuscrawl.reports.quote_facts import is_counted, middle_price
from focuscrawl.reports.sheets.sheet_cells import clean_text

MAX_DOUBTFUL = 6
SILENT_DAYS = 3
"""Days without anything new of a site that are no alarm: a weekend with a day before or after it."""


@dataclass(slots=True)
class SiteNews:
    """Newest date of a site's articles and quotes, and its incomplete articles."""

    newest: date | None = None
    incomplete: int = 0
    last_incomplete: ArticleSummary | None = None

    def see(self, day: date | None, today: date) -> None:
        """Count a complete article or quote of that day."""
        if day is not None and day <= today and (self.newest is None or day > self.newest):
            self.newest = day


@dataclass(frozen=True, slots=True)
class Alarm:
    """A sentence about what may be wrong with the crawl, and the URL to look at ("" if none)."""

    text: str
    url: str = ""


class DailyDigest:
    """Collects quotes and articles one by one; memory holds the sentences of the newest day only.

    ``newest`` is the newest day with a counted quote, ``sources`` has its first quote of each
    commodity and entity. ``doubtful`` counts flagged quotes, ``ahead`` those dated after ``today``,
    which are no news but errors.
    """

    def __init__(self, today: date) -> None:
        self.today = today
        self.newest: date | None = None
        self.sources: dict[tuple[str, str], StoredQuote] = {}
        self.quotes = self.doubtful = self.ahead = 0
        self._sites: dict[str, SiteNews] = {}
        self._doubtful: list[tuple[date, int, StoredQuote]] = []

    def add_quote(self, stored: StoredQuote) -> None:
        """Add a quote."""
        quote = stored.quote
        if quote.flag:
            self._doubt(stored)
        if quote.date is None:
            return
        if quote.date > self.today:
            self.ahead += 1
            return
        self._site(stored.site).see(quote.date, self.today)
        if is_counted(quote) and middle_price(quote) is not None:
            self._keep(stored, quote.date)

    def _keep(self, stored: StoredQuote, day: date) -> None:
        if self.newest is None or day > self.newest:
            self.newest, self.quotes = day, 0
            self.sources.clear()
        if day == self.newest:
            self.quotes += 1
            key = clean_text(stored.quote.commodity), clean_text(stored.quote.entity)
            self.sources.setdefault(key, stored)

    def _doubt(self, stored: StoredQuote) -> None:
        self.doubtful += 1
        heapq.heappush(self._doubtful, (stored.quote.date or date.min, -self.doubtful, stored))
        if len(self._doubtful) > MAX_DOUBTFUL:
            heapq.heappop(self._doubtful)

    def add_article(self, article: ArticleSummary) -> None:
        """Add an article."""
        if article.is_gone:
            return
        news = self._site(article.site)
        if article.is_complete:
            news.see(article.published, self.today)
            return
        news.incomplete += 1
        last = news.last_incomplete
        if last is None or (article.published or date.min) > (last.published or date.min):
            news.last_incomplete = article

    def _site(self, name: str) -> SiteNews:
        return self._sites.setdefault(name, SiteNews())

    def doubts(self) -> list[StoredQuote]:
        """Return the newest flagged quotes, newest first, at most ``MAX_DOUBTFUL``."""
        return [stored for *_, stored in sorted(self._doubtful, key=_newest_first)]

    def alarms(self) -> list[Alarm]:
        """Return the alarms, those about whole sites first."""
        silent, incomplete = [], []
        for site, news in sorted(self._sites.items()):
            days = (self.today - news.newest).days if news.newest else 0
            if days > SILENT_DAYS:
                silent.append(Alarm(f"{site}:{news.newest} 以后没有新的文章和报价,已 {days:,} 天"))
            if last := news.last_incomplete:
                text = f"{site}:{news.incomplete:,} 篇文章不完整,最近一篇:{last.title}"
                incomplete.append(Alarm(text, last.url))
        ahead = f"{self.ahead:,} 个报价的日期晚于今天({self.today}),未列入各表的走势和指数"
        return [*silent, *([Alarm(ahead)] if self.ahead else []), *incomplete]


def _newest_first(entry: tuple[date, int, StoredQuote]) -> tuple[int, int]:
    return -entry[0].toordinal(), -entry[1]
