"""Runs with details as the recorder writes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from focuscrawl.items import CrawlRun
from focuscrawl.stores.database_urls import database_at
from focuscrawl.summary.run_series import RunPoint
from tests.stores.record_examples import crawl_run
from tests.web.conftest import run_async

BEGAN = datetime(2026, 3, 5, 8, 30, tzinfo=UTC)


def run_of(number: int, *, days: float = 0, ended: bool = True, **fields: Any) -> CrawlRun:
    """Return a run of ten minutes that began some days after BEGAN."""
    began = fields.pop("began_at", BEGAN + timedelta(days=days))
    end = began + timedelta(minutes=10)
    plain: dict[str, Any] = {
        "began_at": began,
        "updated_at": end,
        "ended_at": end if ended else None,
        "reason": "finished" if ended else "",
        "exit_code": 0 if ended else None,
        "details": details(),
    }
    return crawl_run(number, **(plain | fields))


def details(pages: int = 200, relevant: int = 80, **more: Any) -> dict[str, Any]:
    """Return details of a run of that many pages."""
    points = [
        RunPoint(60 * n, pages * n // 10, relevant * n // 10, 50 - n, n // 5, relevant * n // 10)
        for n in range(11)
    ]
    plain: dict[str, Any] = {
        "pid": 1,
        "arguments": {"site": "demo"},
        "version": "0.1.0",
        "reader": "rules",
        "rules": {"kind": "profile", "name": "demo", "version": "abc"},
        "series": points,
        "counts": {
            "focuscrawl/articles/new": 30,
            "focuscrawl/articles/changed": 10,
            "focuscrawl/articles/unchanged": 5,
            "focuscrawl/quotes": 400,
            "focuscrawl/dropped/blacklist": 7,
            "focuscrawl/pages/failed/404": 2,
        },
        "hosts": {"www.maize.example": [200, 30.5, 80, 2, 190]},
    }
    return plain | more


def fill_runs(url: str, runs: Sequence[CrawlRun]) -> None:
    """Write runs into the store of a URL."""

    async def write() -> None:
        store = database_at(url)
        await store.open()
        try:
            for run in runs:
                await store.write_run(run)
        finally:
            await store.close()

    run_async(write())
