"""Workers of a simulated crawl: they renew leases, read late, die, leave, and plan with the real code."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from focuscrawl.workers.shard_ownership import plan_shards


class Times(NamedTuple):
    """Seconds of the simulated machines.

    Leases end ``lease`` after the last renewal. What a worker reads is up to ``late`` old. The pages in
    flight of a shard that is handed over end within ``flight``; a new owner has read it after ``load``.
    """

    lease: int = 30
    renew: int = 10
    plan: int = 3
    late: int = 2
    flight: int = 3
    load: int = 1


TIMES = Times()


Loads = dict[int, int]


class View(NamedTuple):
    """State of the server at a time."""

    time: int
    owners: dict[int, str | None]
    workers: frozenset[str]


class Registry:
    """Owners of shards and the living workers, as a server holds them."""

    def __init__(self, shards: int) -> None:
        self.owners: dict[int, str | None] = dict.fromkeys(range(shards))
        self.ends: dict[str, int] = {}
        self.claims = 0
        self._views = deque([View(0, dict(self.owners), frozenset())], maxlen=60)

    def claim(self, shard: int, name: str) -> bool:
        """Give a free shard to a worker; return whether it was free."""
        if self.owners[shard] is not None:
            return False
        self.owners[shard] = name
        self.claims += 1
        return True

    def expire(self, now: int) -> None:
        """End the leases that nobody has renewed."""
        for name in [name for name, end in self.ends.items() if end <= now]:
            del self.ends[name]
            for shard, owner in self.owners.items():
                self.owners[shard] = None if owner == name else owner

    def remember(self, now: int) -> None:
        """Keep the state, if it has changed, for those that read late."""
        view = View(now, self.owners, frozenset(self.ends))
        if view[1:] != self._views[-1][1:]:
            self._views.append(view._replace(owners=dict(self.owners)))

    def read(self, then: int) -> View:
        """Return the state at an earlier time."""
        return next((view for view in reversed(self._views) if view.time <= then), self._views[0])


class Worker:
    """One machine. ``serves`` holds the shards that it crawls, each with the time from which it does."""

    def __init__(
        self,
        name: str,
        registry: Registry,
        times: Times,
        dice: random.Random,
        loads: Callable[[], Loads | None],
    ) -> None:
        self.name = name
        self.serves: dict[int, int] = {}
        self.is_leaving = False
        self._handing_over: dict[int, int] = {}
        self._registry = registry
        self._times = times
        self._dice = dice
        self._loads = loads
        self._phase = dice.randrange(100)
        self._idle_view: int | None = None

    @property
    def has_left(self) -> bool:
        """Whether it has handed over everything after a SIGTERM."""
        return self.is_leaving and not self.serves and not self._handing_over

    def leave(self, now: int) -> None:
        """Begin to hand over everything, as after a SIGTERM."""
        self.is_leaving = True
        self._idle_view = None
        del self._registry.ends[self.name]
        self._plan(View(now, self._registry.owners, frozenset(self._registry.ends)), now)

    def step(self, now: int) -> None:
        """Do what is due in this second."""
        is_new = self.name not in self._registry.ends
        if not self.is_leaving and (is_new or (now + self._phase) % self._times.renew == 0):
            self._registry.ends[self.name] = now + self._times.lease
        for shard, end in list(self._handing_over.items()):
            if end <= now:
                del self._handing_over[shard]
                self._registry.owners[shard] = None
        if (now + self._phase) % self._times.plan == 0:
            self._plan(self._registry.read(now - self._dice.randint(0, self._times.late)), now)

    def _plan(self, view: View, now: int) -> None:
        # A plan depends on nothing else: one without steps stays the same.
        if view.time == self._idle_view:
            return
        me = {self.name}
        workers = view.workers - me if self.is_leaving else view.workers | me
        owners, leaving = self._corrected(view.owners), self._handing_over
        plan = plan_shards(self.name, owners, workers, self._loads(), leaving)
        for shard in plan.release:
            if self.serves.pop(shard, None) is not None:
                leaving[shard] = now + self._dice.randint(0, self._times.flight)
        for shard in plan.claim:
            if self._registry.claim(shard, self.name):
                self.serves[shard] = now + self._times.load
        self._idle_view = None if plan.claim or plan.release else view.time

    def _corrected(self, owners: dict[int, str | None]) -> dict[int, str | None]:
        """Return owners that were read late with what this worker knows of itself."""
        known = {shard: None if owner == self.name else owner for shard, owner in owners.items()}
        return {**known, **dict.fromkeys([*self.serves, *self._handing_over], self.name)}
