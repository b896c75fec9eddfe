"""Which feeds and sitemaps a list crawl need not read: by their validators, and by an index of sitemaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from scrapy.http import Response

from focuscrawl.crawling.fetched_page import conditions, validators_of
from focuscrawl.sites.feed_list import FeedPage, Sitemap
from focuscrawl.sites.list_walk import ListWalk

MOST_SITEMAPS = 500
"""Sitemaps of indexes that a run requests."""
# A day may be one of another time zone.
_MARGIN = timedelta(days=1)
_NONE = ["", ""]


@dataclass(slots=True)
class FeedVisits:
    """What the last run has stored of the feeds and sitemaps of a crawl, by URL, and what this one stores.

    A feed that has not changed has nothing new only if the last run wanted no less than this one, which
    wants what was published from ``since`` on; with ``until``, a run proves nothing. ``sitemaps`` are
    those that this run has from an index.
    """

    since: date | None
    until: date | None
    sitemaps: set[str] = field(default_factory=set)
    _validators: dict[str, list[str]] = field(default_factory=dict)
    _covered: dict[str, int] = field(default_factory=dict)

    def remember(self, url: str, state: Mapping[str, Any] | None, walk: ListWalk) -> None:
        """Take what the last run has stored; ``walk`` is that of this run."""
        kept = (state or {}).get("feed")
        if not kept or walk.coverage is None or walk.believed or walk.is_whole_due:
            return
        since = date.fromisoformat(kept["since"]) if kept["since"] else None
        if since is None or (self.since and since <= self.since):
            self._validators[url] = kept["validators"]
            self._covered[url] = kept["entries"]

    def headers(self, url: str) -> dict[str, str]:
        """Return the headers by which a server answers 304 if the feed has not changed."""
        return conditions(*self._validators.get(url, _NONE))

    def unchanged(self, url: str) -> int:
        """Return how many wanted entries a feed has that has not changed."""
        return self._covered.get(url, 0)

    def has_nothing(self, sitemap: Sitemap, walk: ListWalk) -> bool:
        """Return whether a sitemap has nothing for this run by the day of its last change in the index."""
        if sitemap.changed is None:
            return False
        last = sitemap.changed + _MARGIN
        is_read = bool(sitemap.url in self._covered and walk.coverage and last < walk.coverage.day)
        return is_read or bool(self.since and last < self.since)

    def note(self, url: str, response: Response, page: FeedPage) -> None:
        """Take the validators of a feed that was read; one that is cut off is to be read again."""
        self._validators.pop(url, None)
        self._covered.pop(url, None)
        if not page.cut:
            self._validators[url] = validators_of(response)

    def state(self, url: str, walk: ListWalk) -> dict[str, Any]:
        """Return what to store for the next run, beside the state of a walk that has ended."""
        if self.until or walk.trouble or walk.doubts or url not in self._validators:
            return {}
        since = self.since.isoformat() if self.since else ""
        entries = self._covered.get(url, walk.wanted)
        return {"feed": {"validators": self._validators[url], "since": since, "entries": entries}}
