"""Reasons why days have no price, as far as articles, flags and runs of crawls tell; never guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal, NamedTuple

import numpy as np

from focuscrawl.items import CrawlRun
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.stores.sql.price_columns import NEVER
from focuscrawl.summary.host_yields import HostYield
from focuscrawl.web.prices.daily_prices import QuotedDays
from focuscrawl.web.prices.price_table import Flags, Ints, PriceTable, day_number

Cause = Literal[
    "", "flagged", "incomplete", "unquoted", "unpublished", "down", "uncrawled", "unknown"
]
"""Flagged: all of the day's prices are. Incomplete: an article of the day lacks pages. Unquoted: the
day's articles are complete and have no such price. Unpublished: a later crawl found no article of the
day. Down: all crawls since have failed. Uncrawled: no crawl since."""
_CHINA = timezone(timedelta(hours=8))
_RIGHT_CODES = (0, 3)
_LOOKED_AT = 50
_COUNTS = len(HostYield._fields)


@dataclass(frozen=True, slots=True)
class MissingDayEvidence:
    """What decides about days without a price: quotes, articles and runs of the same sites.

    ``quoted`` are the days of all quotes of the choice, counted or not.
    """

    table: PriceTable
    quoted: QuotedDays

    def causes(self, has_price: Flags, first: int) -> list[Cause]:
        """Return the reason for each day from ``first`` on, "" where there is a price."""
        number = len(has_price)
        found: list[Cause] = ["" if has else "unknown" for has in has_price]
        sites = self.quoted.sites
        runs = self.table.summed(("runs", sites), self._runs)
        complete, incomplete = (
            _on_days(days, first, number)
            for days in self.table.summed(("articles", sites), self._published)
        )
        flagged = _on_days(self.quoted.days[self.quoted.flagged > 0], first, number)
        for place in np.flatnonzero(~has_price):
            if flagged[place]:
                found[place] = "flagged"
            elif incomplete[place]:
                found[place] = "incomplete"
            elif complete[place]:
                found[place] = "unquoted"
            else:
                found[place] = _by_runs(runs, first + int(place))
        return found

    def _runs(self) -> list[_Run]:
        """Return the runs of the crawls of the sites."""
        own = self.table.articles
        # Some articles of a site tell its hosts.
        hosts = {
            own.sites[site]: {
                host_of(own.urls[int(at)]) for at in np.flatnonzero(own.site == site)[:_LOOKED_AT]
            }
            for site in self.quoted.sites
        }
        return _runs_of(self.table.runs, hosts)

    def _published(self) -> tuple[Ints, Ints]:
        """Return the days on which complete and incomplete articles of the sites were published."""
        own = self.table.articles
        chosen = np.isin(own.site, self.quoted.sites) & (own.gone_at == NEVER)
        complete = np.unique(own.published[chosen & own.is_complete])
        return complete, np.unique(own.published[chosen & ~own.is_complete])


def _on_days(days: Ints, first: int, number: int) -> Flags:
    """Return whether each of a number of days is one of the given ones."""
    found = np.zeros(number, dtype=bool)
    found[days[(days >= first) & (days < first + number)] - first] = True
    return found


class _Run(NamedTuple):
    began: int
    has_succeeded: bool


def _runs_of(runs: Sequence[CrawlRun], sites: Mapping[str, Set[str]]) -> list[_Run]:
    """Return the ended runs of the crawls of all sites; none where a site has no run that is known.

    A site whose profile has no run, since it was renamed or replaced, has the runs of the profiles that
    crawl its hosts.
    """
    crawled = _crawled_hosts(runs)
    by_site = {
        site: [run for run in runs if _site_of(run) == site]
        or [run for run in runs if not hosts.isdisjoint(crawled.get(_site_of(run), ()))]
        for site, hosts in sites.items()
    }
    if not all(by_site.values()):
        return []
    ended = [run for own in by_site.values() for run in own if run.ended_at is not None]
    return [_Run(_day(run.began_at), _has_succeeded(run)) for run in ended]


def _crawled_hosts(runs: Sequence[CrawlRun]) -> dict[str, set[str]]:
    """Return the hosts that crawls by a site profile begin at or have items of, by profile."""
    found: dict[str, set[str]] = {}
    for run in runs:
        if site := _site_of(run):
            begun = run.details.get("start_hosts") or ()
            counted = run.details.get("hosts") or {}
            # Runs of older versions have fewer counts.
            yields = {host: HostYield(*counts[:_COUNTS]) for host, counts in counted.items()}
            names = [*begun, *(host for host, one in yields.items() if one.items)]
            found.setdefault(site, set()).update(name.removeprefix("www.") for name in names)
    return found


def _site_of(run: CrawlRun) -> str:
    """Return the name of a run's site profile; templates have none."""
    rules = run.details.get("rules")
    if not isinstance(rules, dict) or rules.get("kind", "profile") != "profile":
        return ""
    return str(rules.get("name", ""))


def _has_succeeded(run: CrawlRun) -> bool:
    return run.reason == "finished" and run.exit_code in _RIGHT_CODES


def _day(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return day_number(aware.astimezone(_CHINA).date())


def _by_runs(runs: Sequence[_Run], day: int) -> Cause:
    """Return what the runs say about a day of which there is no article."""
    if not runs:
        return "unknown"
    if any(run.has_succeeded and run.began > day for run in runs):
        return "unpublished"
    since = [run for run in runs if run.began >= day]
    if not since:
        return "uncrawled"
    return "unknown" if any(run.has_succeeded for run in since) else "down"
