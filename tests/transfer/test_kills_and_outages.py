"""Killed transfers and stopped servers: every row arrives, whatever happens on the way."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.database_copies import COPIED
from focuscrawl.stores.store_urls import make_stores
from tests.servers.process import ServerProcess
from tests.stores.record_examples import article, everything, numbered, quote
from tests.transfer.test_record_transfer import rows_of, transfer

COUNT = 400
PROGRAM = """
import asyncio, sys
from pathlib import Path
from focuscrawl.stores.mongo import mongo_reader
from focuscrawl.stores.sql import sql_reader
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.transfer.transfer_ledger import Ledger
from focuscrawl.transfer.record_transfer import Patience, Transfer

sql_reader.KEYS = mongo_reader.CHUNK = 20

async def main(source, target, folder):
    (source,), (target,) = make_stores(source), make_stores(target)
    ledger = Ledger(Path(folder), source.label, target.label)
    await Transfer(source, target, ledger, Patience(20), lambda *w: print(*w, flush=True)).run()

asyncio.run(main(*sys.argv[1:]))
"""


def transfer_and_die(source: str, target: str, folder: Path, lines: int) -> None:
    """Kill a transfer once it has said some lines of how it gets on."""
    command = [sys.executable, "-c", PROGRAM, source, target, str(folder)]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert program.stdout
    for _ in range(lines):
        assert program.stdout.readline()
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    program.stdout.close()


async def opened(url: str) -> Any:
    (store,) = make_stores(url)
    await store.open()
    return store


async def fill(url: str) -> Any:
    store = await opened(url)
    await store.write([article(n, text="\x00😀" * n) for n in range(COUNT // 4)])
    await store.write([numbered(n, body_html="\x00😀" * n) for n in range(COUNT)])
    return store


@pytest.mark.server
async def test_kill_9_again_and_again_and_every_row_is_there_once(
    mongo_url: str, mysql_url: str, tmp_path: Path
) -> None:
    source = await fill(mongo_url)
    for lines in (1, 4, 8):
        transfer_and_die(mongo_url, mysql_url, tmp_path, lines)
    target = await opened(mysql_url)
    held = sum([await target.count(kind) for kind in COPIED])
    assert 0 < held < COUNT * 5 // 4
    done = await transfer(source, target, tmp_path)
    # What the killed ones had done was not done again.
    assert sum(outcome.written for outcome in done.values()) <= COUNT * 5 // 4 - held + 40
    assert await rows_of(target) == await rows_of(source)
    # Not only the rows: the index over them was put off when the first of them was killed.
    assert await everything(target.quotes()) == await everything(source.quotes())
    again = await transfer(source, target, tmp_path)
    assert sum(outcome.written for outcome in again.values()) == 0
    await source.close()
    await target.close()


@pytest.mark.server
@pytest.mark.parametrize("is_source", [True, False], ids=["source", "target"])
async def test_a_mongodb_that_stops_for_a_while_is_waited_for(
    mongo_server: ServerProcess,
    mongo_url: str,
    tmp_path: Path,
    is_source: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if os.environ.get("FOCUSCRAWL_TEST_MONGODB"):
        pytest.skip("a server that the tests did not start is not theirs to stop")
    monkeypatch.setattr("focuscrawl.stores.sql.sql_reader.KEYS", 50)
    monkeypatch.setattr("focuscrawl.stores.mongo.mongo_reader.CHUNK", 50)
    urls = [f"{mongo_url}?serverSelectionTimeoutMS=300", f"sqlite:///{tmp_path}/a.sqlite"]
    first, second = urls if is_source else reversed(urls)
    source, target = await fill(first), await opened(second)
    await source.write([article("x", quotes=[quote(text_start=n) for n in range(200)])])
    copy, calls = target.copy, 0
    restarts: list[asyncio.Task[None]] = []

    async def interrupted(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            await asyncio.to_thread(mongo_server.stop, at_once=is_source)
            restarts.append(asyncio.create_task(restart(mongo_server)))
        await copy(*arguments)

    monkeypatch.setattr(target, "copy", interrupted)
    await transfer(source, target, tmp_path, seconds=60)
    await asyncio.gather(*restarts)
    assert len(restarts) == 1
    assert await rows_of(target) == await rows_of(source)
    assert await everything(target.quotes()) == await everything(source.quotes())
    await source.close()
    await target.close()


async def test_an_answer_that_is_lost_after_the_rows_were_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await fill(f"sqlite:///{tmp_path}/a.sqlite")
    target = await opened(f"sqlite:///{tmp_path}/b.sqlite")
    copy, is_lost = target.copy, True

    async def lost(*arguments: Any) -> None:
        nonlocal is_lost
        await copy(*arguments)
        is_lost = not is_lost
        if not is_lost:
            raise StoreUnavailableError("no answer")

    monkeypatch.setattr(target, "copy", lost)
    await transfer(source, target, tmp_path)
    assert await rows_of(target) == await rows_of(source)
    await source.close()
    await target.close()


async def restart(server: ServerProcess) -> None:
    await asyncio.sleep(1)
    await asyncio.to_thread(server.start)
