"""Drift of a crawl: runs that are far from the crawl's own history, each with its cause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.web.crawls.run_facts import STORED, RunFacts, RunState

if TYPE_CHECKING:
    from focuscrawl.web.web_site import WebSite

_EARLIER = 30
_MOST_KEPT = 1000


async def newest_runs(
    site: WebSite, crawl: str | None, limit: int, now: datetime
) -> list[RunFacts]:
    """Return the newest runs of a crawl (of all if None) as of a moment, newest first."""
    return [RunFacts(run, now) for run in await site.store.runs(crawl, limit)]


async def causes(site: WebSite, run: RunFacts) -> list[Cause]:
    """Return what is wrong with a run; that of a run that has ended is read once."""
    key = run.run.key
    if (known := site.causes.get(key)) is not None:
        return known
    history = await newest_runs(site, run.run.crawl, _EARLIER + 1, run.now)
    found = causes_of(run, [one for one in history if one.run.began_at < run.run.began_at])
    if run.run.ended_at:
        if len(site.causes) >= _MOST_KEPT:
            site.causes.clear()
        site.causes[key] = found
    return found


LEAST_RUNS = 5
"""Number of earlier runs without which a run is compared with nothing."""
_FAR = 3.5
"""Distance from the median in robust standard deviations (Iglewicz and Hoaglin 1993)."""
_TO_SIGMA = 1.4826
_LEAST_DROP = 0.2
"""Share of the median by which a value has to be lower, whatever the spread."""
_LEAST_PAGES = 20
_LEAST_FAILURES = 3
_READS_LISTS = ("list", "maize")


class Cause(NamedTuple):
    """What is wrong with a run: the key of a text, and its values."""

    kind: str
    values: dict[str, str | int | float]


def causes_of(run: RunFacts, earlier: Sequence[RunFacts]) -> list[Cause]:
    """Return what is wrong with a run, given earlier runs of the same crawl, worst first."""
    known = [one for one in earlier if one.run.crawl == run.run.crawl and one.run.ended_at]
    return [*_ending(run), *_empty_profile(run), *_gone_sites(run), *_low_values(run, known)]


def far_below(value: float, before: Sequence[float]) -> float | None:
    """Return the median of earlier values if a value is far below them, else None.

    Far is 3.5 robust standard deviations (by the median absolute deviation), and a fifth.
    """
    if len(before) < LEAST_RUNS:
        return None
    middle = median(before)
    spread = _TO_SIGMA * median(abs(one - middle) for one in before)
    is_far = middle - value > max(_FAR * spread, _LEAST_DROP * middle)
    return middle if is_far else None


def _ending(run: RunFacts) -> list[Cause]:
    if run.state is RunState.KILLED:
        return [Cause("killed", {"machine": run.run.machine})]
    if run.state is RunState.FAILED:
        error = run.report.get("error") or run.run.reason
        return [Cause("failed", {"code": run.run.exit_code or 0, "error": str(error)})]
    return []


def _empty_profile(run: RunFacts) -> list[Cause]:
    """Return a cause if a site was fetched, and its profile found no article in it."""
    if run.state not in (RunState.FINISHED, RunState.INCOMPLETE) or run.last.failures:
        return []
    has_articles = any(run.outcomes[outcome] for outcome in STORED)
    is_empty = run.run.spider in _READS_LISTS and run.last.pages and not has_articles
    return [Cause("empty_profile", {"pages": run.last.pages})] if is_empty else []


def _gone_sites(run: RunFacts) -> list[Cause]:
    return [
        Cause("gone_site", {"host": host, "failures": counts.failures})
        for host, counts in run.hosts.items()
        if counts.failures >= _LEAST_FAILURES and not counts.pages and not counts.items
    ]


def _low_values(run: RunFacts, earlier: Sequence[RunFacts]) -> list[Cause]:
    if run.worker:
        # Each worker has the hosts that it has got, good or bad ones.
        return []
    causes = []
    # A crawl finds more or less the longer it runs, so equally long beginnings are compared.
    at_once = [one.harvest_at(run.last.pages) for one in earlier]
    rates = [rate.rate for rate in at_once if rate and rate.pages >= _LEAST_PAGES]
    now = run.harvest
    if now and now.pages >= _LEAST_PAGES:
        usual = far_below(now.rate, rates)
        # A few pages may be irrelevant by chance.
        if usual is not None and now.high < usual:
            causes.append(_low_harvest(run, {"rate": now.rate, "usual": usual}))
    quotes = [value for one in earlier if (value := one.quotes_per_article) is not None]
    value = run.quotes_per_article
    if value is not None and (usual := far_below(value, quotes)) is not None:
        causes.append(Cause("low_quotes", {"quotes": value, "usual": usual}))
    return causes


def _low_harvest(run: RunFacts, values: dict[str, str | int | float]) -> Cause:
    """Return the cause with who judged: kinds of their own, since alarms of other versions have fewer values."""
    if share := run.corrected:
        return Cause(
            "low_harvest_corrected",
            values | {"corrected": share.rate, "low": share.low, "high": share.high},
        )
    return Cause("low_harvest_own" if run.judged.get("judge") else "low_harvest", values)
