"""Hosts that have not answered yet: few at a time, those that failed last, and none forgotten."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from focuscrawl.frontier import Candidate, Lease, SqliteFrontier
from focuscrawl.scheduling.host_trials import HostTrials

MOST = 2
# A file has no host.
HOSTS = ("", *"abcdefg")


class Slots:
    """Hosts that have a URL each, best first; ``slots`` are those that were set."""

    is_busy = False

    def __init__(self, hosts: str) -> None:
        self.urls = {host: -place for place, host in enumerate(hosts)}
        self.slots: dict[str, int | None] = {}

    def best_host(self, now: float) -> tuple[str, float] | None:
        return next((pair for pair in self.urls.items() if self.slots.get(pair[0]) != 0), None)

    def set_slots(self, host: str, slots: int | None) -> None:
        self.slots[host] = slots


@pytest.fixture
def trials_of() -> Callable[..., tuple[HostTrials, Callable[[], list[str]]]]:
    def make(hosts: str, *, most: int = 1) -> Any:
        slots = Slots(hosts)
        trials = HostTrials(slots, most, {"own": 7})

        def send() -> list[str]:
            """Send all URLs that may be sent; return their hosts."""
            sent = []
            while trials.choose(0.0) and (best := slots.best_host(0.0)):
                del slots.urls[best[0]]
                trials.begin(best[0], ord(best[0][0]), float(len(sent)))
                sent.append(best[0])
            return sent

        return trials, slots, send

    return make


def test_hosts_that_have_answered_are_not_limited(trials_of: Any) -> None:
    trials, slots, send = trials_of("abc")
    assert send() == ["a"]
    assert trials.answer("a")
    assert not trials.answer("a")
    assert send() == ["b"]
    slots.urls = {"c": 5, "a": 1}
    assert send() == ["a"]
    assert slots.slots == {"a": None, "b": 1, "c": 0}


def test_own_slots_count_once_a_host_has_answered(trials_of: Any) -> None:
    trials, slots, _ = trials_of("")
    trials.limit("late", 1)
    assert slots.slots == {}
    for host in ("own", "late"):
        trials.answer(host)
    trials.limit("own", 2)
    assert slots.slots == {"own": 2, "late": 1}


def test_a_host_that_stops_answering_gets_one_page_at_a_time(trials_of: Any) -> None:
    trials, slots, send = trials_of("ab")
    trials.doubt("a")
    assert slots.slots == {}
    trials.answer("a")
    trials.doubt("a")
    assert (slots.slots, trials.has_answered("a"), trials.failures("a")) == ({"a": 1}, False, 1)
    assert send() == ["a", "b"]
    slots.urls["a"] = 1
    assert send() == []
    trials.end("a", ord("a"))
    assert trials.failures("a") == 2
    assert send() == ["a"]


def test_held_hosts_are_opened_best_first(trials_of: Any) -> None:
    trials, _, send = trials_of("abc")
    assert send() == ["a"]
    trials.end("a", 99)
    assert send() == []
    trials.end("a", ord("a"))
    assert send() == ["b"]
    trials.answer("b")
    assert send() == ["c"]


def test_hosts_that_failed_wait_for_new_ones(trials_of: Any) -> None:
    trials, slots, send = trials_of("fno")
    assert send() == ["f"]
    trials.end("f", ord("f"))
    assert trials.failures("f") == 1
    slots.urls = {"f": 9, **slots.urls}
    assert send() == ["n"]
    trials.answer("n")
    assert send() == ["o", "f"]


def test_one_host_that_failed_is_tried_at_a_time_while_another_has_a_page(trials_of: Any) -> None:
    trials, slots, send = trials_of("abcd", most=9)
    assert send() == [*"abcd"]
    for host in "abc":
        trials.end(host, ord(host))
    trials.answer("d")
    slots.urls = {**dict.fromkeys("abc", 2), "d": 1}
    assert send() == ["a", "d", "b", "c"]


def test_pages_of_hosts_that_are_silent_for_long_are_named(trials_of: Any) -> None:
    trials, _, send = trials_of("abc", most=3)
    assert send() == [*"abc"]
    trials.answer("b")
    assert trials.since(1.5) == [ord("a")]
    assert trials.since(2.0) == [ord("a"), ord("c")]


class Machine(RuleBasedStateMachine):
    """Sends pages of a frontier at random: one that may be sent is sent, now or when a trial ends."""

    @initialize(slots=st.integers(1, 3))
    def begin(self, slots: int) -> None:
        path = Path(tempfile.mkdtemp()) / "frontier"
        self.frontier = SqliteFrontier(path, slots=slots, window=2, budget=8)
        self.trials = HostTrials(self, MOST, {"a": 2})
        self.is_busy = False
        self.closed: set[str] = set()
        self.out: list[Lease] = []
        self.doubted: set[int] = set()
        self.keys = 0
        self.now = 0.0

    def best_host(self, now: float) -> tuple[str, float] | None:
        return self.frontier.best_host(now)

    def set_slots(self, host: str, slots: int | None) -> None:
        self.frontier.set_slots(host, slots)
        (self.closed.add if slots == 0 else self.closed.discard)(host)

    @rule(hosts=st.lists(st.sampled_from(HOSTS), max_size=9), score=st.integers(0, 5))
    def push(self, hosts: list[str], score: int) -> None:
        for host in hosts:
            self.keys += 1
            self.frontier.push([Candidate(self.keys, f"x:{self.keys}", host, score, {})])

    @rule(count=st.integers(1, 6))
    def send(self, count: int) -> None:
        for _ in range(count):
            if not self.trials.choose(self.now) or not (leases := self.frontier.lease(1, self.now)):
                break
            self.trials.begin(leases[0].host, leases[0].seq, self.now)
            self.out += leases

    @rule(number=st.integers(0, 9))
    def answer(self, number: int) -> None:
        for lease in self.out[number : number + 1]:
            self.trials.answer(lease.host)
            self.frontier.free_slot(lease)

    @rule(number=st.integers(0, 9), how=st.sampled_from(["ack", "release", "retry", "pause"]))
    def end(self, number: int, how: str) -> None:
        for lease in self.out[number : number + 1]:
            self.out.remove(lease)
            self.trials.end(lease.host, lease.seq)
            if how == "pause":
                self.frontier.pause(lease.host, self.now + 5)
                how = "release"
            getattr(self.frontier, how)(lease, *([self.now + 3] if how == "retry" else ()))

    @rule(host=st.sampled_from(HOSTS), how=st.sampled_from(["limit", "drop", "answer", "doubt"]))
    def change(self, host: str, how: str) -> None:
        if how == "limit":
            self.trials.limit(host, 1)
        elif how == "drop":
            self.frontier.drop_host(host, "unwanted")
        elif how == "doubt":
            # What is in flight to it stays there.
            self.doubted |= {lease.seq for lease in self.out if lease.host == host}
            self.trials.doubt(host)
        else:
            # Of a robots.txt for another host, for example.
            self.trials.answer(host)

    @rule(seconds=st.integers(1, 6))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def silent_hosts_are_few(self) -> None:
        new = [lease for lease in self.out if lease.seq not in self.doubted]
        silent = {lease.host for lease in new if not self.trials.has_answered(lease.host)}
        failed = sum(self.trials.failures(host) > 0 for host in silent)
        assert failed <= MOST
        assert len(silent) - failed <= MOST

    def teardown(self) -> None:
        """Let all pages end: then every URL that waits is sent sooner or later."""
        while self.out:
            self.end(0, "ack")
        while self.frontier.waiting:
            before = self.frontier.waiting
            self.now += 6
            self.send(1)
            assert self.frontier.waiting < before
            self.end(0, "ack")
        self.trials.choose(self.now)
        assert not self.closed
        self.frontier.close()


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestRandomTrials = Machine.TestCase
