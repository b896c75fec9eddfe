"""Times of a schedule by its cron expression of five fields, in the local time of the server."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from cronsim import CronSim, CronSimError

from focuscrawl.errors import ArgumentError
from focuscrawl.web.database.web_tables import LONGEST_CRON

_FIELDS = 5


def checked_cron(text: str) -> str:
    """Return an expression with single blanks; raises ArgumentError if it is none, or has no time."""
    fields = text.split()
    if len(fields) != _FIELDS:
        raise ArgumentError(f"{text!r} has not five fields; write such as 30 6 * * 1-5")
    cron = " ".join(fields)
    if len(cron) > LONGEST_CRON:
        raise ArgumentError(f"{cron[:LONGEST_CRON]!r}… is longer than {LONGEST_CRON} characters")
    try:
        next(CronSim(cron, datetime(2024, 1, 1)))
    except (CronSimError, StopIteration) as error:
        raise ArgumentError(f"{cron!r} is no time: {error or 'it never comes'}") from error
    return cron


def next_times(cron: str, after: datetime, count: int) -> list[datetime]:
    """Return the next times after a moment, with time zone."""
    # Without time zone: the clock on the wall counts, also where it is changed in summer.
    naive = after.astimezone().replace(tzinfo=None)
    return [time.astimezone() for time in islice(CronSim(cron, naive), count)]


def is_due(cron: str, checked_at: datetime, now: datetime) -> bool:
    """Return whether a time has come since the schedule was looked at; several missed ones are one."""
    return any(time <= now for time in next_times(cron, checked_at, 1))
