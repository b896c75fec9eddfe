"""Crawls that were started from the web, in the database. Functions need a connection in a transaction."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    select,
    update,
)

from focuscrawl.errors import ArgumentError
from focuscrawl.items import CrawlRun
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.database.web_tables import processes

_TO_BEGIN = timedelta(minutes=10)
"""Time from the start of a process to the beginning of its run, at most."""
_ENDED_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlProcess:
    """A crawl that was started from the web, as a process of this machine."""

    number: int
    spider: str
    arguments: dict[str, str]
    pid: int | None
    identity: str
    log: str
    started_by: str
    started_at: datetime
    ended_at: datetime | None
    exit_code: int | None
    stops: int


class BusyError(ArgumentError):
    """The same crawl is running already."""


def begin(connection: Connection, author: Author, spider: str, arguments: Mapping[str, str]) -> int:
    """Add a crawl that is about to be started, and return its number.

    Raises BusyError if one of the same spider and arguments has not ended.
    """
    given = dict(arguments)
    # Locked, for another server may be about to begin the same one.
    others = _read(connection, _living().with_for_update())
    if any((one.spider, one.arguments) == (spider, given) for one in others):
        raise BusyError(f"this crawl of spider {spider!r} is running; wait until it has ended")
    values = {"spider": spider, "arguments": given, "identity": "", "log": "", "stops": 0}
    now = datetime.now(UTC)
    added = processes.insert().values(**values, started_by=author.name, started_at=now)
    (number,) = connection.execute(added).inserted_primary_key or (0,)
    log_change(connection, author, "crawl.start", spider, None, {"number": number, **given})
    return int(number)


def set_started(connection: Connection, number: int, values: Mapping[str, Any]) -> None:
    """Add what is known once a crawl was started: process, identity and log."""
    connection.execute(update(processes).where(processes.c.number == number).values(**values))


def set_ended(connection: Connection, number: int, exit_code: int | None) -> None:
    """Record that a crawl has ended, unless that is known."""
    ended = update(processes).where(processes.c.number == number, processes.c.ended_at.is_(None))
    connection.execute(ended.values(ended_at=datetime.now(UTC), exit_code=exit_code))


def note_stop(connection: Connection, author: Author, number: int, action: str) -> None:
    """Record that somebody asks a crawl to stop."""
    stops = update(processes).where(processes.c.number == number)
    connection.execute(stops.values(stops=processes.c.stops + 1))
    log_change(connection, author, f"crawl.{action}", str(number))


def living(connection: Connection) -> list[CrawlProcess]:
    """Return the crawls that have not ended, oldest first."""
    return _read(connection, _living())


def _living() -> Select[Any]:
    return select(processes).where(processes.c.ended_at.is_(None)).order_by(processes.c.number)


def newest(connection: Connection) -> list[CrawlProcess]:
    """Return the newest crawls, newest first."""
    query = select(processes).order_by(processes.c.number.desc())
    return _read(connection, query.limit(_ENDED_SHOWN))


def numbered(connection: Connection, number: int) -> CrawlProcess | None:
    """Return the crawl with a number, None if there is none."""
    found = _read(connection, select(processes).where(processes.c.number == number))
    return found[0] if found else None


def of_run(connection: Connection, run: CrawlRun) -> CrawlProcess | None:
    """Return the crawl whose process wrote a run, None if none was started from here."""
    pid = run.details.get("pid")
    if not isinstance(pid, int) or run.machine != socket.gethostname():
        return None
    query = select(processes).where(
        processes.c.pid == pid,
        processes.c.started_at.between(run.began_at - _TO_BEGIN, run.began_at),
    )
    found = _read(connection, query.order_by(processes.c.number.desc()))
    return found[0] if found else None


def _read(connection: Connection, query: Select[Any]) -> list[CrawlProcess]:
    return [CrawlProcess(**row._mapping) for row in connection.execute(query)]
