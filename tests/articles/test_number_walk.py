"""The numbers requested: by examples, and against a model that requests one after another."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Collection, Mapping

from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.articles.number_walk import NumberWalk, Runs, Settled, WalkRules

FOUND, MISSING, FAILED = "found", "missing", "failed"


class Run:
    """A walk to its end, answers in an order drawn by chance."""

    def __init__(
        self,
        rules: WalkRules,
        existing: Collection[int],
        *,
        held: Collection[int] = (),
        missing: Mapping[int, bool] | None = None,
        failing: Collection[int] = (),
        dice: random.Random | None = None,
        most: int | None = None,
    ) -> None:
        dice = dice or random.Random(1)
        walk = NumberWalk(rules, held, missing)
        self.requested: list[int] = []
        self.settled: list[Settled] = []
        self.found: list[int] = []
        out: list[int] = []
        while not walk.is_done and (most is None or len(self.found) < most):
            while (number := walk.next()) is not None:
                self.requested.append(number)
                out.append(number)
                assert len(out) <= rules.read_ahead
                if dice.random() < 0.3:
                    break
            if not out:
                continue
            number = out.pop(dice.randrange(len(out)))
            if number in failing:
                walk.failed(number)
            elif number in existing:
                self.found.append(number)
                self.settled += walk.found(number)
            else:
                self.settled += walk.missing(number, "404")
        assert most is not None or walk.next() is None
        self.highest = walk.highest
        self.is_end_known = walk.is_end_known
        assert len(self.requested) == len(set(self.requested))


def requests_of_model(
    rules: WalkRules, existing: set[int], held: set[int], missing: Mapping[int, bool]
) -> set[int]:
    """Return the numbers to request: by the definition, one after another."""
    stop = float("inf") if rules.stop is None else rules.stop
    high = max([rules.start - rules.step, *held])
    wanted: set[int] = set()
    number = rules.start
    while True:
        while number <= min(high + rules.stop_after * rules.step, stop):
            if number not in held and missing.get(number, True):
                wanted.add(number)
                if number in existing:
                    high = max(high, number)
            number += rules.step
        last = int(min(high + rules.stop_after * rules.step, stop))
        jumps = [2**power for power in range(rules.reach.bit_length())]
        probes = {last + jump * rules.step for jump in jumps}
        requested = {p for p in probes if p <= stop and p not in held and missing.get(p, True)}
        wanted |= requested
        reached = requested & existing
        if not reached:
            return wanted
        high = max(reached)


@st.composite
def series(draw: st.DrawFn) -> tuple[WalkRules, set[int], set[int], dict[int, bool]]:
    start, step = draw(st.integers(0, 50)), draw(st.integers(1, 3))
    gaps = draw(st.lists(st.integers(1, 40), max_size=40))
    existing, number = set(), start - step
    for gap in gaps:
        number += gap * step
        existing.add(number)
    stop = draw(st.none() | st.integers(start, start + 1000))
    rules = WalkRules(
        start=start,
        stop=stop,
        step=step,
        stop_after=draw(st.integers(1, 30)),
        reach=draw(st.integers(1, 64)),
        read_ahead=draw(st.integers(1, 20)),
    )
    possible = range(start, min(number, stop or number) + 1, step)
    held = {n for n in existing if n in possible and draw(st.booleans())}
    below = max(held, default=start)
    known = [n for n in possible if n < below and n not in held]
    missing = {n: draw(st.booleans()) for n in known if draw(st.booleans())}
    return rules, existing, held, missing


@given(series(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
@example((WalkRules(stop_after=2, reach=4, read_ahead=9), {1, 9}, set(), {}), random.Random(3))
def test_what_is_requested_does_not_depend_on_the_order_of_answers(
    case: tuple[WalkRules, set[int], set[int], dict[int, bool]], dice: random.Random
) -> None:
    rules, existing, held, missing = case
    run = Run(rules, existing, held=held, missing=missing, dice=dice)
    wanted = requests_of_model(rules, existing, held, missing)
    assert set(run.requested) == wanted
    assert sorted(run.found) == sorted(wanted & existing)
    without_article = wanted - existing
    settled = {n for n in without_article if n < run.highest or n in missing}
    assert sorted(n for n, _ in run.settled) == sorted(settled)


@given(series(), st.randoms(use_true_random=False), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_a_run_that_was_cut_short_is_made_whole_by_the_next(
    case: tuple[WalkRules, set[int], set[int], dict[int, bool]], dice: random.Random, most: int
) -> None:
    rules, existing, _, _ = case
    calm = Run(rules, existing, dice=dice)
    cut = Run(rules, existing, dice=dice, most=most)
    recorded = {n: False for n, _ in cut.settled}
    rest = Run(rules, existing, held=cut.found, missing=recorded, dice=dice)
    assert set(calm.found) <= {*cut.found, *rest.found}
    assert not set(cut.found) & set(rest.found)
    assert {*calm.settled} <= {*cut.settled, *rest.settled}


def test_a_longer_gap_is_galloped_over_and_filled_from_where_it_began() -> None:
    existing = {*range(1, 50), *range(900, 1200)}
    run = Run(WalkRules(read_ahead=1), existing)
    assert set(run.found) == existing
    tail, probes = list(range(50, 150)), [149 + 2**power for power in range(13)]
    assert run.requested[49 : 49 + 113] == tail + probes
    assert run.requested[49 + 113 :][:3] == [152, 154, 155]
    assert {n for n, _ in run.settled} == set(range(50, 900))


def test_a_second_run_asks_for_the_new_end_and_what_is_due() -> None:
    existing = {n for n in range(1, 501) if n % 7}
    first = Run(WalkRules(), existing)
    missing = {n: n < 30 for n, _ in first.settled}
    assert set(missing) == {n for n in range(1, 500) if n % 7 == 0}
    grown = existing | {510, 14}
    second = Run(WalkRules(), grown, held=first.found, missing=missing)
    assert second.found == [14, 510]
    assert {n for n in second.requested if n <= 500} == {7, 14, 21, 28}
    assert second.requested[:4] == [7, 14, 21, 28]
    # A retry that still finds nothing is told; so are the numbers below the new end.
    assert {n for n, _ in second.settled} == {7, 21, 28, *range(501, 510)}


def test_stop_and_step_bound_all_that_is_requested() -> None:
    """A series without any article ends as well."""
    run = Run(WalkRules(start=10, stop=31, step=10, stop_after=100), {10, 11, 20, 40})
    assert run.requested == [10, 20, 30]
    run = Run(WalkRules(start=1, stop=900, stop_after=0), {1, 800})
    assert run.requested == list(range(1, 901))
    run = Run(WalkRules(start=80000, stop_after=3, reach=2), set())
    assert run.requested == [80000, 80001, 80002, 80003, 80004]


def test_what_failed_is_neither_found_nor_settled() -> None:
    run = Run(WalkRules(stop_after=3, reach=1), {1, 2, 3, 5}, failing={2, 7})
    assert set(run.requested) == set(range(1, 10))
    assert run.found == [1, 3, 5]
    assert [n for n, _ in run.settled] == [4]
    assert not run.is_end_known
    assert Run(WalkRules(stop_after=3, reach=1), {1, 2, 3, 5}, failing={2}).is_end_known
    # Also where nothing but failures is beyond the last, the walk ends.
    run = Run(WalkRules(stop_after=3, reach=1), {1}, failing=range(2, 99))
    assert run.requested == [1, 2, 3, 4, 5]


def test_known_numbers_take_little_memory() -> None:
    held = [n for n in range(400_000) if n % 50 > 9]
    missing = {n: False for n in range(400_000) if n % 50 <= 9}
    tracemalloc.start()
    walk = NumberWalk(WalkRules(start=0), held, missing)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 2_000_000
    assert walk.next() == 400_000


@given(st.sets(st.integers(0, 200)), st.integers(-5, 205))
def test_runs_are_sets(numbers: set[int], number: int) -> None:
    runs = Runs(numbers)
    assert (number in runs) == (number in numbers)
    assert bool(runs) == bool(numbers)
    after = next(n for n in range(number, 300) if n not in numbers)
    assert runs.after(number) == after
    assert not numbers or (runs.first, runs.last) == (min(numbers), max(numbers))
    assert not numbers or runs.amid in numbers
    samples = NumberWalk(WalkRules(), numbers).samples
    assert bool(samples) == bool(numbers)
    assert len(set(samples)) == len(samples)
    assert set(samples) <= numbers
