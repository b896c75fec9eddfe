"""Schedules for cron and systemd, for machines on which no server runs."""

from __future__ import annotations

import io
import shlex
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from cronsim import CronSim

from focuscrawl.web.crawls.operation.schedule_store import Plan

_DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


def crawl_command(spider: str, arguments: Mapping[str, str]) -> list[str]:
    """Return the command of a crawl."""
    given = [part for name, text in arguments.items() for part in ("-a", f"{name}={text}")]
    return [sys.executable, "-m", "scrapy", "crawl", spider, *given]


def crontab(plans: Iterable[tuple[Plan, Mapping[str, str]]], folder: Path, data: Path) -> str:
    """Return lines of a crontab for plans with the arguments of their spiders."""
    lines = [
        f"{plan.cron} {_cron_command(plan.spider, arguments, folder, data)}"
        for plan, arguments in plans
    ]
    return "".join(f"{line}\n" for line in lines)


def _cron_command(spider: str, arguments: Mapping[str, str], folder: Path, data: Path) -> str:
    setting = f"FOCUSCRAWL_DATA={shlex.quote(str(data))}"
    line = (
        f"cd {shlex.quote(str(folder))} && {setting} {shlex.join(crawl_command(spider, arguments))}"
    )
    # A per cent sign ends the command of a crontab's line, also within quotes.
    return line.replace("%", "\\%")


def systemd_units(
    plans: Iterable[tuple[int, Plan, Mapping[str, str]]], folder: Path, data: Path
) -> bytes:
    """Return a ZIP file with a service and a timer for each plan."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, plan, arguments in plans:
            name = f"focuscrawl-{plan.spider}-{number}"
            archive.writestr(f"{name}.service", _service(plan.spider, arguments, folder, data))
            archive.writestr(f"{name}.timer", _timer(plan))
    return buffer.getvalue()


def _service(spider: str, arguments: Mapping[str, str], folder: Path, data: Path) -> str:
    command = " ".join(map(_systemd_word, crawl_command(spider, arguments)))
    return (
        f"[Unit]\nDescription=focuscrawl: {spider}\n\n[Service]\nType=oneshot\n"
        f"WorkingDirectory={_percent(str(folder))}\n"
        f"Environment={_systemd_word(f'FOCUSCRAWL_DATA={data}', is_command=False)}\n"
        f"ExecStart={command}\n"
    )


def _timer(plan: Plan) -> str:
    times = "".join(f"OnCalendar={time}\n" for time in calendar_times(plan.cron))
    return f"[Unit]\nDescription=focuscrawl: {plan.spider}\n\n[Timer]\n{times}Persistent=true\n\n[Install]\nWantedBy=timers.target\n"


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _systemd_word(text: str, *, is_command: bool = True) -> str:
    """Quote a word for systemd, which expands %, and $ in commands."""
    quoted = _percent(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted.replace("$", "$$") if is_command else quoted}"'


def calendar_times(cron: str) -> list[str]:
    """Return the times of a cron expression as those of systemd's OnCalendar.

    Where both days of the month and of the week are given, cron means either: these are two times.
    Empty for an expression that systemd cannot say, such as the last weekday of a month.
    """
    parsed = CronSim(cron, datetime(2024, 1, 1))
    if any(not isinstance(day, int) for day in parsed.weekdays) or min(parsed.days) < 0:
        return []
    clock = f"{_numbers(parsed.hours, 24)}:{_numbers(parsed.minutes, 60)}:00"
    month = _numbers(parsed.months, 12)
    days, weekdays = _numbers(parsed.days, 31), _weekdays(parsed.weekdays)
    if parsed.day_and or not weekdays or days == "*":
        return [f"{weekdays}*-{month}-{days} {clock}"]
    return [f"*-{month}-{days} {clock}", f"{weekdays}*-{month}-* {clock}"]


def _numbers(chosen: set[int], count: int) -> str:
    return "*" if len(chosen) == count else ",".join(f"{number:02}" for number in sorted(chosen))


def _weekdays(chosen: Iterable[object]) -> str:
    numbers: Sequence[int] = sorted({int(str(day)) % 7 for day in chosen})
    return "" if len(numbers) == 7 else f"{','.join(_DAYS[number] for number in numbers)} "
