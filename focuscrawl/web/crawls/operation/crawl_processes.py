"""Start and stop of crawls, which are processes of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.crawls.operation import process_store
from focuscrawl.web.crawls.operation.crawl_arguments import URLS, checked_arguments
from focuscrawl.web.crawls.operation.process_store import CrawlProcess
from focuscrawl.web.web_site import WebSite

# Identity of a process: its number is used again after its end, so when it was started counts as well.

_PROC = Path("/proc")
# Fields of /proc/PID/stat after the name of the program, which may have blanks and brackets.
_STATE, _STARTED = 0, 19
_DEAD = ("Z", "X")


def identity_of(pid: int) -> str:
    """Return what tells a living process from all others, ``""`` if there is none with this number."""
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
    number = await run(process_store.begin, author, spider, arguments)
    try:
        started = await asyncio.to_thread(_launch, site, number, spider, arguments)
        await run(process_store.set_started, number, started)
    except BaseException:
        if child := site.children.pop(number, None):
            child.communicate()
        await run(process_store.set_ended, number, None)
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
    """Ask a crawl to end orderly (``stop``), or end it at once (``kill``), which needs a stop before."""
    if process.ended_at is not None:
        raise ArgumentError(f"crawl {process.number} has ended already")
    if action not in ("stop", "kill") or (action == "kill" and not process.stops):
        raise ArgumentError(f"action = {action!r}: stop first, then kill")
    await site.database.run(process_store.note_stop, author, process.number, action)
    number = signal.SIGTERM if action == "stop" else signal.SIGKILL
    if process.pid is None or not send_signal(process.pid, process.identity, number):
        await note_ends(site)


async def note_ends(site: WebSite) -> None:
    """Record the crawls that have ended since they were last looked at."""
    for process in await site.database.run(process_store.living):
        ended, code = await asyncio.to_thread(_end_of, site, process)
        if ended:
            site.children.pop(process.number, None)
            await site.database.run(process_store.set_ended, process.number, code)


def _end_of(site: WebSite, process: CrawlProcess) -> tuple[bool, int | None]:
    if child := site.children.get(process.number):
        code = child.poll()
        return code is not None, code
    if process.pid is None:
        # About to be started by this server or another one; or that was ended just then.
        age = datetime.now(process.started_at.tzinfo) - process.started_at
        return age.total_seconds() > 60, None
    return identity_of(process.pid) != process.identity, None


def log_tail(site: WebSite, process: CrawlProcess, size: int = 64 * 1024) -> str:
    """Return the end of the log of a process, ``""`` if it has none in the data folder."""
    path = Path(process.log)
    if not process.log or not path.resolve().is_relative_to(site.data.resolve()):
        return ""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - size))
            return file.read(size).decode("utf-8", "replace")
    except OSError:
        return ""
