"""The parts of a crawl that use its stores at the same time: each pair, with each of the two slowed down.

A part cannot wait for one that begins only after its own end: batches are written before items are
exported and before the workbook is rendered, and the feeds are stored after that.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from focuscrawl.stores.records.batch_changes import RUNS, STATES
from focuscrawl.stores.store_urls import make_stores
from tests.crawl.conftest import Crawler, Finished
from tests.stores.record_examples import everything, price_decision

PAIRS = [
    ("recorder", "workbook"),
    ("recorder", "flusher"),
    ("recorder", "exporter"),
    ("recorder", "signal"),
    ("workbook", "recorder"),
    ("workbook", "signal"),
    ("flusher", "recorder"),
    ("flusher", "signal"),
    ("exporter", "recorder"),
    ("exporter", "signal"),
    ("signal", "recorder"),
    ("signal", "workbook"),
    ("signal", "flusher"),
    ("signal", "exporter"),
]


# Those that end the run in another way, or at another time.
OFTEN = {
    ("recorder", "signal"),
    ("workbook", "recorder"),
    ("exporter", "signal"),
    ("signal", "flusher"),
}


@pytest.mark.parametrize(
    ("held", "until"),
    [pytest.param(*pair, marks=[] if pair in OFTEN else pytest.mark.exhaustive) for pair in PAIRS],
)
def test_on_sqlite(crawl: Crawler, held: str, until: str) -> None:
    check(crawl, f"sqlite:///{crawl.database}", held, until)


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_both_signals_while_the_workbook_is_rendered(crawl: Crawler, number: str) -> None:
    check(crawl, f"sqlite:///{crawl.database}", "workbook", "signal", number)


@pytest.mark.parametrize(
    ("server", "held", "until"),
    [("mysql_url", "workbook", "recorder"), ("mongo_url", "recorder", "workbook")],
)
def test_on_a_server(
    crawl: Crawler, request: pytest.FixtureRequest, server: str, held: str, until: str
) -> None:
    check(crawl, request.getfixturevalue(server), held, until)


def check(crawl: Crawler, url: str, held: str, until: str, number: str = "SIGTERM") -> None:
    """Crawl a store with a verdict; all articles, the run and what the workbook shows are in it."""
    asyncio.run(decide(url))
    book, feed = crawl.folder / "book.xlsx", crawl.folder / "feed.jsonl"
    crawl.spider = "slow_parts"
    run = crawl(
        "-s", "SPIDER_MODULES=tests.crawl.slow_parts", "-s", f"FOCUSCRAWL_STORES={url},excel:///{book}",
        "-a", f"held={held}", "-a", f"until={until}", "-a", f"number={number}", "-O", str(feed),
    )  # fmt: skip
    assert run.code in ({0, 130} if "signal" in (held, until) else {0}), run.out + run.err
    asyncio.run(check_store(url, book, run))
    assert len(feed.read_text().splitlines()) == 3
    assert sorted(path.name for path in crawl.folder.glob("*book*")) == ["book.xlsx"]
    assert not list(crawl.folder.glob("data/spill/*.jsonl"))


async def decide(url: str) -> None:
    (store,) = make_stores(url)
    await store.open()
    await store.write([price_decision()])
    await store.close()


async def check_store(url: str, book: Any, run: Finished) -> None:
    (store,) = make_stores(url)
    await store.open()
    try:
        assert len(await everything(store.summaries())) == 3
        (row,) = [entry.row async for group in store.copies(RUNS) for entry in group]
        states = [entry.key async for group in store.copies(STATES) for entry in group]
    finally:
        await store.close()
    assert (row["exit_code"], row["ended_at"] is None) == (run.code, False), run.out + run.err
    assert [key for key in states if key.startswith("verdicts ")], run.out + run.err
    assert "not recorded" not in run.err
