"""Crawls that were started from the web: processes of this machine, and their rows in the database."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, select, update

from focuscrawl.errors import ArgumentError
from focuscrawl.items import CrawlRun
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.crawls.crawl_arguments import URLS, checked_arguments
from focuscrawl.web.database.web_database import hold_all
from focuscrawl.web.database.web_tables import processes
from focuscrawl.web.web_site import WebSite

# Rows in the database. Each function needs a connection in a transaction.

_TO_BEGIN = timedelta(minutes=10)
"""Time from the start of a process to the beginning of its run, at most."""
_ENDED_SHOWN = 20
_RUNS_LOOKED_AT = 200


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
    """The same crawl is running already, as the process of a number."""

    def __init__(self, spider: str, number: int) -> None:
        super().__init__(f"this crawl of spider {spider!r} is running; wait until it has ended")
        self.number = number


def begin(connection: Connection, author: Author, spider: str, arguments: Mapping[str, str]) -> int:
    """Add a crawl that is about to be started, and return its number.

    Raises BusyError if one of the same spider and arguments has not ended.
    """
    given = dict(arguments)
    hold_all(connection)
    for one in living(connection):
        if (one.spider, one.arguments) == (spider, given):
            raise BusyError(spider, one.number)
    values = {"spider": spider, "arguments": given, "identity": "", "log": "", "stops": 0}
    now = datetime.now(UTC)
    added = processes.insert().values(**values, started_by=author.name, started_at=now)
    (number,) = connection.execute(added).inserted_primary_key or (0,)
    log_change(connection, author, "crawl.start", spider, None, {"number": number, **given})
    return int(number)


def set_started(connection: Connection, number: int, values: Mapping[str, Any]) -> None:
    """Add what is known once a crawl was started: process, identity and log.

    Raises ArgumentError if it has ended already, as for a server that has waited too long for the process.
    """
    started = update(processes).where(processes.c.number == number, processes.c.ended_at.is_(None))
    if not connection.execute(started.values(**values)).rowcount:
        raise ArgumentError(f"crawl {number} has ended already")


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
    query = select(processes).where(processes.c.ended_at.is_(None))
    return _read(connection, query.order_by(processes.c.number))


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
    if not isinstance(pid, int):
        return None
    query = select(processes).where(processes.c.pid == pid).order_by(processes.c.number.desc())
    return next((one for one in _read(connection, query) if is_run_of(one, run)), None)


def is_run_of(process: CrawlProcess, run: CrawlRun) -> bool:
    """Return whether a process wrote a run: its number is used again, so the time counts as well."""
    is_same = run.details.get("pid") == process.pid and run.machine == socket.gethostname()
    return is_same and timedelta(0) <= run.began_at - process.started_at <= _TO_BEGIN


async def run_of(site: WebSite, process: CrawlProcess) -> CrawlRun | None:
    """Return the run that a process has written, None if it is none of the newest, or not begun."""
    newest_runs = await site.store.runs(None, _RUNS_LOOKED_AT) if process.pid else []
    return next((run for run in newest_runs if is_run_of(process, run)), None)


def _read(connection: Connection, query: Select[Any]) -> list[CrawlProcess]:
    return [CrawlProcess(**row._mapping) for row in connection.execute(query)]


# Identity of a process: its number is used again after its end, so when it was started counts as well.

_PROC = Path("/proc")
# Fields of /proc/PID/stat after the name of the program, which may have blanks and brackets.
_STATE, _STARTED = 0, 19
_DEAD = ("Z", "X")


def identity_of(pid: int) -> str:
    """Return what distinguishes a living process from all others, ``""`` if there is none with this number."""
    if not _PROC.joinpath("self").exists():
        return _by_ps(pid)
    try:
        fields = (
            (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        )
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
    return "" if fields[_STATE] in _DEAD else f"{boot} {fields[_STARTED]}"


def _by_ps(pid: int) -> str:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    state, _, started = shown.stdout.strip().partition(" ")
    return "" if state.startswith(_DEAD) else started.strip()


def send_signal(pid: int, identity: str, number: signal.Signals) -> bool:
    """Send a signal to a process if it is still the one of that identity; return whether it was."""
    with suppress(OSError):
        if not hasattr(os, "pidfd_open"):
            if is_same := bool(identity) and identity_of(pid) == identity:
                os.kill(pid, number)
            return is_same
        # The number cannot be used again for another process while this is open.
        handle = os.pidfd_open(pid)
        try:
            if identity and identity_of(pid) == identity:
                signal.pidfd_send_signal(handle, number)
                return True
        finally:
            os.close(handle)
    return False


_SECRETS = "FOCUSCRAWL_WEB_"
"""Beginning of the names of environment variables that are the server's own."""
_LOGS = "logs"
_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@" < /dev/null', "sh")
"""Lets a command begin when its process is noted, so that none runs that nobody can stop."""


