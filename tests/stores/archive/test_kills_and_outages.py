"""Killed programs and stopped servers: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import Written
from focuscrawl.stores.store_urls import make_stores
from tests.servers.process import ServerProcess, free_port
from tests.stores.conftest import StoreOpener
from tests.stores.record_examples import article, everything, quote

WRITER = """
import asyncio, sys
from pathlib import Path
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import article

async def main(urls, folder):
    archive = Archive(
        make_stores(urls), Path(folder), batch_size=7, batch_age=0.01,
        retry_seconds=0, open_seconds=0,
    )
    await archive.open()

    async def write(number):
        await archive.write(article(number))
        print(number, flush=True)

    for start in range(0, 100_000, 40):
        await asyncio.gather(*(write(n) for n in range(start, start + 40)))

asyncio.run(main(*sys.argv[1:]))
"""


def write_and_die(urls: str, folder: Path, after: int) -> set[int]:
    """Write until ``after`` records are acknowledged, then kill; return all acknowledged."""
    command = [sys.executable, "-c", WRITER, urls, str(folder)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.stdout.read().split("\n")[:-1]  # what follows the last line end is torn
    writer.wait()
    writer.stdout.close()
    return {*acknowledged, *map(int, rest)}


async def held_by(store: Database) -> set[str]:
    """Return the URLs of a store, where each must stand once with its two quotes."""
    await store.open()
    found = [entry.url for entry in await everything(store.summaries())]
    quotes = [entry.article_url for entry in await everything(store.quotes())]
    await store.close()
    assert len(set(found)) == len(found)
    assert sorted(quotes) == sorted(found * 2)
    return set(found)


async def test_kill_9_loses_nothing_from_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    acknowledged = write_and_die(url, tmp_path / "spill", 60)
    (store,) = make_stores(url)
    held = await held_by(store)
    assert {article(n).url for n in acknowledged} <= held
    again = write_and_die(url, tmp_path / "spill", 80)
    assert held | {article(n).url for n in again} <= await held_by(store)


@pytest.mark.parametrize("fixture", ["mysql_url", "mongo_url"])
@pytest.mark.server
async def test_kill_9_loses_nothing_from_a_server(
    tmp_path: Path, fixture: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(fixture)
    acknowledged = write_and_die(url, tmp_path / "spill", 200)
    (store,) = make_stores(url)
    await store.open()
    await store.write([article(n) for n in range(2 * len(acknowledged) + 100)])
    await store.close()
    assert {article(n).url for n in acknowledged} <= await held_by(store)


def test_kill_9_loses_nothing_that_is_spilled(tmp_path: Path) -> None:
    nowhere = f"mysql://me@127.0.0.1:{free_port()}/db"
    acknowledged = write_and_die(nowhere, tmp_path, 100)
    acknowledged |= write_and_die(nowhere, tmp_path, 50)
    (store,) = make_stores(nowhere)
    spilled = {record.url for record in Spill(tmp_path, store.label).load()}
    assert {article(n).url for n in acknowledged} <= spilled


@pytest.mark.server
async def test_a_mongodb_that_stops_for_a_while_is_waited_for(
    mongo_server: ServerProcess, mongo_url: str, tmp_path: Path
) -> None:
    """Crawls whose MariaDB stops, for a while or for good, are in tests/crawl."""
    if os.environ.get("FOCUSCRAWL_TEST_MONGODB"):
        pytest.skip("a server that the tests did not start is not theirs to stop")
    archive = Archive(
        make_stores(f"{mongo_url}?serverSelectionTimeoutMS=300"),
        tmp_path / "spill",
        batch_size=10,
        batch_age=0.01,
        retry_seconds=120,
    )
    await archive.open()
    results = await asyncio.gather(*(archive.write(article(n)) for n in range(50)))
    await asyncio.to_thread(mongo_server.stop, at_once=False)
    writing = [asyncio.create_task(archive.write(article(n))) for n in range(50, 200)]
    await asyncio.sleep(1.5)
    await asyncio.to_thread(mongo_server.start)
    assert [*results, *await asyncio.gather(*writing)] == [Written(new=1)] * 200
    await archive.close()
    assert archive.spilled == {}
    (store,) = make_stores(mongo_url)
    assert len(await held_by(store)) == 200


async def test_a_crash_between_quotes_and_article_is_mended_by_a_repeat(
    mongo_url: str, monkeypatch: pytest.MonkeyPatch, open_store: StoreOpener
) -> None:
    store = await open_store(mongo_url)
    await store.write([article(1), article(2)])
    changed = article(1, text="neu", quotes=[quote(text_start=n) for n in range(5)])

    class Crash(Exception):
        pass

    def crash(*_: object) -> list[object]:
        raise Crash

    with monkeypatch.context() as broken:
        broken.setattr("focuscrawl.stores.mongo.mongo_store.upserts", crash)
        with pytest.raises(Crash):
            await store.write([changed, article(3)])
    known = await store.known([article(n).url_md5 for n in (1, 2, 3)])
    assert set(known) == {article(1).url_md5, article(2).url_md5}
    half = known[changed.url_md5]
    assert (half.is_complete, half.validators, half.content_md5) == (False, {}, "")
    # Even what was there before is not taken for unchanged.
    assert await store.write([article(1), article(3)]) == Written(new=1, changed=1)
    assert await store.write([article(1), article(2), article(3)]) == Written(unchanged=3)
    assert len(await everything(store.quotes())) == 6
