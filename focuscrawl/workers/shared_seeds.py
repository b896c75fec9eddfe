"""Seeds of a crawl that several workers share: one chooses them, each crawls those of its own sites."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Self

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import (
    DONE,
    Ack,
    Candidate,
    Lease,
    Outcome,
    State,
    dropped,
    failed,
    key_of,
)
from focuscrawl.items import Seed, SeedState
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.workers.remote_frontier import RemoteFrontier
from focuscrawl.workers.threaded_access import ThreadedAccess

# In seconds: how often the leader asks which seeds have ended.
_TICK = 1.0
_OUTDATED = dropped("earlier window")
_OUTCOMES: dict[SeedState, Outcome] = {
    "useful": DONE,
    "useless": dropped("useless"),
    "failed": failed("failed"),
}
_STATES: dict[State, SeedState] = {outcome.state: state for state, outcome in _OUTCOMES.items()}
CHOICE_HOST = "seeds"
"""The host of the URL that stands for the choice of the seeds."""


class SharedSeeds:
    """Seeds in a shared frontier, which leases each to the worker that owns its site.

    One more URL stands for the choice of the seeds. The worker that leases it is the leader, and adds
    seeds; when it has died, another one leases the URL and continues. The lease of a seed ends when the
    seed is stored with its state.
    """

    def __init__(self, crawl: str, access: ThreadedAccess, engine: Engine, news: asyncio.Event):
        self._choice = Candidate.of(f"seeds:{crawl}", CHOICE_HOST, score=1.0)
        self._access = access
        self._now = engine.now
        self._news = news
        self._lead: Lease | None = None
        self._leases: dict[str, Lease] = {}
        self._added: dict[int, Seed] = {}
        self._asked_at = 0.0
        access.push([self._choice])

    @classmethod
    async def open(
        cls,
        crawl: str,
        engine: Engine,
        seconds: float,
        open_frontier: Callable[[], RemoteFrontier],
    ) -> Self:
        """Join the crawl as a worker; a server that does not respond is waited for some seconds."""
        news = asyncio.Event()
        # Seeds are no pages: those are counted by the frontier of this worker's requests.
        engine = replace(engine, wake=news.set, count_pushed=lambda pushed: None)
        access = await ThreadedAccess.open(engine, seconds, open_frontier)
        return cls(crawl, access, engine, news)

    @property
    def is_led(self) -> bool:
        """Whether this worker is the leader."""
        return self._lead is not None

    @property
    def is_own(self) -> bool:
        """Whether the sites of this worker are certainly still its own."""
        return self._access.is_confirmed(self._now())

    @property
    def is_over(self) -> bool:
        """Whether no seed waits or is being crawled, and the leader has ended the crawl."""
        return not self._access.is_busy

    def add(self, seed: Seed) -> None:
        """Add a chosen seed; one that an earlier leader has added stays as it is."""
        key = _key(seed)
        self._added[key] = seed
        payload = {"seed": asdict(seed) | {"listed_at": seed.listed_at.isoformat()}}
        self._access.push([Candidate(key, seed.url, host_of(seed.url), payload=payload)])

    def next(self) -> Seed | None:
        """Lease a seed, None if none of this worker's sites waits."""
        while leases := self._access.lease(1, self._now()):
            (lease,) = leases
            if lease.key == self._choice.key:
                self._lead = lease
                continue
            seed = _read(lease.payload)
            self._leases[seed.url] = lease
            return seed
        return None

    def end(self, seed: Seed) -> None:
        """End the lease of a seed that is stored with its state; of others do nothing."""
        if lease := self._leases.pop(seed.url, None):
            self._access.ack_many([Ack(lease, outcome=_OUTCOMES[seed.state])])

    def lost(self) -> list[str]:
        """Return the URLs of leased seeds that other workers have by now, once."""
        urls = [url for url, lease in self._leases.items() if not self._access.holds(lease)]
        for url in urls:
            del self._leases[url]
        return urls

    def drop(self, seed: Seed) -> None:
        """End the lease of a seed of an earlier window, which nobody waits for."""
        self._access.ack_many([Ack(self._leases.pop(seed.url), outcome=_OUTDATED)])

    async def ended(self) -> list[Seed]:
        """Return the added seeds that have ended and are not settled, with their states.

        The server is queried once a second at most.

        Raises :class:`~focuscrawl.errors.FrontierError` if another worker is the leader by now.
        """
        lead = self._lead
        if lead is None or self._now() < self._asked_at + _TICK:
            return []
        hosts = {key: host_of(seed.url) for key, seed in self._added.items()}

        def ask(frontier: RemoteFrontier) -> tuple[Mapping[int, State], bool]:
            return frontier.known(hosts, hosts), frontier.holds(lead)

        states, is_held = await self._access.ask(ask)
        self._asked_at = self._now()
        if not is_held:
            raise FrontierError(
                f"another worker chooses the seeds: this one did not reach {self._access.label} for "
                "too long; start again to crawl some of them"
            )
        return [
            replace(self._added[key], state=_STATES[state])
            for key, state in states.items()
            if state in _STATES
        ]

    def done(self, seed: Seed) -> None:
        """Record that an added seed is settled."""
        self._added.pop(_key(seed), None)

    def notify(self) -> None:
        """End the wait of :meth:`news`."""
        self._news.set()

    async def news(self) -> None:
        """Wait until something may have changed, for a second at most."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), _TICK)
        self._news.clear()

    async def close(self, *, is_finished: bool) -> None:
        """Leave the crawl; a leader that has not finished leaves the choice to another worker."""
        if self._lead and is_finished:
            self._access.ack_many([Ack(self._lead)])
        await self._access.settle()
        await self._access.close()


def _key(seed: Seed) -> int:
    return key_of(f"{seed.window} {seed.url}")


def _read(payload: Mapping[str, Any]) -> Seed:
    fields = payload["seed"]
    return Seed(**fields | {"listed_at": datetime.fromisoformat(fields["listed_at"])})
