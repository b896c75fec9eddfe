"""Schedules: times, exports, and crawls that are started once."""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.crawls.operation import schedule_store
from focuscrawl.web.crawls.operation.cron_times import checked_cron, is_due, next_times
from focuscrawl.web.crawls.operation.schedule_export import (
    calendar_times,
    crawl_command,
    crontab,
    systemd_units,
)
from focuscrawl.web.crawls.operation.schedule_store import Plan
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users

NASTY = "100% $(touch /tmp/x) `id` \"q\" 'p' \\n ; & 玉米"
PLAN = Plan(spider="maize", arguments={"title": NASTY}, cron="30 6 * * 1-5")
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
    run(schedule_store.add_schedule, AUTHOR, Plan(spider="maize", arguments={}, cron="0 * * * *"))
    paused = Plan(spider="list", arguments={}, cron="* * * * *", is_paused=True)
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


def test_a_line_of_a_crontab_runs_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "pro ject'"
    folder.mkdir()
    (line,) = crontab([(PLAN, PLAN.arguments)], folder, tmp_path / "da%ta").splitlines()
    assert line.startswith("30 6 * * 1-5 cd ")
    # As cron does: a per cent sign without a backslash ends the command.
    command = line.removeprefix(f"{PLAN.cron} ")
    assert "%" not in command.replace("\\%", "")
    shown = command.replace("\\%", "%").replace(crawl_command("", {})[0], "printf '%s\\0'")
    done = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, check=True)
    words = done.stdout.split("\0")[:-1]
    assert words == crawl_command("maize", PLAN.arguments)[1:]
    assert f"FOCUSCRAWL_DATA={shlex.quote(str(tmp_path / 'da%ta'))}" in shown


def test_units_of_systemd(tmp_path: Path) -> None:
    content = systemd_units([(7, PLAN, PLAN.arguments)], tmp_path, tmp_path)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = sorted(archive.namelist())
        assert names == ["focuscrawl-maize-7.service", "focuscrawl-maize-7.timer"]
        service, timer = (archive.read(name).decode() for name in names)
    (command,) = [line for line in service.splitlines() if line.startswith("ExecStart=")]
    assert '"title=100%% $$(touch /tmp/x) `id` \\"q\\" \'p\' \\\\n ; & 玉米"' in command
    assert "OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 06:30:00\n" in timer


CALENDARS = {
    "30 6 * * 1-5": ["Mon,Tue,Wed,Thu,Fri *-*-* 06:30:00"],
    "*/20 * * * *": ["*-*-* *:00,20,40:00"],
    "0 0 1,15 * *": ["*-*-01,15 00:00:00"],
    "0 0 1 * 7": ["*-*-01 00:00:00", "Sun *-*-* 00:00:00"],
    "5 4 * 1-3 SUN": ["Sun *-01,02,03-* 04:05:00"],
    "0 0 L * *": [],
    "0 0 * * 5#1": [],
}


@pytest.mark.parametrize("cron", CALENDARS)
def test_times_of_systemd(cron: str) -> None:
    found = calendar_times(checked_cron(cron))
    assert found == CALENDARS[cron]
    if shutil.which("systemd-analyze") and found:
        subprocess.run(["systemd-analyze", "calendar", *found], check=True, capture_output=True)
