"""What the SQLite frontier keeps in memory: little, and no less than it must."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier import SqliteFrontier
from focuscrawl.frontier.host_queue import HostWindow, Place, place
from focuscrawl.frontier.host_selection import Agenda
from focuscrawl.frontier.seen_url_caches import ClockCache
from tests.frontier.frontier_runs import link, take_all, urls

STEPS = st.lists(st.tuples(st.sampled_from("ooood"), st.integers(-3, 3), st.integers(1, 4)))


@given(STEPS)
def test_a_window_is_the_first_of_all(steps: list[tuple[str, int, int]]) -> None:
    window = HostWindow(1, "a", 1, more=False)
    everything: list[Place] = []
    for seq, (step, score, size) in enumerate(steps):
        if step == "o":
            entry = place(score, seq)
            everything.append(entry)
            window.offer(entry, size)
        elif everything:
            entry = everything.pop(score % len(everything))
            window.discard(entry)
        assert window.best == sorted(everything)[: len(window.best)]
        assert window.more or len(window.best) == len(everything)


def windows_of(agenda: Agenda) -> list[HostWindow]:
    return list(agenda._hosts.values())


def test_windows_together_stay_in_their_budget() -> None:
    queues: dict[int, list[Place]] = {}
    agenda = Agenda(lambda host, count: sorted(queues[host])[:count], 1, size=32, budget=2000)
    dice = random.Random(1)
    for number in range(40):
        agenda.add_host(number, f"{number}", None, more=False)
        queues[number] = [place(dice.random(), number * 1000 + seq) for seq in range(100)]
        for entry in queues[number]:
            agenda.offer(number, entry)
    assert sum(len(host.best) for host in windows_of(agenda)) == 40 * 32
    for number in range(40, 3000):
        agenda.add_host(number, f"{number}", None, more=False)
        queues[number] = [place(dice.random(), number * 1000 + seq) for seq in range(2)]
        for entry in queues[number]:
            agenda.offer(number, entry)
        assert sum(len(host.best) for host in windows_of(agenda)) <= max(2000, number + 1)
    every = sorted(entry for queue in queues.values() for entry in queue)
    for expected in every[:2000]:
        taken = agenda.take(0)
        assert taken is not None
        host, entry = taken
        assert entry == expected
        queues[host].remove(entry)
        agenda.end(host, entry[1])
        assert sum(len(host.best) for host in windows_of(agenda)) <= 3000
        assert len(agenda._ready) <= 4 * 3000 + 1000


def test_hosts_are_forgotten_and_windows_grow_again() -> None:
    agenda = Agenda(lambda host, count: [], 1, size=8, budget=64)
    for number in range(64):
        agenda.add_host(number, f"{number}", None, more=False)
        agenda.offer(number, place(0, number))
    assert agenda._size == 1
    for number in range(64):
        taken = agenda.take(0)
        assert taken is not None
        assert taken[0] == number
        agenda.end(number, number)
        assert number not in agenda
    assert windows_of(agenda) == []
    assert agenda._size == 8


def test_hosts_without_waiting_urls_take_no_memory(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f")
    frontier.push([link(1, number, f"host{number}.example") for number in range(3000)])
    assert len(take_all(frontier)) == 3000
    frontier.push([link(2, 1.0, "host7.example"), link(1, 1.0, "host8.example")])
    assert [host.name for host in windows_of(frontier._agenda)] == ["host7.example"]
    frontier.close()


def test_what_the_cache_knows_is_not_looked_up(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f", cache=ClockCache(10))
    frontier.push([link(number, 5) for number in range(10)])
    statements: list[str] = []
    frontier._connection.set_trace_callback(statements.append)
    assert frontier.push([link(number, 5) for number in range(10)]).known == 10
    assert frontier.push([link(3, 4), link(3, 5), link(7, -1)]).known == 3
    assert statements == []
    assert (frontier.cache.hits, frontier.cache.misses) == (13, 10)
    assert frontier.push([link(3, 6)]).raised == 1
    assert len(statements) > 0
    (lease,) = frontier.lease(1, 0)
    frontier.ack(lease)
    statements.clear()
    assert urls([lease]) == [link(3).url]
    assert frontier.push([link(3, 99)]).known == 1
    assert statements == []
    frontier.close()
