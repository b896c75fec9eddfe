"""A program that opens a store, and stops at a step: ``URL STEP kill|pause``.

A step is a part of a SQL statement, of a command of MongoDB or of an audit event. There the program
kills itself, or writes ``paused`` and goes on when it reads a line.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import Any

from pymongo import monitoring
from sqlalchemy import Engine, event

from focuscrawl.stores.mongo import mongo_lock, mongo_setup
from focuscrawl.stores.sql import creation_lock, sql_connections
from focuscrawl.stores.store_urls import make_stores

URL, STEP, ACTION = sys.argv[1:]
AUDITED = {"os.rename", "os.remove"}


class Commands(monitoring.CommandListener):
    def started(self, event: monitoring.CommandStartedEvent) -> None:
        reach(str(event.command))

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


def reach(step: str) -> None:
    if STEP in step:
        if ACTION == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        pause()


def pause() -> None:
    print("paused", flush=True)
    sys.stdin.readline()


def on_statement(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
    reach(statement)


def on_audit(name: str, arguments: tuple[Any, ...]) -> None:
    if name in AUDITED and "before-schema" in str(arguments):
        reach(name)


async def paused_step(database: Any) -> None:
    await asyncio.to_thread(pause)
    await upgrade_step(database)


async def main() -> None:
    (store,) = make_stores(URL)
    await store.open()
    await store.close()
    print("done", flush=True)


upgrade_step = mongo_setup._STEPS[2]
logging.basicConfig(level=logging.INFO, format="%(message)s")
# So that what waits for this program, or for its end, need not do so for long.
sql_connections._BUSY_SECONDS = creation_lock._SECONDS_A_TRY = 1
# Renewed three times as often: on a busy machine a program may have to wait a second for its turn.
mongo_lock._LEASE_SECONDS = 4
if ACTION == "pause" and URL.startswith("mongodb"):
    # Not in a command: the program's event loop must go on.
    mongo_setup._STEPS[2] = paused_step
elif STEP:
    monitoring.register(Commands())
    event.listen(Engine, "before_cursor_execute", on_statement)
    sys.addaudithook(on_audit)
asyncio.run(main())
