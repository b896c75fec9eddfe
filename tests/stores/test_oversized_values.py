"""Values that do not fit into a column, a statement or a document: the other records are stored all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.records.batch_changes import RUNS
from focuscrawl.stores.store_protocol import RefusedRecordsError
from tests.stores import record_examples as examples

KINDS = [
    examples.article,
    examples.page,
    examples.template_record,
    examples.seed,
    examples.own,
    examples.numbered,
    examples.missing_number,
]
# More than MySQL's TEXT holds, and more than a document or a statement of MySQL may have.
LONG, HUGE = "价" * 30_000, "x" * (17 * 2**20)


def oversized(make: Any) -> Iterator[Any]:
    """Yield records in each of which one text, or one text of a part, is long."""
    plain = make(2)
    for name in texts_of(plain):
        yield replace(plain, **{name: LONG})
    for name in {"tags", "page_urls", "missing_urls"} & {entry.name for entry in fields(plain)}:
        yield replace(plain, **{name: [LONG]})
    if make is examples.article:
        for name in texts_of(examples.quote()):
            yield replace(plain, quotes=[examples.quote(**{name: LONG})])


def texts_of(record: Any) -> list[str]:
    return [entry.name for entry in fields(record) if isinstance(getattr(record, entry.name), str)]


async def refused_of(store: Database, batch: list[Any]) -> list[int]:
    """Write a batch, of which all but the record in the middle must be stored; return who is refused."""
    try:
        written, refused = await store.write(batch), {}
    except RefusedRecordsError as error:
        written, refused = error.written, error.refused
    assert written.new + written.failed >= 2
    assert all(reason for reason in map(str, refused.values()))
    return list(refused)


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
async def test_a_text_longer_than_its_column(store: Database, make: Any, kind: str) -> None:
    found = set()
    for number, record in enumerate(oversized(make)):
        others = [make(100 + 2 * number), make(101 + 2 * number)]
        found |= {*await refused_of(store, [others[0], record, others[1]])}
    assert found <= {1}
    if kind == "mysql" and make in (examples.article, examples.own):
        assert found == {1}


@pytest.mark.parametrize(
    "record",
    [
        examples.article(2, stamp=HUGE),
        examples.article(2, quotes=[examples.quote(entity=HUGE)]),
        examples.own(2, item=f'"{HUGE}"'),
        examples.numbered(2, author=HUGE),
    ],
    ids=["article", "quote", "item", "numbered article"],
)
async def test_a_text_larger_than_a_document_or_a_statement(
    store: Database, record: Any, kind: str
) -> None:
    refused = await refused_of(store, [examples.article(1), record, examples.article(3)])
    assert refused in ([], [1])
    if kind == "mysql":
        assert refused == [1]


async def test_a_state_is_stored_under_a_key_of_any_length(store: Database, kind: str) -> None:
    keys = ["k" * 255, "k" * 255 + "a", "k" * 255 + "b", "价" * 3000]
    for key in keys:
        await store.set_state(key, {"key": key})
    assert [await store.get_state(key) for key in keys] == [{"key": key} for key in keys]
    await store.write_run(examples.crawl_run(1, crawl=LONG, reason=LONG))
    runs = [entry.row async for group in store.copies(RUNS) for entry in group]
    assert [row["crawl"] for row in runs] == [LONG[:255]]
    if kind != "sqlite":
        with pytest.raises(RefusedRecordsError, match="huge"):
            await store.set_state("huge", {"text": HUGE})
