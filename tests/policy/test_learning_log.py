"""Snapshots of the log: when they are written, what they hold, and what they leave of the log."""

from __future__ import annotations

from itertools import pairwise

import pytest

from focuscrawl.policy import learning_log
from focuscrawl.policy.learning_log import Entry, LearningExchange, read_entry, snapshot_of
from tests.policy.shared_workers import MemoryLearningLog


def delta(worker: str, number: int, names: int = 1, pages: int = 1) -> Entry:
    sites = {f"n{n}.test": [pages, 0] for n in range(names)}
    return Entry({worker: number}, {"sites": sites})


def entries(log: MemoryLearningLog) -> list[Entry]:
    return [read_entry(text) for _, text in log.read("", 10**6)]


def test_the_log_stays_as_short_as_what_it_says() -> None:
    log, workers = MemoryLearningLog(), ("a", "b", "c")
    exchanges = [LearningExchange(log, name, short=1_000) for name in workers]
    lengths, snapshots = [], 0
    for number in range(1, 400):
        for name, exchange in zip(workers, exchanges, strict=True):
            found = exchange.round(delta(name, number, 10))
            snapshots += sum(entry.is_snapshot for entry in found)
        lengths.append(len(log))
    assert max(lengths) < 30
    # Every worker has read each of them, and two were never due at once.
    assert snapshots / 3 == pytest.approx(400 * 3 * len(delta("a", 1, 10).text()) / 1_000, rel=0.3)
    total = snapshot_of((str(n), entry) for n, entry in enumerate(entries(log)))
    assert total
    assert total.covers == dict.fromkeys(workers, 399)
    assert total.counts == {"sites": {f"n{n}.test": [399 * 3, 0] for n in range(10)}}


def test_another_worker_writes_the_snapshot_if_one_dies_that_should_have() -> None:
    log = MemoryLearningLog()
    living = LearningExchange(log, "living", short=1_000)
    log.append(delta("dead", 1, 60).text())
    living.round()
    assert len(log) == 1
    for number in range(1, 20):
        living.round(delta("living", number, 10))
        if any(entry.is_snapshot for entry in entries(log)):
            return
    pytest.fail("no snapshot was written")


def test_a_snapshot_keeps_the_names_that_were_learned_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learning_log._MOST, "sites", 2)
    found = [
        Entry({"a": 1}, {"sites": {"x": [1, 1], "y": [2, 0], "z": [3, 0]}, "links": {"": [1, 2]}}),
        Entry({"a": 2}, {"sites": {"x": [1, 0]}}),
    ]
    total = snapshot_of((str(number), entry) for number, entry in enumerate(found, 1))
    assert total == Entry(
        {"a": 2}, {"sites": {"z": [3, 0], "x": [2, 1]}, "links": {"": [1, 2]}}, "2"
    )
    assert total.is_snapshot
    assert found[1].counts == {"sites": {"x": [1, 0]}}
    assert snapshot_of([]) is None


def test_a_delta_that_was_appended_during_a_snapshot_is_not_lost() -> None:
    log = MemoryLearningLog()
    before = [log.append(delta("a", number).text()) for number in (1, 2)]
    snapshot = snapshot_of((id, read_entry(text)) for id, text in log.read("", 10))
    assert snapshot
    assert snapshot.until == before[-1]
    log.append(delta("b", 1).text())
    log.append(snapshot.text())
    log.append(delta("a", 3).text())
    log.trim(snapshot.until)
    total = snapshot_of((str(n), entry) for n, entry in enumerate(entries(log)))
    assert total
    assert total.covers == {"a": 3, "b": 1}
    assert total.counts == {"sites": {"n0.test": [4, 0]}}


def test_the_next_snapshot_is_due_after_as_much_as_the_last_one_holds() -> None:
    log = MemoryLearningLog()
    exchange = LearningExchange(log, "a", short=1_000)
    due = []
    for number in range(1, 200):
        exchange.round(Entry({"a": number}, {"sites": {f"{number}.test": [1, 0]}}))
        if len(log) and entries(log)[-1].is_snapshot:
            due.append(number)
    gaps = [later - earlier for earlier, later in pairwise(due)]
    assert gaps == sorted(gaps)
    assert 2 < len(due) < 10
