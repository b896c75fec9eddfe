"""Schedules: times, and crawls that are started once."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.crawls.operation import schedule_store
from focuscrawl.web.crawls.operation.cron_times import checked_cron, is_due, next_times
from focuscrawl.web.crawls.operation.schedule_store import SchedulePlan
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users

PLAN = SchedulePlan(spider="maize", arguments={"title": "玉米"}, cron="30 6 * * 1-5")
AUTHOR = Author("operator", "")


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
    "text",
    [
        "",
        "* * * *",
        "* * * * * *",
        "61 * * * *",
        "x * * * *",
        "0 0 31 2 *",
        "0 0 * * 9",
        f"{'1,' * 50}1 * * * *",
    ],
)
def test_bad_times_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError):
        checked_cron(text)


def test_of_two_changes_at_once_the_second_is_refused(site: WebSite) -> None:
    run = site.database.run_now
    run(schedule_store.add_schedule, AUTHOR, PLAN)
    (old,) = run(schedule_store.all_schedules)
    other = Author("other", "")
    run(schedule_store.change_schedule, other, old, replace(PLAN, cron="0 1 * * *"))
    (stored,) = run(schedule_store.all_schedules)
    assert stored.made_by == "other"
    with pytest.raises(HTTPException, match="409"):
        run(schedule_store.change_schedule, AUTHOR, old, replace(PLAN, cron="0 2 * * *"))
    with pytest.raises(HTTPException, match="409"):
        run(schedule_store.delete_schedule, AUTHOR, old)
    assert run(schedule_store.all_schedules) == [stored]


def test_missed_times_are_made_up_for_once(site: WebSite) -> None:
    run = site.database.run_now
    add_users(site)
    run(
        schedule_store.add_schedule,
        AUTHOR,
        SchedulePlan(spider="maize", arguments={}, cron="0 * * * *"),
    )
    paused = SchedulePlan(spider="list", arguments={}, cron="* * * * *", is_paused=True)
    run(schedule_store.add_schedule, AUTHOR, paused)
    now = datetime.now(UTC)
    assert run(schedule_store.take_due, now) is None
    later = now + timedelta(hours=30)
    assert run(schedule_store.take_due, later).spider == "maize"
    assert run(schedule_store.take_due, later) is None
    assert run(schedule_store.take_due, later + timedelta(hours=1))


def test_due_times() -> None:
    noon = datetime(2026, 3, 5, 12).astimezone()
    assert not is_due("30 12 * * *", noon, noon + timedelta(minutes=29))
    assert is_due("30 12 * * *", noon, noon + timedelta(minutes=30))
