"""Pages about runs: the history, one run, and the frontier of one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.sqlite.frontier_glance import (
    FrontierTotals,
    WaitingHost,
    WaitingUrl,
    glance_at,
)
from focuscrawl.items import PageVerdict
from focuscrawl.labelling.judged_sample import JudgedSample, judged_sample, topic_of_crawl
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.crawls.crawl_drift import Cause, causes, newest_runs
from focuscrawl.web.crawls.run_facts import RunFacts, RunState, moving_rates
from focuscrawl.web.crawls.start_pages import again_of, log_tail
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute, is_part, redirected
from focuscrawl.web.query_values import query_of, with_query
from focuscrawl.web.web_site import WebSite, site_of

# Frontier of a run, found again on this machine.


def frontier_of(run: RunFacts, data: Path) -> Path | None:
    """Return the frontier file of a run if it is on this machine, in the data folder and still there.

    The path was written by the crawl into its store, which others may write to as well.
    """
    path = run.frontier
    if path is None or run.run.machine != socket.gethostname():
        return None
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError):
        return None
    is_inside = real.is_relative_to(data.resolve())
    return real if is_inside and real.is_file() else None


# Histogram of the scores of waiting URLs.

_BINS = 24


class Bin(NamedTuple):
    """Number of URLs with scores from ``low`` (included) to ``high``."""

    low: float
    high: float
    urls: int


def histogram(scores: Sequence[tuple[float, int]]) -> list[Bin]:
    """Return bins of equal width over sorted scores with their numbers; empty ones are included."""
    if not scores:
        return []
    values, counts = zip(*scores, strict=True)
    bins = _BINS if values[0] < values[-1] else [values[0], values[0]]
    urls, edges = np.histogram(values, bins, weights=counts)
    return [Bin(*edge, int(n)) for edge, n in zip(pairwise(edges.tolist()), urls, strict=True)]


_RUNS, _MOST_RUNS = 50, 500
_HOSTS_SHOWN, _BEST_SHOWN, _REASONS_SHOWN = 15, 50, 20


class RunChoice(BaseModel):
    """Choice of runs by the name of their crawl, and their number."""

    crawl: str = ""
    limit: Annotated[int, Field(ge=1, le=_MOST_RUNS)] = _RUNS


class HostChoice(BaseModel):
    """Choice of a host of a frontier."""

    host: str = ""


async def runs_page(request: Request) -> Response:
    """Show the newest runs, and what is wrong with the last one of each crawl."""
    site, chosen = site_of(request), query_of(request, RunChoice)
    now = datetime.now(UTC)
    runs = await newest_runs(site, chosen.crawl or None, chosen.limit, now)
    known = await newest_runs(site, None, RunChoice().limit, now) if chosen.crawl else runs
    values = {
        "runs": runs,
        "is_running": any(one.state is RunState.RUNNING for one in runs),
        "crawl": chosen.crawl,
        "crawls": sorted({one.run.crawl for one in known} | {chosen.crawl} - {""}),
        "people": await _people(site, runs),
        "drifts": await _drifts(site, runs),
        "more": _MOST_RUNS if len(runs) == chosen.limit < _MOST_RUNS else None,
    }
    return page(request, "crawls/runs.html", values)


async def _people(site: WebSite, runs: Sequence[RunFacts]) -> dict[str, JudgedSample]:
    """Return what people said of the pages of the runs' crawls, by crawl."""
    topics = {one.run.crawl: topic_of_crawl(one.run.crawl) for one in runs if one.judged}
    by_topic: dict[str, list[PageVerdict]] = {}
    async for said in site.store.page_verdicts():
        by_topic.setdefault(said.topic, []).append(said)
    found = {crawl: by_topic[topic] for crawl, topic in topics.items() if topic in by_topic}
    return {crawl: judged_sample(its) for crawl, its in found.items()}


async def _drifts(site: WebSite, runs: Sequence[RunFacts]) -> list[tuple[RunFacts, list[Cause]]]:
    """Return the last run of each crawl that has ended, with what is wrong with it."""
    last: dict[str, RunFacts] = {}
    for run in runs:
        if run.state is not RunState.RUNNING:
            last.setdefault(run.run.crawl, run)
    found = [(run, await causes(site, run)) for run in last.values()]
    return [(run, wrong) for run, wrong in found if wrong]


