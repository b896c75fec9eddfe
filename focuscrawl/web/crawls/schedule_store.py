"""Schedules of crawls: their times, and their rows in the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from cronsim import CronSim, CronSimError
from sqlalchemy import Connection, delete, select, update
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.account_store import active_users
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.database.web_tables import LONGEST_CRON, schedules

# Times by a cron expression of five fields, in the local time of the server.

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


# Rows in the database. Each function needs a connection in a transaction.

_SKEW = timedelta(hours=1)  # Between the clocks of two servers, at most.
_INTERRUPTED = "the start was interrupted; look whether the crawl runs, and start it if it does not"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePlan:
    """What to start, and when."""

    spider: str
    arguments: dict[str, str]
    cron: str
    is_paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(SchedulePlan):
    """A stored plan; ``note`` says why the last crawl was not started, if it was not."""

    number: int
    made_by: str
    checked_at: datetime
    started_at: datetime | None
    note: str

    @property
    def plan(self) -> dict[str, Any]:
        """The plan, as JSON values."""
        return {name: getattr(self, name) for name in ("spider", "arguments", "cron", "is_paused")}


def all_schedules(connection: Connection) -> list[Schedule]:
    """Return all schedules in the order of their making."""
    rows = connection.execute(select(schedules).order_by(schedules.c.number))
    return [Schedule(**row._mapping) for row in rows]


def schedule_numbered(connection: Connection, number: int) -> Schedule | None:
    """Return the schedule with a number, None if there is none."""
    row = connection.execute(select(schedules).where(schedules.c.number == number)).one_or_none()
    return Schedule(**row._mapping) if row else None


def add_schedule(connection: Connection, author: Author, plan: SchedulePlan) -> None:
    """Add a schedule."""
    row = asdict(plan) | {"made_by": author.name, "checked_at": datetime.now(UTC), "note": ""}
    connection.execute(schedules.insert().values(**row))
    log_change(connection, author, "schedule.add", plan.spider, None, asdict(plan))


def change_schedule(
    connection: Connection, author: Author, old: Schedule, plan: SchedulePlan
) -> None:
    """Replace a plan; crawls that were due before are not started. Raises 409 if it is not ``old`` any more.

    The crawls are those of the new author from now on.
    """
    _check_unchanged(connection, old)
    made = {"made_by": author.name, "checked_at": datetime.now(UTC), "note": ""}
    values = asdict(plan) | made
    connection.execute(update(schedules).where(schedules.c.number == old.number).values(**values))
    log_change(connection, author, "schedule.edit", str(old.number), old.plan, asdict(plan))


def delete_schedule(connection: Connection, author: Author, old: Schedule) -> None:
    """Delete a schedule; raises 409 if it is not ``old`` any more."""
    _check_unchanged(connection, old)
    connection.execute(delete(schedules).where(schedules.c.number == old.number))
    log_change(connection, author, "schedule.delete", str(old.number), old.plan)


def _check_unchanged(connection: Connection, old: Schedule) -> None:
    # Locked, for another server may be about to change it.
    query = select(schedules).where(schedules.c.number == old.number).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None or Schedule(**row._mapping).plan != old.plan:
        raise HTTPException(409)


def take_due(connection: Connection, now: datetime) -> Schedule | None:
    """Return a schedule that is due, to one caller only, None if there is none (any more).

    One at a time: if the server ends before the crawl is started, this one has a note, and the others
    stay due. Schedules of users who may not start crawls any more are skipped.
    """
    operators = active_users(connection, Permission.OPERATE)
    for one in all_schedules(connection):
        # The clock was ahead and has been set back: the schedule would wait for the time that it showed.
        is_ahead = one.checked_at - now > _SKEW
        if one.is_paused or not (is_ahead or is_due(one.cron, one.checked_at, now)):
            continue
        is_taken = one.made_by in operators and not is_ahead
        # Another server on the same database may have been quicker.
        query = update(schedules).where(
            schedules.c.number == one.number, schedules.c.checked_at == one.checked_at
        )
        values = {"checked_at": now, "note": _INTERRUPTED if is_taken else one.note}
        if connection.execute(query.values(**values)).rowcount and is_taken:
            return one
    return None


def note_start(connection: Connection, number: int, note: str) -> None:
    """Record that the crawl of a schedule was started, or why it was not."""
    values: dict[str, Any] = {"note": note}
    if not note:
        values["started_at"] = datetime.now(UTC)
    connection.execute(update(schedules).where(schedules.c.number == number).values(**values))
