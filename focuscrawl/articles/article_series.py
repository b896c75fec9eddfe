"""State of one series of numbered articles: its queue of pages, and the records of a run over it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from focuscrawl.articles.article_page import PageParts
from focuscrawl.articles.number_walk import NumberWalk, Settled, WalkRules
from focuscrawl.articles.soft_404_detection import SOFT_404, MissingPages, Probe
from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.items import MissingNumber, NumberedArticle, content_md5

# Queue of the pages, which are judged in the order of their responses.

NO_BODY = "no body"
EMPTY = "empty page"
WALL = "same page for any number"


@dataclass(slots=True, eq=False)
class QueuedPage:
    """A response for a number.

    ``reason`` says why it is not an article, ``unknown`` why it does not show whether there is one;
    both are empty for an article. ``retries`` is the number of retries before this response.
    """

    number: int
    retries: int = 0
    reading: PageParts | None = None
    reason: str = ""
    unknown: str = ""
    is_read: bool = False

    def read(self, reason: str, reading: PageParts | None) -> None:
        """Set the result of reading the page."""
        self.reason, self.reading, self.is_read = reason, reading, True

    def fail(self, reason: str) -> None:
        """Note that the page could not be read."""
        self.unknown, self.is_read = reason, True


class PageQueue:
    """Compares pages with those before them, to find walls: the same page for any number.

    A page that may be a wall holds up those behind it (``needs_probe``) until :meth:`compare` gets the
    current look of a number without an article. No callback waits for this.
    """

    def __init__(self, pages: MissingPages) -> None:
        self._known = pages
        self._pages: deque[QueuedPage] = deque()
        self.needs_probe = False
        self.new_walls: list[int] = []
        """The first number of each wall found, for the spider to report."""
        self.withdrawn: list[int] = []
        """The numbers whose pages were taken for articles, and are those of walls."""

    def join(self, number: int, retries: int) -> QueuedPage:
        """Add the page of a response."""
        page = QueuedPage(number, retries)
        self._pages.append(page)
        return page

    def judged(self) -> Iterator[QueuedPage]:
        """Yield the pages that can be judged now, and remove them."""
        while self._pages and self._pages[0].is_read:
            page = self._pages[0]
            if not page.unknown:
                if self._is_doubtful(page):
                    self.needs_probe = True
                    return
                page.unknown = self._why_unknown(page)
            self._pages.popleft()
            yield page

    def compare(self, look_of_missing: str) -> None:
        """Compare the doubtful page with the look of a number without an article.

        The look is empty if the site returns an error for such a number.
        """
        self.needs_probe = False
        reading = self._pages[0].reading
        assert reading is not None
        self._begin_wall(self._known.judge(reading.look, look_of_missing))

    def _is_doubtful(self, page: QueuedPage) -> bool:
        reading = page.reading
        if reading is None or page.reason not in ("", NO_BODY) or reading.is_blank:
            return False
        return self._known.is_doubtful(reading.look, page.number)

    def _why_unknown(self, page: QueuedPage) -> str:
        reading = page.reading
        if reading is None or page.reason not in ("", NO_BODY):
            return ""
        if reading.is_blank:
            return EMPTY
        look = reading.look
        if look and not page.reason:
            texts = (reading.title, reading.body_text)
            content = content_md5(*(text.replace(str(page.number), "") for text in texts))
            self._begin_wall(self._known.add_article(look, content, page.number))
        return WALL if self._known.is_wall(look) else ""

    def _begin_wall(self, first: int | None) -> None:
        if first is not None:
            self.new_walls.append(first)
            self.withdrawn += self._known.taken_since(first)


# State of the series.

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


# Counts of a run over numbered articles, and their summary lines.


@dataclass(slots=True)
class ArticleTally:
    """Counts of one run: articles, missing numbers by reason, failures by reason.

    ``no_body`` is the URL of the first page on which the profile's rule found no body.
    """

    articles: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    no_body: str = ""
    is_forbidden: bool = False

    def withdraw(self) -> None:
        """Count an article that was none as a failure."""
        self.articles -= 1
        self.failures[WALL] += 1

    def lines(self, retried: int) -> list[tuple[str, str]]:
        """Return the summary lines; ``retried`` is the number of retries of missing numbers."""
        lines = []
        if self.reasons:
            lines.append(("missing", _in_words(self.reasons)))
        if retried:
            lines.append(("retried", f"{retried} numbers that were missing before"))
        if self.failures:
            lines.append(("failed", f"{_in_words(self.failures)}; the next run retries them"))
        return lines

    def why_incomplete(self) -> str:
        """Return a sentence on the number of failures; ``""`` if nothing failed."""
        failed = self.failures.total()
        count = failed + self.articles + self.reasons.total()
        if not failed:
            return ""
        return f"{failed} of {count} numbers failed ({_in_words(self.failures)}); run again later"

    def why_nothing(self, profile: str, first: str, *, has_held: bool) -> str:
        """Return a sentence on why no article was found, with the remedy; ``""`` if that is no error.

        ``first`` is the URL of the first number; ``has_held`` is true if earlier runs have found an
        article.
        """
        if self.articles:
            return ""
        if self.is_forbidden:
            return f"robots.txt forbids {first}; on your own site: -s ROBOTSTXT_OBEY=False"
        if self.failures and not self.reasons:
            failures = _in_words(self.failures)
            return f"all requests failed ({failures}); run again when the site is up"
        if has_held:
            return ""
        if self.no_body:
            return (
                f"site profile {profile}: article.body selects nothing on {self.no_body};"
                " correct the profile if the site has changed, or give another one"
            )
        if self.reasons[SOFT_404] == self.reasons.total() > 0:
            return (
                f"all pages from {first} on look like the page of a nonexistent number; give another"
                " start (scripts are not run: a site that needs them cannot be read)"
            )
        return ""


def varying_soft_404(site: str) -> str:
    """Return the message about a site whose pages for nonexistent numbers differ."""
    return (
        f"{site} returns different pages for nonexistent numbers; give a profile with rules for"
        " missing articles (missing) or for the body (article.body)"
    )


def login_wall(site: str, held: str) -> str:
    """Return the message about a site that does not even show ``held``, the URL of a stored article."""
    return (
        f"{site} returns the same page (a captcha, a login?) for any number, even for the stored"
        f" article {held}; run again when that is over"
    )


def login_wall_since(site: str, first: str) -> str:
    """Return the message about a site that returned the same page from the URL ``first`` on."""
    return (
        f"{site} returns the same page (a captcha, a login?) for all numbers from {first} on;"
        " the articles stored since are deleted, and the next run requests their numbers again"
    )


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
