"""Causes of drift of runs, by the history of their crawls in the store."""

from __future__ import annotations

from datetime import datetime

from focuscrawl.web.crawls.crawl_drift import Cause, causes_of
from focuscrawl.web.crawls.run_facts import RunFacts
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
