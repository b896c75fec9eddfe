"""Incremental walk through the list pages of a site: its end, and the entries to request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.spider_arguments import TitleFilter
from focuscrawl.stored_records import KnownArticle

# Some sites return their last list page for any page number.
_MOST_REPEATS = 10


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of earlier runs: every wanted entry that was on the list at ``until`` is settled.

    Entries dated before ``since`` were not considered (None: the list was walked to its end).
    ``newest`` is the latest date of a settled entry, ``entries`` the most entries of the first page.
    An interrupted run keeps the coverage of the run before it.
    """

    until: datetime
    since: date | None
    newest: date | None
    entries: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the coverage as a JSON object."""
        return {
            "until": self.until.isoformat(),
            "since": self.since.isoformat() if self.since else None,
            "newest": self.newest.isoformat() if self.newest else None,
            "entries": self.entries,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Coverage | None:
        """Return the coverage in a JSON object, None if there is none or it is invalid."""
        if not value:
            return None
        try:
            since, newest = (
                date.fromisoformat(day) if day else None
                for day in (value["since"], value["newest"])
            )
            # Older versions have not counted the entries.
            entries = int(value.get("entries", 0))
            return cls(datetime.fromisoformat(value["until"]), since, newest, entries)
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(slots=True)
class Choice:
    """Decision about one list page."""

    fetch: list[ListEntry] = field(default_factory=list)
    unchanged: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    go_on: bool = False


@dataclass(slots=True)
class ListWalk:
    """Walk of a list from its newest entries until the rest is known.

    A known, complete article is skipped unless its stamp on the list has changed, or its prices are
    to be read and were not. The walk stops early only if earlier runs have settled everything below, even if a run in between was
    interrupted.
    """

    title: TitleFilter
    since: date | None = None
    until: date | None = None
    max_pages: int | None = None
    coverage: Coverage | None = None
    reads_prices: bool = False
    pages: int = 0
    wanted: int = 0
    first_entries: int = 0
    is_whole: bool = False
    has_ended: bool = False
    may_end_behind: bool = False
    loops: bool = False
    leads_nowhere: bool = False
    trouble: str = ""
    """The reason why the walk was aborted before the end of the list, ``""`` if it was not."""
    visited: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    newest: date | None = None
    oldest: date | None = None
    _seen: set[str] = field(default_factory=set)
    _repeats: int = 0
    _reached: date | None = None
    _newest_wanted: date | None = None

    def choose(self, page: ListPage, url: str, known: Mapping[str, KnownArticle]) -> Choice:
        """Decide on the entries of the page at ``url``; ``known`` are those in the stores."""
        self.first_entries = self.first_entries if self.pages else len(page.entries)
        self.pages += 1
        self.may_end_behind = page.may_be_whole or (page.is_counted and self.pages > 1)
        is_back = url in self.visited
        self.visited.add(url)
        self._look_for_repeats(page, url, is_back=is_back)
        choice = Choice()
        wanted = [entry for entry in page.entries if self._is_wanted(entry, choice.dropped)]
        self.wanted += len(wanted)
        self.listed.update(entry.url_md5 for entry in wanted)
        self._note_dates(page, wanted)
        for entry in wanted:
            if self._is_settled(entry, known.get(entry.url_md5)):
                choice.unchanged += 1
            else:
                choice.fetch.append(entry)
        # After it has led on, a link to the page itself or to the home page is that of the last page.
        self.leads_nowhere = self.pages > 1 and (page.next_url == url or _is_home(page.next_url))
        is_seen = page.next_url in self.visited and not self.leads_nowhere
        self.loops = is_seen and not self.trouble
        choice.go_on = self._goes_on(page, wanted, known, choice)
        self.has_ended = not choice.go_on
        return choice

    def ends_behind_last(self) -> bool:
        """End the walk if the page that does not exist was counted to; return whether it was."""
        if self.may_end_behind:
            self.is_whole, self._reached, self.has_ended = True, None, True
        return self.may_end_behind

    @property
    def repeats_first(self) -> bool:
        """Whether the second list page has nothing but entries of the first."""
        return self.pages == 2 and self._repeats > 0

    def misses(self, known: KnownArticle) -> bool:
        """Return whether an article is no longer listed although its date and title say it should be."""
        if not (known.published and self.oldest and self.newest):
            return False
        first, last = self.since or date.min, self.until or date.max
        # Strictly, since articles of the oldest day may be on the next list page.
        is_within = self.oldest < known.published <= self.newest
        return (
            is_within
            and first <= known.published <= last
            and known.url_md5 not in self.listed
            and self.title.matches(known.title)
        )

    def new_coverage(self, now: datetime) -> Coverage | None:
        """Return the coverage after this walk, None if it was interrupted."""
        if not self.is_whole or self.until is not None:
            return None
        before = self.coverage.newest if self.coverage else None
        newest = max((day for day in (before, self._newest_wanted) if day), default=None)
        # The largest number, so that a list that was lost is reported until the profile is corrected.
        usual = max(self.first_entries, self.coverage.entries if self.coverage else 0)
        return Coverage(now, self._reached, newest, usual)

    def _is_settled(self, entry: ListEntry, known: KnownArticle | None) -> bool:
        if known is None or known.is_gone or not known.is_complete:
            return False
        if self.reads_prices and not known.has_prices_read:
            return False
        return not entry.stamp or entry.stamp == known.stamp

    def _look_for_repeats(self, page: ListPage, url: str, *, is_back: bool) -> None:
        entries = {entry.url_md5 for entry in page.entries}
        self._repeats = 0 if entries - self._seen else self._repeats + 1
        self._seen |= entries
        if is_back:
            self.trouble = f"a list page leads back to {url}"
        elif self._repeats >= _MOST_REPEATS:
            self.trouble = f"{_MOST_REPEATS} consecutive list pages up to {url} have no new entry"

    def _note_dates(self, page: ListPage, wanted: list[ListEntry]) -> None:
        days = [self._newest_wanted, *(entry.published for entry in wanted)]
        self._newest_wanted = max((day for day in days if day), default=None)
        dates = [entry.published for entry in page.entries if entry.published]
        if dates:
            self.newest = max(dates) if self.newest is None else max(self.newest, *dates)
            # The last entry instead of the minimum, since an old one may be pinned to the top.
            self.oldest = dates[-1]

    def _is_wanted(self, entry: ListEntry, dropped: Counter[str]) -> bool:
        if self.since and entry.published and entry.published < self.since:
            reason = "before since"
        elif self.until and entry.published and entry.published > self.until:
            reason = "after until"
        elif not self.title.matches(entry.title):
            reason = "title"
        else:
            return True
        dropped[reason] += 1
        return False

    def _goes_on(
        self,
        page: ListPage,
        wanted: list[ListEntry],
        known: Mapping[str, KnownArticle],
        choice: Choice,
    ) -> bool:
        if self.trouble:
            return False
        is_last = not page.next_url or self.leads_nowhere or self.loops
        if is_last or (page.is_counted and self._repeats):
            self.is_whole, self._reached = True, None
        elif self._is_past_since(page):
            self.is_whole, self._reached = True, self.since
        elif self.coverage and self._meets_covered(self.coverage, page, wanted, known, choice):
            self.is_whole, self._reached = True, self.coverage.since
        else:
            return self.max_pages is None or self.pages < self.max_pages
        return False

    def _is_past_since(self, page: ListPage) -> bool:
        # All dated entries, since one old announcement pinned to the top must not end the walk.
        dates = [entry.published for entry in page.entries if entry.published]
        return bool(self.since and dates) and all(day < self.since for day in dates if self.since)

    def _meets_covered(
        self,
        coverage: Coverage,
        page: ListPage,
        wanted: list[ListEntry],
        known: Mapping[str, KnownArticle],
        choice: Choice,
    ) -> bool:
        """Return whether everything below this page is covered.

        That is so if the newest covered entry is in its place, or if no entry of the page is to be
        fetched and its last entry is covered.
        """
        is_far_enough = coverage.since is None or (self.since and coverage.since <= self.since)
        if not is_far_enough:
            return False
        covered = [
            entry
            for entry in wanted
            if entry.url_md5 in known and known[entry.url_md5].first_seen <= coverage.until
        ]
        # Only the newest ones: an older one may have been moved up, or belong to another list.
        for entry in covered:
            is_newest = entry.published and coverage.newest and entry.published >= coverage.newest
            if is_newest and _is_in_place(entry, page.entries):
                return True
        return bool(covered) and not choice.fetch and covered[-1] is wanted[-1]


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.hostname) and parts.path in ("", "/") and not parts.query


def _is_in_place(entry: ListEntry, entries: list[ListEntry]) -> bool:
    later = entries[entries.index(entry) + 1 :]
    return all(
        other.published <= entry.published for other in later if other.published and entry.published
    )
