from __future__ import annotations

from focuscrawl.lab.workers.work_division import Division, all_divisions


def test_divisions_are_all_combinations_and_one_worker_exchanges_nothing() -> None:
    found = all_divisions((1, 4), (1, 16), (10, 100), (1.0,), ["learner"])
    learner = frozenset({"learner"})
    assert found == [
        Division(),
        Division(4, 1, 10, 1.0, learner),
        Division(4, 1, 100, 1.0, learner),
        Division(requests=16),
        Division(4, 4, 10, 1.0, learner),
        Division(4, 4, 100, 1.0, learner),
    ]
    assert str(found[2]) == "4 workers, every 100, margin 1, learner"
    assert str(found[3]) == "1 worker"


def test_every_worker_has_a_request() -> None:
    assert all_divisions((16,), (4,), (0,), (0.0,), [])[0].requests == 1
