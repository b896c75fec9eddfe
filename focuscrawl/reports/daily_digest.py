"""Collection of what 今日摘要 shows beside figures: sentences of the newest day, doubts, alarms."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter
from typing import NamedTuple

from focuscrawl.price_statistics.price_jumps import MAX_FACTOR
from focuscrawl.reports.entity_series import Series, location_of
from focuscrawl.reports.quote_facts import is_counted, middle_price
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.stored_records import ArticleSummary, StoredQuote

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
class DigestAlarm:
    """A sentence about what may be wrong with the crawl, and the URL to look at ("" if none)."""

    text: str
    url: str = ""


@dataclass(slots=True)
class CommodityDay:
    """Newest day of a commodity: the number of its counted quotes, and the first one of each entity."""

    day: date
    quotes: int = 0
    sources: dict[Series, StoredQuote] = field(default_factory=dict)


class PricedQuote(NamedTuple):
    """A counted quote with its price, in yuan per ton, and its day."""

    price: float
    day: date
    stored: StoredQuote


_price = attrgetter("price")


class DailyDigest:
    """Collects quotes and articles one by one; memory holds the sentences of the newest days only.

    ``commodities`` has the newest day with a counted quote of each commodity. ``jumps`` has the
    lowest and the highest quote of those before and after a price that is far from the one before,
    by commodity, entity and day.
    ``doubtful`` counts flagged quotes, ``ahead`` those dated after ``today``, which are no news but
    errors.
    """

    def __init__(self, today: date) -> None:
        self.today = today
        self.commodities: dict[str, CommodityDay] = {}
        self.jumps: dict[tuple[str, Series, date], tuple[PricedQuote, PricedQuote]] = {}
        self.doubtful = self.ahead = 0
        self._previous: dict[tuple[str, Series], PricedQuote] = {}
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
        price = middle_price(quote)
        if is_counted(quote) and price is not None:
            self._keep(stored, quote.date, price)

    def _keep(self, stored: StoredQuote, day: date, price: float) -> None:
        quote = stored.quote
        commodity = clean_text(quote.commodity)
        series = clean_text(quote.entity), location_of(quote)
        newest = self.commodities.get(commodity)
        if newest is None or day > newest.day:
            newest = self.commodities[commodity] = CommodityDay(day)
        if day == newest.day:
            newest.quotes += 1
            newest.sources.setdefault(series, stored)
        own = PricedQuote(price, day, stored)
        previous = self._previous.get((commodity, series), own)
        if max(previous.price, price) > min(previous.price, price) * MAX_FACTOR:
            for one in (previous, own):
                low, high = self.jumps.get((commodity, series, one.day), (one, one))
                extremes = min(low, one, key=_price), max(high, one, key=_price)
                self.jumps[commodity, series, one.day] = extremes
        self._previous[commodity, series] = own

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

    def alarms(self) -> list[DigestAlarm]:
        """Return the alarms, those about whole sites first."""
        silent, incomplete = [], []
        for site, news in sorted(self._sites.items()):
            days = (self.today - news.newest).days if news.newest else 0
            if days > SILENT_DAYS:
                silent.append(
                    DigestAlarm(f"{site}：{news.newest} 以后没有新的文章和报价，已 {days:,} 天")
                )
            if last := news.last_incomplete:
                text = f"{site}：{news.incomplete:,} 篇文章不完整，最近一篇：{last.title}"
                incomplete.append(DigestAlarm(text, last.url))
        ahead = f"{self.ahead:,} 个报价的日期晚于今天（{self.today}），未列入各表的走势和指数"
        return [*silent, *([DigestAlarm(ahead)] if self.ahead else []), *incomplete]


def _newest_first(entry: tuple[date, int, StoredQuote]) -> tuple[int, int]:
    return -entry[0].toordinal(), -entry[1]