async def run_page(request: Request) -> Response:
    """Show a run; the page of a running crawl fetches itself again."""
    site, run = site_of(request), await _run(request)
    is_running = run.state is RunState.RUNNING
    if is_part(request) and not is_running:
        return redirected(request, request.url.path)
    process = await site.database.run(crawl_processes.of_run, run.run)
    may_operate = request.state.visitor.may(Permission.OPERATE)
    hosts = sorted(run.hosts.items(), key=lambda entry: (-entry[1].items, -entry[1].pages))
    slow = sorted(
        ((host, one) for host, one in run.hosts.items() if one.responses),
        key=lambda entry: -entry[1].seconds / entry[1].responses,
    )
    values = {
        "run": run,
        "is_running": is_running,
        "people": (await _people(site, [run])).get(run.run.crawl),
        "causes": await causes(site, run),
        "rates": moving_rates(run.points),
        "hosts": hosts[:_HOSTS_SHOWN],
        "slow": slow[:_HOSTS_SHOWN],
        "reasons": {"dropped": _first(run.dropped), "failed": _first(run.failed)},
        "glance": await _glance(site, run),
        "results": results_of(run),
        "process": process if may_operate else None,
        "log": await log_tail(site, process) if process and may_operate else None,
        "again": again_of(run.run.spider, run.arguments, site) if may_operate else None,
    }
    return page(request, "crawls/run.html", values)


def results_of(run: RunFacts) -> dict[str, str]:
    """Return the pages with what a run has stored: the keys of their names, and addresses."""
    spider, crawl = run.run.spider, run.run.crawl
    if spider == "template":
        return {"site.records": with_query("/search", kind="record", series=crawl)}
    if spider == "tunnel":
        return {"site.pages": with_query("/search", kind="page", series=topic_of_crawl(crawl))}
    if spider not in ("maize", "list", "article"):
        return {}
    found = {"site.prices": "/prices"} if spider == "maize" else {}
    # A list is known by its profile, numbered articles by their host, of which an address has one.
    hosts = [host for host, one in run.hosts.items() if one.items]
    name = hosts[0] if len(hosts) == 1 else ""
    if spider != "article":
        name = run.rules.get("name", "")
    return found | {"site.articles": with_query("/search", site=name)}


def _first(reasons: dict[str, int]) -> list[tuple[str, int]]:
    return list(reasons.items())[:_REASONS_SHOWN]


async def run_data(request: Request) -> Response:
    """Return the figures of a run as JSON, for its charts and for programs."""
    site, run = site_of(request), await _run(request)
    glance = await _glance(site, run)
    details = {
        name: run.run.details.get(name) for name in ("arguments", "version", "reader", "rules")
    }
    return JSONResponse({
        "key": run.run.key,
        "crawl": run.run.crawl,
        "spider": run.run.spider,
        "machine": run.run.machine,
        "state": run.state,
        "began": run.run.began_at.isoformat(),
        "ended": run.run.ended_at and run.run.ended_at.isoformat(),
        "reason": run.run.reason,
        "exit_code": run.run.exit_code,
        "outcomes": run.outcomes,
        "harvest": run.judged or None,
        "dropped": run.dropped,
        "failed": run.failed,
        **details,
        "series": [point._asdict() for point in run.points],
        "rates": [{"seconds": one.seconds, **one.rate._asdict()} for one in moving_rates(run.points)],
        "scores": [one._asdict() for one in glance.bins] if glance else [],
        "hosts": {host: counts._asdict() for host, counts in run.hosts.items()},
    })  # fmt: skip


async def _run(request: Request) -> RunFacts:
    found = await site_of(request).store.run(request.path_params["key"])
    return RunFacts(existing(found), datetime.now(UTC))


class Glance(BaseModel):
    """State of a frontier; ``error`` says why it cannot be read."""

    totals: FrontierTotals | None = None
    bins: list[Bin] = []
    hosts: list[WaitingHost] = []
    best: list[WaitingUrl] = []
    error: str = ""


async def _glance(site: WebSite, run: RunFacts) -> Glance | None:
    path = frontier_of(run, site.data)
    return await asyncio.to_thread(_read, path) if path else None


async def frontier_page(request: Request) -> Response:
    """Show the waiting URLs of a run: by host, and the best ones with the reason."""
    run, chosen = await _run(request), query_of(request, HostChoice)
    path = existing(frontier_of(run, site_of(request).data))
    glance = await asyncio.to_thread(_read, path, chosen.host)
    values = {"run": run, "glance": glance, "host": chosen.host}
    return page(request, "crawls/frontier.html", values)


def _read(path: Path, host: str | None = None) -> Glance:
    """Return the scores of a frontier, or its hosts and the best URLs of one (or of all: '')."""
    glance = Glance()
    try:
        with glance_at(path) as frontier:
            glance.totals = frontier.totals()
            if host is None:
                glance.bins = histogram(frontier.scores())
            else:
                glance.hosts = frontier.hosts(_BEST_SHOWN)
                glance.best = frontier.best(_BEST_SHOWN, host)
    except FrontierError as error:
        glance.error = str(error)
    return glance


ROUTES = (
    PageRoute("/crawls", runs_page, Permission.READ),
    PageRoute("/crawls/runs/{key}.json", run_data, Permission.READ),
    PageRoute("/crawls/runs/{key}", run_page, Permission.READ),
    PageRoute("/crawls/frontier/{key}", frontier_page, Permission.READ),
)
