"""Schedules beside a database that goes away, a server that ends in the middle, and a clock that is set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls.operation import schedule_pages, schedule_store
from focuscrawl.web.crawls.operation.schedule_store import SchedulePlan
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, run_async

PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 * * * *")
OPERATOR = Author(Role.OPERATOR, "")


@pytest.fixture
def started(site: WebSite) -> list[str]:
    """The spiders that two schedules start."""
    add_users(site)
    for spider in ("maize", "list"):
        plan = replace(PLAN, spider=spider)
        site.database.run_now(schedule_store.add_schedule, OPERATOR, plan)
    return []


@pytest.mark.parametrize("fault", [OSError(24, "Too many files"), asyncio.CancelledError()])
def test_what_interrupts_one_start_leaves_the_others_due(
    fault: BaseException, started: list[str], site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(_: WebSite, author: Author, spider: str, given: Mapping[str, str]) -> int:
        started.append(spider)
        if spider == "maize":
            # The note cannot be written either.
            monkeypatch.setattr(site.database, "run", unable)
            raise fault
        return 1

    async def unable(*_: object) -> None:
        raise StoreError("the database does not answer")

    monkeypatch.setattr(schedule_pages, "start_crawl", start)
    now = datetime.now(UTC) + timedelta(hours=2)
    run = site.database.run
    with pytest.raises((StoreError, OSError, asyncio.CancelledError)):
        run_async(schedule_pages.run_due(site, now))
    monkeypatch.setattr(site.database, "run", run)
    run_async(schedule_pages.run_due(site, now + timedelta(seconds=15)))
    assert started == ["maize", "list"]
    first, second = site.database.run_now(schedule_store.all_schedules)
    assert "interrupted" in first.note
    assert (second.note, bool(second.started_at)) == ("", True)


def test_a_clock_that_was_years_ahead(started: list[str], site: WebSite) -> None:
    run, now = site.database.run_now, datetime.now(UTC)
    for moment in (now + timedelta(days=3650), now, now + timedelta(minutes=1)):
        while run(schedule_store.take_due, moment):
            started.append("wrong")
    assert started == ["wrong", "wrong"]
    # Another server whose clock differs a little starts nothing twice.
    later = now + timedelta(hours=2)
    assert run(schedule_store.take_due, later)
    assert run(schedule_store.take_due, later)
    for moment in (later - timedelta(minutes=5), later):
        assert not run(schedule_store.take_due, moment)
