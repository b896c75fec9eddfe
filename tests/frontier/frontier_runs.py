"""What several tests of frontiers need."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.frontier import Candidate, Frontier, Lease, SqliteFrontier
from focuscrawl.workers.redis_calls import Call
from focuscrawl.workers.redis_frontier import RedisFrontier


def kill(frontier: SqliteFrontier | RedisFrontier) -> None:
    """Let a run end as ``kill -9`` would: nothing is released, the system closes the files.

    The shards of a worker are free when their leases have ended, which is not waited for here.
    """
    if isinstance(frontier, SqliteFrontier):
        frontier._close_file()
        return
    prefixes = [frontier._keys.shard(shard) for shard in frontier._owned]
    frontier._calls.run([Call(prefix, ("DEL", f"{prefix}:owner")) for prefix in prefixes])
    workers = frontier._keys.workers
    frontier._calls.one(workers, "DEL", workers)
    frontier._calls.close()


def url(number: int | str, host: str = "a.example") -> str:
    return f"http://{host}/{number}"


def link(
    number: int | str, score: float = 0.0, host: str = "a.example", **payload: object
) -> Candidate:
    return Candidate.of(url(number, host), host, score, **payload)


def take_all(frontier: Frontier, now: float = 0.0) -> list[Lease]:
    """Lease and end one URL after the other till none is left."""
    taken = []
    while leases := frontier.lease(1, now):
        taken += leases
        frontier.ack(leases[0])
    return taken


def urls(leases: Iterable[Lease]) -> list[str]:
    return [lease.url for lease in leases]
