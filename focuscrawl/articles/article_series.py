"""State of one series of numbered articles, and the records of a run over it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from focuscrawl.articles.article_page import PageParts
from focuscrawl.articles.number_walk import NumberWalk, Settled, WalkRules
from focuscrawl.articles.page_queue import PageQueue
from focuscrawl.articles.soft_404_detection import MissingPages, Probe
from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.items import MissingNumber, NumberedArticle

_LONGEST_DELAY_DAYS = 64
# A daily run counts as a day later even if it starts a bit earlier than the last one.
_SLACK = timedelta(hours=2)


def due_after(tries: int, now: datetime) -> datetime:
    """Return the next due time of a number after ``tries`` misses: 1, 2, 4 … 64 days later."""
    days = min(2 ** min(tries - 1, 10), _LONGEST_DELAY_DAYS)
    return now + timedelta(days=days) - _SLACK


class NumberSeries:
    """The walk over the numbers of one pattern, and their state in the stores.

    ``held`` and ``missing`` are as returned by :class:`~focuscrawl.stores.archive.store_archive.Archive`;
    ``now`` is the start of the run.
    """

    def __init__(
        self,
        pattern: UrlPattern,
        rules: WalkRules,
        pages: MissingPages,
        held: Collection[int],
        missing: Mapping[int, MissingNumber],
        now: datetime,
    ) -> None:
        self.pattern = pattern
        self.pages = pages
        due = {number: known.due_at <= now for number, known in missing.items()}
        self.walk = NumberWalk(rules, held, due)
        # Only the due records are kept: there may be hundreds of thousands of others.
        self._due = {number: missing[number] for number, is_due in due.items() if is_due}
        self.retried = 0
        self.queue = PageQueue(pages)
        # Pending requests that are not part of the walk.
        self.probes_pending = 0
        self.probe = Probe()
        self.is_behind_wall = False

    def article(self, number: int, reading: PageParts, now: datetime) -> NumberedArticle:
        """Return the record of an article."""
        return NumberedArticle(
            url=self.pattern.url(number),
            site=self.pattern.site,
            series=self.pattern.text,
            number=number,
            title=reading.title,
            description=reading.description,
            tags=reading.tags,
            author=reading.author,
            published=reading.published,
            body_html=reading.body_html,
            body_text=reading.body_text,
            extra=reading.extra,
            fetched_at=now,
        )

    def found(self, number: int, now: datetime) -> list[MissingNumber]:
        """Note that a number has an article; return the records to store, including its own."""
        settled = self._records(self.walk.found(number), now)
        known = self._due.get(number)
        if known is None:
            return settled
        self.retried += 1
        found = replace(known, tries=known.tries + 1, tried_at=now, due_at=now, found_at=now)
        return [found, *settled]

    def missing(self, number: int, reason: str, now: datetime) -> list[MissingNumber]:
        """Note that a number has no article; return the records to store."""
        self.retried += number in self._due
        return self._records(self.walk.missing(number, reason), now)

    def failed(self, number: int) -> None:
        """Note that the request for a number failed."""
        self.walk.failed(number)

    def _records(self, settled: list[Settled], now: datetime) -> list[MissingNumber]:
        return [self._record(one, now) for one in settled]

    def _record(self, settled: Settled, now: datetime) -> MissingNumber:
        known = self._due.get(settled.number)
        tries = known.tries + 1 if known else 1
        return MissingNumber(
            url=self.pattern.url(settled.number),
            site=self.pattern.site,
            series=self.pattern.text,
            number=settled.number,
            reason=settled.reason,
            tries=tries,
            tried_at=now,
            due_at=due_after(tries, now),
        )
