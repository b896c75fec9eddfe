"""Leases that are fetched ahead: order, number, pauses."""

from __future__ import annotations

import pytest

from focuscrawl.frontier import Lease
from focuscrawl.workers.prefetched_leases import PrefetchedLeases

NOW = 1000.0


def lease(seq: int, score: float = 0.0, host: str = "a.test") -> Lease:
    return Lease(seq, f"http://{host}/{seq}", host, score, {}, seq)


def seqs(leases: list[Lease]) -> list[int]:
    return [one.seq for one in leases]


def test_the_best_is_first_and_of_equals_the_first_to_arrive() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(3, 1), lease(1, 1)], None, NOW)
    store.add([lease(2, 5)], None, NOW)
    assert store.best_score(NOW) == 5
    assert seqs(store.take(2, NOW)) == [2, 1]
    assert seqs(store.take(2, NOW)) == [3]
    assert store.best_score(NOW) is None


def test_one_is_wanted_while_a_better_url_waits() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1, 1)], 1.0, NOW)
    assert store.wanted(NOW, 0.1) == 0
    assert store.add([], 2.0, NOW) == []
    assert store.wanted(NOW, 0.1) == 1
    store.add([lease(2, 2)], 1.0, NOW)
    assert seqs(store.take(5, NOW)) == [2, 1]


def test_of_too_many_the_worst_are_released() -> None:
    store = PrefetchedLeases(2)
    assert store.add([lease(n, n) for n in range(1, 7)], 9.0, NOW) == []
    assert seqs(store.add([lease(7, 7), lease(8, 8)], 9.0, NOW)) == [2, 1]
    assert len(store) == 6


def test_leases_that_others_have_are_forgotten() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1), lease(2)], None, NOW)
    store.forget([lease(1)])
    assert seqs(store.take(2, NOW)) == [2]


def test_as_many_are_wanted_as_are_sent_in_two_fetches_and_one_more() -> None:
    store = PrefetchedLeases(4)
    assert store.wanted(NOW, 0.5) == 1
    store.add([lease(n) for n in range(3)], None, NOW)
    assert store.wanted(NOW, 0.5) == 0
    store.take(3, NOW)
    assert store.wanted(NOW + 0.9, 0.5) == 4
    assert store.wanted(NOW + 1.1, 0.5) == 1
    store.add([lease(n) for n in range(20)], None, NOW)
    store.take(20, NOW)
    assert store.wanted(NOW, 0.5) == 8


def test_one_by_one_a_lease_is_wanted_only_on_request() -> None:
    store = PrefetchedLeases(1)
    assert store.wanted(NOW, 1) == 0
    assert store.take(1, NOW) == []
    assert store.wanted(NOW, 1) == 1
    store.add([lease(1)], None, NOW)
    assert store.wanted(NOW, 1) == 0
    assert seqs(store.take(1, NOW)) == [1]
    assert store.wanted(NOW, 1) == 0


def test_during_a_short_pause_a_lease_is_kept_and_does_not_count() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1, 9), lease(2, 1, "b.test")], None, NOW)
    assert store.pause("a.test", NOW + 2, NOW) == []
    assert store.pause("a.test", NOW + 1, NOW) == []
    assert store.next_due(NOW) == NOW + 2
    assert seqs(store.take(2, NOW)) == [2]
    assert store.wanted(NOW, 0) == 1
    assert seqs(store.take(2, NOW + 2)) == [1]


@pytest.mark.parametrize("is_late", [False, True])
def test_for_a_long_pause_a_lease_is_released(*, is_late: bool) -> None:
    store = PrefetchedLeases(16)
    leases = [lease(1), lease(2, host="b.test")]
    released = [] if is_late else store.add(leases, None, NOW)
    released += store.pause("a.test", NOW + 600, NOW)
    # The server gave it away before it knew of the pause.
    released += store.add(leases, None, NOW) if is_late else []
    assert seqs(released) == [1]
    assert seqs(store.take(2, NOW)) == [2]


def test_leases_of_a_host_can_be_removed() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1), lease(2, host="b.test"), lease(3)], None, NOW)
    assert seqs(store.remove_host("a.test")) == [1, 3]
    assert seqs(store.clear()) == [2]
    assert len(store) == 0