async def start_crawl(site: WebSite, author: Author, spider: str, given: Mapping[str, str]) -> int:
    """Start a crawl with checked arguments, and return the number of its process.

    Raises ArgumentError for arguments that are not allowed, BusyError if the same crawl is running.
    """
    project = site.project
    arguments = await asyncio.to_thread(checked_arguments, spider, given, project)
    run = site.database.run
    number = await run(begin, author, spider, arguments)
    try:
        started = await asyncio.to_thread(_launch, site, number, spider, arguments)
        await run(set_started, number, started)
    except BaseException:
        if child := site.children.pop(number, None):
            child.communicate()
        await run(set_ended, number, None)
        raise
    if (child := site.children.get(number)) and child.stdin:
        with suppress(OSError), child.stdin:
            child.stdin.write(b"\n")
    return number


def _launch(
    site: WebSite, number: int, spider: str, arguments: Mapping[str, str]
) -> dict[str, object]:
    command = [sys.executable, "-m", "scrapy", "crawl", spider, "-L", "INFO"]
    command += [part for name, text in arguments.items() for part in ("-a", f"{name}={text}")]
    log = site.data / _LOGS / f"{datetime.now():%Y%m%d-%H%M%S}-{spider}-{number}.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("xb") as output:
            process = subprocess.Popen(
                [*_GATE, *command], cwd=site.project.folder, env=environment(site, arguments),
                stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                # Ctrl-C ends the server, not its crawls.
                start_new_session=True,
            )  # fmt: skip
    except (OSError, ValueError) as error:
        raise ArgumentError(f"the crawl cannot be started: {error}") from error
    site.children[number] = process
    return {"pid": process.pid, "identity": identity_of(process.pid), "log": str(log)}


def environment(site: WebSite, arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a crawl: without the server's secrets, with its data folder and stores."""
    own = {name: text for name, text in os.environ.items() if not name.startswith(_SECRETS)}
    own["FOCUSCRAWL_DATA"] = str(site.data)
    own["FOCUSCRAWL_STORES"] = site.project.stores or site.store_url
    if any(name in arguments for name in URLS):
        # The host of a URL may get a private address after the check of the form.
        own["FOCUSCRAWL_TRUST_URLS"] = "False"
    return own


async def stop_crawl(site: WebSite, author: Author, process: CrawlProcess, action: str) -> None:
    """Ask a crawl to shut down (``stop``), or end it at once (``kill``), which needs a stop before."""
    if process.ended_at is not None:
        raise ArgumentError(f"crawl {process.number} has ended already")
    if action not in ("stop", "kill") or (action == "kill" and not process.stops):
        raise ArgumentError(f"action = {action!r}: stop first, then kill")
    await site.database.run(note_stop, author, process.number, action)
    number = signal.SIGTERM if action == "stop" else signal.SIGKILL
    if process.pid is None or not send_signal(process.pid, process.identity, number):
        await note_ends(site)


async def note_ends(site: WebSite) -> None:
    """Record the crawls that have ended since they were last looked at."""
    for process in await site.database.run(living):
        ended, code = await asyncio.to_thread(_end_of, site, process)
        if ended:
            site.children.pop(process.number, None)
            await site.database.run(set_ended, process.number, code)


def _end_of(site: WebSite, process: CrawlProcess) -> tuple[bool, int | None]:
    if child := site.children.get(process.number):
        code = child.poll()
        return code is not None, code
    if process.pid is None:
        # About to be started by this server or another one; or that was ended just then.
        age = datetime.now(process.started_at.tzinfo) - process.started_at
        return age.total_seconds() > 60, None
    return identity_of(process.pid) != process.identity, None


def log_of(site: WebSite, process: CrawlProcess) -> Path | None:
    """Return the log of a process, None if it has none in the data folder."""
    path = Path(process.log).resolve()
    return path if process.log and path.is_relative_to(site.data.resolve()) else None
