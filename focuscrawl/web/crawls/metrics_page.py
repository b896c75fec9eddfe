"""Figures for Prometheus, in its text format 0.0.4."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.errors import StoreError
from focuscrawl.system.local_hosts import is_local
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.crawls.run_facts import RunFacts, RunState
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_site import site_of

_RUNS = 100
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_FIGURES: dict[str, tuple[str, Callable[[RunFacts], float | None]]] = {
    "pages": ("Responses", lambda one: one.last.pages),
    "relevant": ("Relevant pages", lambda one: one.last.relevant),
    "waiting": ("Waiting URLs", lambda one: one.last.waiting),
    "failures": ("Failed requests", lambda one: one.last.failures),
    "items": ("Items", lambda one: one.last.items),
    "seconds": ("Duration", lambda one: one.seconds),
    "begin_timestamp_seconds": ("Beginning", lambda one: one.run.began_at.timestamp()),
    "harvest_ratio": (
        "Harvest rate by its own judge",
        lambda one: one.harvest and one.harvest.rate,
    ),
    "harvest_corrected_ratio": (
        "Estimated true harvest rate",
        lambda one: one.corrected and one.corrected.rate,
    ),
}

Sample = tuple[Mapping[str, str], float]


async def metrics(request: Request) -> Response:
    """Return the figures of the last run of each crawl to clients with the token."""
    _check(request)
    site, now = site_of(request), datetime.now(UTC)
    running = len(await site.database.run(crawl_processes.living))
    lines = [*_metric("processes", "Crawls started here that run", [({}, running)])]
    try:
        runs = [RunFacts(run, now) for run in await site.store.runs(None, _RUNS)]
        lines += [*_metric("store_up", "Whether the store answers", [({}, 1)]), *run_lines(runs)]
    except StoreError:
        lines += _metric("store_up", "Whether the store answers", [({}, 0)])
    return Response("".join(f"{line}\n" for line in lines), media_type=_TYPE)


def _check(request: Request) -> None:
    """Raise an error for a client that may not read the figures: Prometheus has no session."""
    site = site_of(request)
    if not site.has_metrics:
        raise HTTPException(404)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if site.metrics_token:
        given = token.strip().encode() if scheme.lower() == "bearer" else b""
        is_allowed = hmac.compare_digest(given, site.metrics_token.encode())
    else:
        host = request.client.host if request.client else ""
        is_allowed = not request.state.has_users and is_local(host)
    if not is_allowed:
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})


def run_lines(runs: Sequence[RunFacts]) -> list[str]:
    """Return the figures of the last one of the runs (newest first) of each crawl.

    Of a crawl with several workers these are the running ones, or else the last one.
    """
    by_crawl: dict[str, list[RunFacts]] = {}
    for run in runs:
        by_crawl.setdefault(run.run.crawl, []).append(run)
    labels = [(_labels_of(one), one) for group in by_crawl.values() for one in _shown(group)]
    lines: list[str] = []
    for name, (text, value) in _FIGURES.items():
        samples = [(label, found) for label, one in labels if (found := value(one)) is not None]
        lines += _metric(f"run_{name}", f"{text} of the last run of a crawl", samples)
    states = [
        (label | {"state": state}, float(one.state is state))
        for label, one in labels
        for state in RunState
    ]
    return lines + _metric("run_state", "State of the last run of a crawl", states)


def _shown(runs: Sequence[RunFacts]) -> Sequence[RunFacts]:
    running = [run for run in runs if run.worker and run.state is RunState.RUNNING]
    return running if running and runs[0].worker else runs[:1]


def _labels_of(run: RunFacts) -> dict[str, str]:
    labels = {"crawl": run.run.crawl, "spider": run.run.spider}
    return labels | ({"worker": run.worker} if run.worker else {})


def _metric(name: str, text: str, samples: Iterable[Sample]) -> list[str]:
    name = f"focuscrawl_{name}"
    lines = [f"{name}{_labels(labels)} {value:.15g}" for labels, value in samples]
    return [f"# HELP {name} {text}", f"# TYPE {name} gauge", *lines]


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# Not of a session: see _check.
ROUTES = (PageRoute("/metrics", metrics, Permission.PUBLIC),)
