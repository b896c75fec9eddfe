"""Division of shards by workers that plan alone: fair, stable, with the fewest moves, from any state."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.workers.shard_ownership import ShardPlan, plan_shards

Owners = dict[int, str | None]

NAMES = "abcdefgh"
DEAD = "xyz"
LIVING = st.sets(st.sampled_from(NAMES), min_size=1)
STATES = st.lists(st.none() | st.sampled_from(NAMES + DEAD), min_size=1, max_size=40)
LOADS = st.dictionaries(st.integers(0, 39), st.integers(0, 9))


def owners_of(state: list[str | None], workers: set[str], *, dead: str = DEAD) -> Owners:
    """Return the owners by shard; all of them are workers, or among the dead."""
    known = workers.union(dead)
    return {shard: owner if owner in known else None for shard, owner in enumerate(state)}


def plans_of(
    owners: Owners, workers: set[str], loads: dict[int, int] | None = None
) -> dict[str, ShardPlan]:
    return {worker: plan_shards(worker, owners, workers, loads) for worker in workers}


def applied(owners: Owners, plans: dict[str, ShardPlan]) -> Owners:
    """Return the owners after the claims and releases of all; of two claims the first counts."""
    after = dict(owners)
    for worker, plan in plans.items():
        for shard in plan.claim:
            after[shard] = worker if after[shard] is None else after[shard]
        for shard in plan.release:
            assert after[shard] == worker
            after[shard] = None
    return after


def settled(owners: Owners, workers: set[str]) -> Owners:
    """Return the owners after two rounds: what is released in the first is claimed in the second."""
    for _ in range(2):
        owners = applied(owners, plans_of(owners, workers))
    return owners


def sizes(owners: Owners, workers: set[str]) -> list[int]:
    held = Counter(owners.values())
    return sorted(held[worker] for worker in workers)


def fair_sizes(shards: int, workers: set[str]) -> list[int]:
    share, rest = divmod(shards, len(workers))
    return sorted(share + (number < rest) for number in range(len(workers)))


def moves(before: Owners, after: Owners, workers: set[str]) -> int:
    """Return the number of shards that living workers have given away."""
    return sum(owner in workers and after[shard] != owner for shard, owner in before.items())


def fewest_moves(owners: Owners, workers: set[str]) -> int:
    """Return the fewest moves to fair shares, of all choices of those who get one more."""
    held = Counter(owners.values())
    share, rest = divmod(len(owners), len(workers))
    return min(
        sum(max(0, held[worker] - share - (worker in larger)) for worker in workers)
        for larger in combinations(sorted(workers), rest)
    )


@given(STATES, LIVING, LOADS)
def test_a_plan_has_free_shards_to_claim_and_own_ones_to_release(
    state: list[str | None], workers: set[str], loads: dict[int, int]
) -> None:
    owners = owners_of(state, workers)
    for worker, plan in plans_of(owners, workers, loads).items():
        assert {owners[shard] for shard in plan.claim} <= {None}
        assert {owners[shard] for shard in plan.release} <= {worker}
        assert len(set(plan.claim)) == len(plan.claim)
        assert len(set(plan.release)) == len(plan.release)
        assert not (plan.claim and plan.release)


@given(STATES, LIVING, LOADS)
def test_every_free_shard_is_claimed_by_exactly_one_worker(
    state: list[str | None], workers: set[str], loads: dict[int, int]
) -> None:
    owners = owners_of(state, workers)
    claims = [shard for plan in plans_of(owners, workers, loads).values() for shard in plan.claim]
    assert sorted(claims) == [shard for shard, owner in owners.items() if owner is None]


@given(STATES, LIVING)
def test_shares_are_fair_after_two_rounds_and_stay(
    state: list[str | None], workers: set[str]
) -> None:
    owners = settled(owners_of(state, workers, dead=""), workers)
    assert sizes(owners, workers) == fair_sizes(len(state), workers)
    assert all(plan == ShardPlan([], []) for plan in plans_of(owners, workers).values())


@given(STATES, LIVING)
def test_no_shard_moves_that_need_not(state: list[str | None], workers: set[str]) -> None:
    """Not even if the leases of the dead end only after the others have planned."""
    owners = owners_of(state, workers)
    later = settled(owners, workers)
    freed = {shard: owner if owner in workers else None for shard, owner in later.items()}
    after = settled(freed, workers)
    assert sizes(after, workers) == fair_sizes(len(state), workers)
    assert moves(owners, after, workers) == fewest_moves(owners, workers)


@given(st.integers(1, 300), st.integers(2, 20))
def test_a_worker_that_leaves_costs_its_shards(shards: int, count: int) -> None:
    workers = {f"worker{number}" for number in range(count)}
    before = settled(dict.fromkeys(range(shards)), workers)
    others = workers - {"worker1"}
    plan = plan_shards("worker1", before, others)
    assert plan.claim == []
    assert sorted(plan.release) == [shard for shard in before if before[shard] == "worker1"]
    after = settled(applied(before, {"worker1": plan}), others)
    assert sizes(after, others) == fair_sizes(shards, others)
    assert moves(before, after, others) == 0


@settings(max_examples=50)
@given(STATES, LIVING, st.data())
def test_what_some_have_read_too_early_is_put_right(
    state: list[str | None], workers: set[str], data: st.DataObject
) -> None:
    """In five rounds anyone may have missed anything but its own shards; two later all is fair."""
    seen = [owners_of(state, workers)]
    for _ in range(5):
        plans = {}
        for worker in workers:
            old = data.draw(st.sampled_from(seen))
            view = {
                shard: worker if owner == worker else old[shard] if old[shard] != worker else None
                for shard, owner in seen[-1].items()
            }
            among = data.draw(st.sets(st.sampled_from(sorted(workers)))) | {worker}
            plans[worker] = plan_shards(worker, view, among)
        seen.append(applied(seen[-1], plans))
    freed = {shard: owner if owner in workers else None for shard, owner in seen[-1].items()}
    assert sizes(settled(freed, workers), workers) == fair_sizes(len(state), workers)


@given(st.integers(2, 40), st.integers(2, 6), st.none() | LOADS, st.data())
def test_a_worker_that_waits_for_pages_in_flight_leaves_no_more_shards_for_it(
    shards: int, count: int, loads: dict[int, int] | None, data: st.DataObject
) -> None:
    owners: Owners = dict.fromkeys(range(shards), "a")
    workers = {f"worker{number}" for number in range(count - 1)} | {"a"}
    first = set(plan_shards("a", owners, workers, loads).release)
    leaving = set(first)
    while leaving:
        for shard in data.draw(st.sets(st.sampled_from(sorted(leaving)), min_size=1)):
            owners[shard] = None
            leaving.remove(shard)
        if loads is not None:
            loads = data.draw(LOADS)
        # Without loads, a plan is the same even if it knows nothing of the one before.
        known = leaving if loads is not None or data.draw(st.booleans()) else set()
        assert set(plan_shards("a", owners, workers, loads, known).release) == leaving
    assert sizes(owners, {"a"}) == [fair_sizes(shards, workers)[-1]]


def test_a_worker_that_joins_gets_large_and_empty_shards() -> None:
    loads = dict(zip(range(16), [900, 800, 700, 600, *[5] * 4, *[0] * 8], strict=True))
    owners: Owners = dict.fromkeys(range(16), "a")
    released = plan_shards("a", owners, {"a", "b"}, loads).release
    assert sorted(loads[shard] for shard in released) == [0, 0, 0, 0, 5, 5, 600, 800]


def test_the_shards_of_a_dead_worker_are_dealt_by_their_loads() -> None:
    owners: Owners = {0: "a", 1: "b", **dict.fromkeys(range(2, 8))}
    loads = {2: 1, 3: 900, 4: 30, 5: 800, 6: 20, 7: 0}
    claims = {worker: plan.claim for worker, plan in plans_of(owners, {"a", "b"}, loads).items()}
    assert claims == {"a": [3, 4, 2], "b": [5, 6, 7]}
