"""Division of the shards among the workers, decided by each worker for itself.

Workers do not agree on anything: each of them reads who owns the shards and who is alive, and plans
its own part. Workers that have read the same plan the same division, so none competes with another.
One that has read something older may try a shard that another has just got; the claim decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple


class ShardPlan(NamedTuple):
    """Next steps of a worker.

    ``claim`` holds free shards to claim now, the one with the largest load first. ``release`` holds own
    shards to hand over as soon as their pages in flight have ended.
    """

    claim: list[int]
    release: list[int]


def plan_shards(
    me: str,
    owners: Mapping[int, str | None],
    workers: Collection[str],
    loads: Mapping[int, int] | None = None,
    leaving: Collection[int] = (),
) -> ShardPlan:
    """Return the next steps of worker ``me``; a worker that is not among ``workers`` leaves.

    ``owners`` holds every shard, with None for a free one. An owner that is not among ``workers`` is
    dead, and its shards are free when their leases end; nobody hands over what these will provide.
    ``loads`` is the number of hosts with waiting URLs in each shard, if known: a worker that joins gets
    its part of the full and of the empty shards. ``leaving`` are own shards that an earlier plan has
    released and whose pages are still in flight: they go before others.
    """
    held = Counter(owner for owner in owners.values() if owner is not None)
    shares = _fair_shares(len(owners), held, workers)
    lacking = {worker: share - held[worker] for worker, share in shares.items()}
    known = loads or {}
    shards = sorted(owners, key=lambda shard: (-known.get(shard, 0), shard))
    free = [shard for shard in shards if owners[shard] is None]
    own = [shard for shard in shards if owners[shard] == me]
    count = max(0, len(own) - shares.get(me, 0))
    release = [shard for shard in own if shard in leaving][:count]
    others = [shard for shard in own if shard not in leaving]
    more = count - len(release)
    release += _spread(others, more) if known else others[:more]
    return ShardPlan(_dealt(free, lacking, me), release)


def _fair_shares(shards: int, held: Counter[str], workers: Collection[str]) -> dict[str, int]:
    """Return the number of shards of each worker, those with the most first.

    Where the division leaves a rest, the workers that hold the most keep one more, so that the fewest
    shards move. Shares add up to all shards: workers have too many only as far as others have too few.
    """
    ranked = sorted(set(workers), key=lambda worker: (-held[worker], worker))
    share, rest = divmod(shards, max(1, len(ranked)))
    return {worker: share + (rank < rest) for rank, worker in enumerate(ranked)}


def _dealt(free: list[int], lacking: Mapping[str, int], me: str) -> list[int]:
    """Return the shards that ``me`` gets when the free ones are dealt like cards."""
    rounds = range(max(lacking.values(), default=0))
    turns = (worker for done in rounds for worker, lack in lacking.items() if lack > done)
    return [shard for shard, worker in zip(free, turns, strict=False) if worker == me]


def _spread(shards: list[int], count: int) -> list[int]:
    """Return ``count`` of the shards at equal distances."""
    return [shards[(2 * step + 1) * len(shards) // (2 * count)] for step in range(count)]
