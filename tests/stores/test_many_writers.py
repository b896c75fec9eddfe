"""Several processes that write the same records to one database at once, as workers of a crawl do."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from collections import Counter
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import pytest

from focuscrawl.items import Article, NumberedArticle, Page, Record, TemplateRecord, check_code
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import (
    NOW,
    article,
    everything,
    numbered,
    page,
    quote,
    template_record,
)

SECONDS = 600
WRITERS, ROUNDS, KEYS, BATCH = 4, 6, 12, 10


class Write(NamedTuple):
    """One written version of a record, and what the store says of it."""

    round: int
    kind: str
    url: str
    version: str
    outcome: str


def records(number: int, version: str, moment: int) -> list[Record]:
    """Return a version of each kind of record; an article has as many quotes as its version says."""
    fields = {"title": version, "fetched_at": NOW.replace(microsecond=moment * 1000)}
    quotes = [quote(entity=f"{version} {n}") for n in range(1 + moment % 5)]
    return [
        article(number, text=version, quotes=quotes, **fields),
        page(number, text=version, **fields),
        numbered(number, **fields),
        template_record(number, region_md5=check_code(version), **fields),
    ]


def _write(url: str, writer: int, barrier: Barrier, results: Queue[object]) -> None:
    try:
        results.put(asyncio.run(_write_all(url, writer, barrier)))
    except BaseException as error:
        barrier.abort()
        results.put(repr(error))


async def _write_all(url: str, writer: int, barrier: Barrier) -> list[Write]:
    chance = random.Random(writer)
    (store,) = make_stores(url)
    barrier.wait(SECONDS)
    # All at once, on a database that does not exist yet.
    await store.open()
    found: list[Write] = []
    for number in range(ROUNDS):
        barrier.wait(SECONDS)
        moment = number * WRITERS + writer
        version = f"{number}.{writer}"
        batch = [
            record
            for key in chance.sample(range(KEYS), BATCH)
            for record in records(key, version, moment)
        ]
        chance.shuffle(batch)
        written = await store.write(batch)
        found += [
            Write(number, type(record).__name__, record.url, version, str(outcome))
            for record, outcome in zip(batch, written.outcomes, strict=True)
        ]
    await store.close()
    return found


def hammer(url: str) -> list[Write]:
    """Let all writers write, and return all that they wrote."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(WRITERS), context.Queue()
    programs = [
        context.Process(target=_write, args=(url, number, barrier, results))
        for number in range(WRITERS)
    ]
    for program in programs:
        program.start()
    found = [results.get(timeout=SECONDS) for _ in programs]
    for program in programs:
        program.join(SECONDS)
    assert [one for one in found if isinstance(one, str)] == []
    return [write for written in found for write in written]


async def stored_versions(store: Database) -> dict[tuple[str, str], str]:
    """Return the version of each stored record by kind and URL; those of an article's quotes agree."""
    found: dict[tuple[str, str], str] = {}
    listed: list[Article | Page | NumberedArticle | TemplateRecord] = [
        *(await everything(store.articles())),
        *(await everything(store.pages())),
        *(await everything(store.numbered())),
        *(await everything(store.template_records())),
    ]
    for record in listed:
        key = type(record).__name__, record.url
        assert key not in found
        found[key] = record.title
        if isinstance(record, Article):
            quotes = record.quotes or []
            number, writer = map(int, record.title.split("."))
            assert record.text == record.title
            assert [one.entity for one in quotes] == [
                f"{record.title} {n}" for n in range(1 + (number * WRITERS + writer) % 5)
            ]
    return found


@pytest.mark.server
@pytest.mark.parametrize("server", ["mysql_url", "mongo_url", "mongo_replica_url"])
async def test_the_same_records_at_once(request: pytest.FixtureRequest, server: str) -> None:
    await check(request.getfixturevalue(server))


async def test_the_same_records_at_once_in_one_file(tmp_path: Path) -> None:
    await check(f"sqlite:///{tmp_path}/store.sqlite")


async def check(url: str) -> None:
    """Let all writers write; fail unless every record is stored once, in a version of the last round."""
    written = await asyncio.to_thread(hammer, url)
    (store,) = make_stores(url)
    await store.open()
    stored = await stored_versions(store)
    assert len(stored) == 4 * KEYS
    outcomes = Counter((write.kind, write.url, write.outcome) for write in written)
    for kind, address in stored:
        mine = [write for write in written if (write.kind, write.url) == (kind, address)]
        last = max(write.round for write in mine)
        assert stored[kind, address] in {write.version for write in mine if write.round == last}
        # Only one writer has the first version, and every other one changes what was there.
        assert outcomes[kind, address, "new"] == 1
        assert outcomes[kind, address, "changed"] == len(mine) - 1
        if kind == "Article" and isinstance(store, SQLStore):
            kept = await store.revisions([check_code(address)])
            assert len(kept) == len(mine) - 1
    await store.close()
