"""The frontier in a file and the model, driven through the same random steps."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from focuscrawl.frontier import (
    DONE,
    Ack,
    Candidate,
    Lease,
    SqliteFrontier,
    UpdateRule,
    dropped,
    failed,
)
from focuscrawl.frontier.seen_url_caches import ClockCache
from tests.frontier.brute_force_frontier import LEASED, WAITING, Model
from tests.frontier.frontier_runs import kill

HOSTS = "abcd"
KEYS = st.integers(0, 40)
SCORES = st.sampled_from([0.0, 0.0, 1.0, 1.0005, -2.5, 7.0]) | st.floats(-9, 9)
TIMES = st.integers(0, 60).map(float)
OUTCOMES = st.sampled_from([DONE, failed("404"), dropped("steps")])


def candidate(key: int, score: float, label: int, not_before: float | None) -> Candidate:
    host = HOSTS[key % len(HOSTS)]
    return Candidate(key, f"http://{host}/{key}", host, score, {"n": label}, not_before)


LINKS = st.lists(
    st.builds(candidate, KEYS, SCORES, st.integers(0, 99), st.none() | st.none() | TIMES),
    max_size=9,
)


class Machine(RuleBasedStateMachine):
    """Does everything twice and compares: the stored frontier is one in a file."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stored: Any = None
        self.now = 0.0
        self.out: list[Lease] = []

    @initialize(
        how=st.sampled_from(UpdateRule), slots=st.integers(1, 3), window=st.integers(1, 4),
        budget=st.integers(1, 12), cache=st.integers(1, 9),
    )  # fmt: skip
    def begin(self, how: UpdateRule, slots: int, window: int, budget: int, cache: int) -> None:
        self.options: dict[str, Any] = {"rule": how, "slots": slots}
        self.limits = {"window": window, "budget": budget}
        self.cache_size = cache
        self.model = Model(how, slots)
        self.open()

    def open(self) -> None:
        """Begin a run of the stored frontier."""
        cache = ClockCache(self.cache_size)
        self.stored = SqliteFrontier(
            self.folder / "frontier", **self.options, **self.limits, cache=cache
        )

    def kill(self) -> None:
        """Let the run of the stored frontier die."""
        kill(self.stored)

    def do(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Do something with both; return what both return."""
        expected = getattr(self.model, name)(*arguments, **options)
        assert getattr(self.stored, name)(*arguments, **options) == expected
        return expected

    def some_out(self, numbers: Sequence[int]) -> list[Lease]:
        """Take some of the leases that are out."""
        return [self.out.pop(number % len(self.out)) for number in numbers if self.out]

    @rule(links=LINKS, count=st.integers(0, 6))
    def push_and_lease(self, links: list[Candidate], count: int) -> None:
        self.do("push", links)
        self.lease(count)

    @rule(count=st.integers(1, 6))
    def lease(self, count: int) -> None:
        self.out += self.do("lease", count, self.now)

    @rule(ends=st.lists(st.tuples(st.integers(0, 20), LINKS, OUTCOMES), max_size=3))
    def ack(self, ends: list[tuple[int, list[Candidate], Any]]) -> None:
        leases = self.some_out([number for number, _, _ in ends])
        acks = [Ack(lease, end[1], end[2]) for lease, end in zip(leases, ends, strict=False)]
        self.do("ack_many", acks)

    @rule(number=st.integers(0, 20), links=LINKS)
    def find_links(self, number: int, links: list[Candidate]) -> None:
        for lease in self.out[number : number + 1]:
            self.do("found", lease, links)

    @rule(number=st.integers(0, 20), links=LINKS)
    def find_the_same_links_again_after_a_kill(self, number: int, links: list[Candidate]) -> None:
        self.find_links(number, links)
        self.end_run(True)
        self.lease(1)
        self.find_links(0, links)

    @rule(number=st.integers(0, 20), wait=TIMES)
    def retry(self, number: int, wait: float) -> None:
        for lease in self.some_out([number]):
            self.do("retry", lease, self.now + wait)

    @rule(number=st.integers(0, 20))
    def free_slot(self, number: int) -> None:
        for lease in self.out[number : number + 1]:
            self.do("free_slot", lease)

    @rule(number=st.integers(0, 20), waits=st.booleans())
    def process(self, number: int, waits: bool) -> None:
        for lease in self.out[number : number + 1]:
            self.do("process", lease, waits=waits)

    @rule(number=st.integers(0, 20))
    def mark_silent(self, number: int) -> None:
        for lease in self.out[number : number + 1]:
            self.do("mark_silent", lease)

    @rule()
    def kill_in_the_midst_of_the_first(self) -> None:
        self.process(0, False)
        self.end_run(True)
        self.lease(1)

    @rule(number=st.integers(0, 20))
    def release(self, number: int) -> None:
        for lease in self.some_out([number]):
            self.do("release", lease)

    @rule(
        change=st.one_of(
            st.tuples(st.just("drop"), st.lists(KEYS, max_size=4), st.just("by key")),
            st.tuples(st.just("drop_host"), st.sampled_from(HOSTS), st.just("blacklist")),
            st.tuples(st.just("rescore"), st.dictionaries(KEYS, SCORES, max_size=9)),
            st.tuples(st.just("limit_delays"), TIMES),
            st.tuples(st.just("set_slots"), st.sampled_from(HOSTS), st.none() | st.integers(0, 4)),
        )
    )
    def change(self, change: tuple[Any, ...]) -> None:
        self.do(*change)

    @rule(host=st.sampled_from(HOSTS), wait=TIMES)
    def pause(self, host: str, wait: float) -> None:
        self.do("pause", host, self.now + wait)

    @rule(wait=TIMES)
    def let_time_pass(self, wait: float) -> None:
        self.now += wait

    @rule(is_kill=st.booleans())
    def end_run(self, is_kill: bool) -> None:
        assert self.stored
        if is_kill:
            self.kill()
        else:
            self.stored.close()
        self.model.begin_run(lost=is_kill)
        self.open()
        assert self.stored.recovered == (len(self.out) if is_kill else 0)
        assert self.stored.fatal_urls == self.model.fatal_urls
        self.out = []

    @invariant()
    def everybody_agrees(self) -> None:
        if self.stored is None:
            return
        waiting, counts = self.model.waiting(), self.stored.counts()
        assert self.stored.waiting == len(waiting)
        assert self.stored.leased == len(self.out)
        assert {name: n for name, n in counts.hosts.items() if any(n)} == self.model.hosts()
        assert list(self.stored.each_waiting()) == waiting
        for host in HOSTS:
            of_host = [entry for entry in waiting if entry.host == host]
            assert list(self.stored.each_waiting(host)) == of_host
        assert list(self.stored.each_ended()) == self.model.ended()
        urls = self.model.urls
        ends = Counter(url.outcome for url in urls.values() if url.outcome not in (WAITING, LEASED))
        assert counts.outcomes == ends
        states = {key: url.outcome.state for key, url in urls.items()}
        assert self.stored.known(range(41)) == states
        for key, url in urls.items():
            found = self.stored.explain(key)
            facts = found.outcome, found.payload, found.tries, found.lost
            assert facts == (url.outcome, url.payload, url.tries, url.lost)

    @invariant()
    def the_best_is_known(self) -> None:
        if self.stored is not None:
            self.do("best_score", self.now)

    @invariant()
    def nobody_sleeps_too_long(self) -> None:
        if self.stored is None:
            return
        due, found = self.model.next_due(self.now), self.stored.next_due(self.now)
        if due == self.now or found == self.now:
            assert due == found
        elif due is not None:
            assert found is not None
            assert self.now < found <= due

    def teardown(self) -> None:
        if self.stored:
            self.kill()
        shutil.rmtree(self.folder)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=50, stateful_step_count=50, deadline=None)
TestMachine.pytestmark = [pytest.mark.slow]
