"""Leases of shards: each shard of a crawl belongs to one worker at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import FATAL, MOST_LOST
from focuscrawl.workers.crawl_keys import LAYOUT, CrawlKeys
from focuscrawl.workers.redis_calls import Call, RedisCalls


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


# A worker that joins gets its share within a few turns.
_TURN_SECONDS = 3.0


class ShardContents(NamedTuple):
    """What a worker has to know about a shard that it has claimed, after others if ``is_inherited``."""

    shard: int
    hosts: list[str]
    suspects: list[int]
    leases: Sequence[bytes] = ()
    is_inherited: bool = False
    recovered: int = 0
    fatal_urls: Sequence[str] = ()


@dataclass
class OwnedShard:
    """A shard of this worker; one that ``is_leaving`` is handed over once no page of it is in flight.

    None of its hosts is sent a request before ``quiet_until``.
    """

    owner: str
    unfinished: int = 0
    first_due: float | None = None
    is_leaving: bool = False
    quiet_until: float | None = None

    def expect(self, due: float | None) -> None:
        """Record that a URL is delayed until ``due``."""
        if due is not None and (self.first_due is None or due < self.first_due):
            self.first_due = due


@dataclass
class ShardChanges:
    """Shards that were claimed, shall be left, or were lost to other workers."""

    claimed: list[ShardContents] = field(default_factory=list)
    leaving: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)


class ShardOwnership:
    """The shards that this worker owns.

    The lease of a shard is a key that expires unless its owner renews it. It holds an epoch, which is
    higher with each owner: all scripts that write compare it, so that a worker that was stopped for
    longer than its leases changes nothing (a fencing token). Times are this machine's monotonic clock
    and that of the server; clocks of different machines are never compared.
    """

    def __init__(
        self, calls: RedisCalls, keys: CrawlKeys, worker: str, lease_seconds: float
    ) -> None:
        self.worker = worker
        self.owned: dict[int, OwnedShard] = {}
        self._calls = calls
        self._keys = keys
        self._seconds = lease_seconds
        self._valid_until = 0.0
        self._next_turn = 0.0
        self._is_told = False
        self._ever_owned: set[int] = set()
        self.kept: frozenset[int] = frozenset()
        """Shards that are handed over only when the worker leaves."""

    @property
    def is_valid(self) -> bool:
        """True as long as no lease can have expired."""
        return time.monotonic() < self._valid_until

    @property
    def staying(self) -> dict[int, OwnedShard]:
        """The owned shards that are not to be handed over; what waits in the others is their next owner's."""
        return {number: shard for number, shard in self.owned.items() if not shard.is_leaving}

    def tend(self) -> ShardChanges:
        """Renew the leases, and claim or leave shards, if it is time for that."""
        now = time.monotonic()
        if now < self._next_turn:
            return ShardChanges()
        self._next_turn = now + min(_TURN_SECONDS, self._seconds / 3)
        changes = ShardChanges(lost=self._renew())
        workers = self._register()
        owners = self._owners()
        leaving = [shard for shard, owned in self.owned.items() if owned.is_leaving]
        plan = plan_shards(self.worker, owners, workers, leaving=leaving)
        changes.claimed = self._claim(plan.claim)
        stays = self.kept.union(leaving)
        changes.leaving = [shard for shard in plan.release if shard not in stays]
        for shard in changes.leaving:
            self.owned[shard].is_leaving = True
        return changes

    def hand_over(self, shards: Iterable[int]) -> None:
        """Give up owned shards; no page of theirs may be in flight."""
        self._calls.run(
            [
                Call.of("hand_over_shard", self._keys.shard(shard), self.owned.pop(shard).owner)
                for shard in list(shards)
            ]
        )

    def leave(self, *, is_over: bool) -> None:
        """Give up all shards, and leave the crawl; ``is_over`` if nothing waits in it.

        Raises :class:`FrontierError` if the server has lost the crawl, unless that was said before.
        """
        self.hand_over(self.owned)
        arguments = self.worker, self._keys.generation, int(is_over)
        self._calls.run([Call.of("leave_crawl", self._keys.crawl, *arguments)])
        if not self._is_told:
            self.check_mark()

    def check_mark(self) -> None:
        """Raise :class:`FrontierError` if the server has lost the data of the crawl."""
        key, crawl = self._keys.of_all("mark"), self._keys.crawl
        mark, generation = self._calls.run(
            [Call(key, ("GET", key)), Call(crawl, ("HGET", crawl, "generation"))]
        )
        # A later generation has begun since this worker was stopped, and deleted the mark.
        is_over = int(generation or 0) > self._keys.generation
        if (mark or b"") != self._keys.mark and not is_over:
            raise self._loss()

    def _loss(self) -> FrontierError:
        self._is_told = True
        return FrontierError(
            f"the server at {self._calls.address} has lost {self._keys.crawl}: its keys were deleted, "
            "or it was started again without its data; set appendonly yes there, and start the "
            "crawl again"
        )

    def _renew(self) -> list[int]:
        sent = time.monotonic()
        shards = list(self.owned)
        renewed = self._calls.run(
            [
                Call.of(
                    "renew_shard", self._keys.shard(shard), self.owned[shard].owner, self._seconds
                )
                for shard in shards
            ]
        )
        self._valid_until = sent + self._seconds
        lost = [shard for shard, is_mine in zip(shards, renewed, strict=True) if not is_mine]
        for shard in lost:
            del self.owned[shard]
        return lost

    def _register(self) -> list[str]:
        """Tell the others that this worker lives; return all that do."""
        arguments = self.worker, self._seconds, self._keys.generation, LAYOUT, self._keys.mark
        names = self._calls.run([Call.of("register_worker", self._keys.crawl, *arguments)])[0]
        if names is None:
            raise FrontierError(
                f"{self._keys.crawl} at {self._calls.address} ended and was begun again while this worker "
                "was stopped; start it again to join"
            )
        if not names:
            raise self._loss()
        return [name.decode() for name in names]

    def _owners(self) -> dict[int, str | None]:
        shards = range(self._keys.shards)
        keys = [f"{self._keys.shard(shard)}:owner" for shard in shards]
        tokens = self._calls.run([Call(key, ("GET", key)) for key in keys])
        self._ever_owned.update(shard for shard, token in enumerate(tokens) if token)
        return {
            shard: self._owner_in(shard, token) for shard, token in zip(shards, tokens, strict=True)
        }

    def _owner_in(self, shard: int, token: bytes | None) -> str | None:
        if token is None:
            return None
        owner = token.decode()
        worker = owner.rsplit(" ", 1)[0]
        # Claimed by a call whose reply was lost: it is free again when its lease has ended.
        is_lost = worker == self.worker and shard not in self.owned
        return owner if is_lost else worker

    def _claim(self, shards: Sequence[int]) -> list[ShardContents]:
        arguments = self.worker, self._seconds, MOST_LOST, FATAL.reason
        replies = self._calls.run(
            [Call.of("claim_shard", self._keys.shard(shard), *arguments) for shard in shards]
        )
        claims = {
            shard: reply for shard, reply in zip(shards, replies, strict=True) if reply is not None
        }
        for shard, (epoch, _, _) in claims.items():
            self.owned[shard] = OwnedShard(f"{self.worker} {epoch}")
        if any(claims[shard][0] == 1 for shard in self._ever_owned.intersection(claims)):
            raise self._loss()
        self._ever_owned.update(claims)
        contents = self.read(claims)
        return [
            found._replace(
                is_inherited=claims[found.shard][0] > 1,
                recovered=claims[found.shard][1],
                fatal_urls=[url.decode() for url in claims[found.shard][2]],
            )
            for found in contents
        ]

    def read(self, shards: Collection[int]) -> list[ShardContents]:
        """Read what the memory of a worker has to hold about owned shards."""
        replies = self._calls.run(
            [Call.of("read_shard", self._keys.shard(shard)) for shard in shards]
        )
        contents = []
        for shard, (unfinished, due, hosts, suspects, leases) in zip(shards, replies, strict=True):
            owned = self.owned[shard]
            owned.unfinished, owned.first_due = unfinished, float(due) if due else None
            numbers = [int.from_bytes(suspect, "big") for suspect in suspects]
            names = [host.decode() for host in hosts]
            contents.append(ShardContents(shard, names, numbers, leases))
        return contents
