"""Schedules: times, crawls that are started once, users who may not start any more, and interruptions."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from starlette.testclient import TestClient

from focuscrawl.errors import ArgumentError, StoreError
from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author, newest_changes
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls import crawl_processes, schedule_pages, schedule_store
from focuscrawl.web.crawls.schedule_store import SchedulePlan, checked_cron, is_due, next_times
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, log_in, run_async

PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 * * * *")
OPERATOR, CONSOLE = Author(Role.OPERATOR, ""), Author("console", "")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> object:
    """A time zone with summer time, as that of the machine."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield ZoneInfo("Europe/Berlin")
    monkeypatch.undo()
    time.tzset()


def test_the_clock_on_the_wall_counts(berlin: ZoneInfo) -> None:
    before = datetime(2026, 3, 28, 12, tzinfo=berlin)
    times = next_times("30 6 * * *", before, 2)
    assert [one.astimezone(berlin).hour for one in times] == [6, 6]
    assert times[1] - times[0] == timedelta(days=1)
    assert times[0].astimezone(UTC).hour == 4


@pytest.mark.parametrize(
    "text", ["", "* * * *", "* * * * * *", "61 * * * *", "0 0 31 2 *", f"{'1,' * 50}1 * * * *"]
)
def test_bad_times_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError):
        checked_cron(text)


def test_due_times() -> None:
    noon = datetime(2026, 3, 5, 12).astimezone()
    assert not is_due("30 12 * * *", noon, noon + timedelta(minutes=29))
    assert is_due("30 12 * * *", noon, noon + timedelta(minutes=30))


def test_they_are_made_changed_run_and_deleted(
    site: WebSite, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_users(site)
    log_in(client, Role.OPERATOR)
    form = {"spider": "maize", "argument.site": "demo", "cron": "30 6 * * 1-5"}
    assert client.post("/crawls/schedules", data=form | {"cron": "30 6"}).status_code == 400
    assert client.post("/crawls/schedules", data=form).status_code == 303
    assert "30 6 * * 1-5" in client.get("/crawls/schedules").text
    found = re.search(r'name="shown" value="([^"]*)"', client.get("/crawls/schedules/1").text)
    assert found
    shown = found[1].replace("&#34;", '"')
    changed = form | {"cron": "0 7 * * *", "is_paused": "1", "shown": shown}
    assert client.post("/crawls/schedules/1", data=changed).status_code == 303
    assert client.post("/crawls/schedules/1", data=changed).status_code == 409
    client.post("/crawls/schedules", data=form)
    run = {"site": "demo"}
    number = site.database.run_now(crawl_processes.begin, OPERATOR, "maize", run)
    refused = client.post("/crawls/schedules/1/run")
    assert (refused.status_code, f"/crawls/processes/{number}" in refused.text) == (409, True)
    site.database.run_now(crawl_processes.set_ended, number, 0)
    monkeypatch.setattr(crawl_processes, "_launch", lambda *_: {"pid": None})
    assert client.post("/crawls/schedules/1/run").headers["location"] == "/crawls/processes/2"
    assert client.post("/crawls/schedules/1/delete").status_code == 303
    actions = [change.action for change in site.database.run_now(newest_changes, 9)]
    actions.remove("crawl.start")
    actions.remove("crawl.start")
    assert actions[:4] == ["schedule.delete", "schedule.add", "schedule.edit", "schedule.add"]


def test_missed_times_are_made_up_for_once(site: WebSite) -> None:
    run = site.database.run_now
    add_users(site)
    run(schedule_store.add_schedule, OPERATOR, PLAN)
    paused = replace(PLAN, spider="list", cron="* * * * *", is_paused=True)
    run(schedule_store.add_schedule, OPERATOR, paused)
    now = datetime.now(UTC)
    assert run(schedule_store.take_due, now) is None
    later = now + timedelta(hours=30)
    assert run(schedule_store.take_due, later).spider == "maize"
    assert run(schedule_store.take_due, later) is None
    assert run(schedule_store.take_due, later + timedelta(hours=1))


def run_later(site: WebSite, hours: int) -> None:
    run_async(schedule_pages.run_due(site, datetime.now(UTC) + timedelta(hours=hours)))


def test_a_crawl_that_is_running_is_not_started_again(site: WebSite) -> None:
    run = site.database.run_now
    add_users(site)
    run(schedule_store.add_schedule, OPERATOR, replace(PLAN, arguments={"site": "demo"}))
    run(crawl_processes.begin, OPERATOR, "maize", {"site": "demo"})
    run_later(site, 2)
    assert len(run(crawl_processes.newest)) == 1
    (schedule,) = run(schedule_store.all_schedules)
    assert not schedule.started_at
    assert "is running" in schedule.note


@pytest.mark.parametrize("how", ["disable", "role"])
def test_those_of_users_who_may_not_start_crawls_any_more(
    how: str, site: WebSite, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    async def start(_: WebSite, author: Author, spider: str, given: Mapping[str, str]) -> int:
        started.append(author.name)
        return 1

    monkeypatch.setattr(schedule_pages, "start_crawl", start)
    run = site.database.run_now
    add_users(site)
    for name in (Role.OPERATOR, Role.ADMINISTRATOR):
        run(schedule_store.add_schedule, Author(name, ""), PLAN)
    log_in(client, Role.ADMINISTRATOR)
    says = "operator 已停用或不再是运维"
    assert says not in client.get("/crawls/schedules").text
    run_later(site, 2)
    assert started == ["operator", "administrator"]
    if how == "disable":
        run(account_store.set_disabled, CONSOLE, "operator", True)
    else:
        run(account_store.set_role, CONSOLE, "operator", Role.EDITOR)
    run_later(site, 4)
    assert started == ["operator", "administrator", "administrator"]
    assert client.get("/crawls/schedules").text.count(says) == 1
    # Whoever may start crawls takes it over.
    old = run(schedule_store.schedule_numbered, 1)
    run(schedule_store.change_schedule, Author("administrator", ""), old, replace(PLAN))
    assert says not in client.get("/crawls/schedules").text


@pytest.fixture
def two_schedules(site: WebSite) -> None:
    """Schedules of two spiders."""
    add_users(site)
    for spider in ("maize", "list"):
        plan = replace(PLAN, spider=spider)
        site.database.run_now(schedule_store.add_schedule, OPERATOR, plan)


@pytest.mark.usefixtures("two_schedules")
@pytest.mark.parametrize("fault", [OSError(24, "Too many files"), asyncio.CancelledError()])
def test_what_interrupts_one_start_leaves_the_others_due(
    fault: BaseException, site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

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


@pytest.mark.usefixtures("two_schedules")
def test_a_clock_that_was_years_ahead(site: WebSite) -> None:
    run, now = site.database.run_now, datetime.now(UTC)
    taken = 0
    for moment in (now + timedelta(days=3650), now, now + timedelta(minutes=1)):
        while run(schedule_store.take_due, moment):
            taken += 1
    assert taken == 2
    # Another server whose clock differs a little starts nothing twice.
    later = now + timedelta(hours=2)
    assert run(schedule_store.take_due, later)
    assert run(schedule_store.take_due, later)
    for moment in (later - timedelta(minutes=5), later):
        assert not run(schedule_store.take_due, moment)
