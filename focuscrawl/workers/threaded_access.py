"""Access of a crawl to a frontier on a server, whose calls are made in a thread."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from time import monotonic
from typing import Any, NamedTuple, Self, TypeVar

from focuscrawl.errors import FocuscrawlError, FrontierError
from focuscrawl.frontier.frontier_entries import (
    Ack,
    Candidate,
    Counts,
    Ended,
    HostCounts,
    Lease,
    NotLeasedError,
    Pushed,
    State,
    Waiting,
)
from focuscrawl.frontier.frontier_protocol import Hosts
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.crawl_services import SharedPages
from focuscrawl.scheduling.frontier_access import Scores
from focuscrawl.scheduling.known_urls import KnownUrls
from focuscrawl.scheduling.page_in_flight import LeasedPage
from focuscrawl.scheduling.page_keys import host_of_page, key_of_page
from focuscrawl.workers.patient_calls import CallThread, PatientCalls, PatientStream
from focuscrawl.workers.remote_frontier import RemoteFrontier

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_TICK = 1.0
_BATCH = 1000
# In seconds, far less than the lease of a shard: nothing is sent until the server has confirmed the leases.
_LONGEST_TRUST = 5.0
# In seconds: how long a lease is kept that cannot be sent.
_LONGEST_HOLD = 5.0
_MOST_PAUSES = 1000
_MOST_LEASES = 64


class FrontierState(NamedTuple):
    """State of a frontier after a round; ``is_over`` if nothing is left for any worker."""

    waiting: int
    leased: int
    best_score: float | None
    next_due: float | None
    is_over: bool


class RoundAnswer(NamedTuple):
    """States of URLs by key, and counts by host, that a round looks up."""

    states: dict[int, State]
    hosts: dict[str, HostCounts]

    def known(self, keys: Iterable[int]) -> dict[int, State]:
        """Return the states of those URLs that are known."""
        return {key: self.states[key] for key in keys if key in self.states}

    def counts(self, hosts: Iterable[str]) -> Counts:
        """Return the counts of hosts."""
        return Counts({host: self.hosts[host] for host in hosts}, {})


class Report(NamedTuple):
    """Results of a round.

    ``lost`` is the number of pages whose leases others have by now, ``gone`` are such leases that were
    not sent.
    """

    pushed: Pushed
    lost: int
    gone: list[Lease]
    answer: RoundAnswer
    results: list[Any]
    leases: list[Lease]
    state: FrontierState


@dataclass(slots=True)
class Round:
    """Calls to be made together, in the order of the fields.

    So a page's links are known before the answers are given, and both before URLs are leased. ``held``
    are leases that were not sent yet: others may have them by now.
    """

    slots: dict[str, int | None] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    received: dict[int, tuple[Lease, bool]] = field(default_factory=dict)
    silent: list[Lease] = field(default_factory=list)
    freed: dict[int, Lease] = field(default_factory=dict)
    pushed: list[Candidate] = field(default_factory=list)
    found: dict[int, tuple[Lease, list[Candidate]]] = field(default_factory=dict)
    acks: list[Ack] = field(default_factory=list)
    ends: list[Callable[[RemoteFrontier], object]] = field(default_factory=list)
    questions: list[tuple[Callable[[RemoteFrontier], Any], Callable[[Any], None]]] = field(
        default_factory=list
    )
    keys: dict[int, str] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    lookups: list[Callable[[RoundAnswer], None]] = field(default_factory=list)
    leases: int = 0
    held: list[Lease] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True if nothing is to be written or asked."""
        # Lookups without keys have an answer all the same.
        return not any(
            (self.slots, self.pauses, self.silent, self.received, self.freed, self.pushed, self.found, self.acks,
             self.ends, self.questions, self.lookups)
        )  # fmt: skip

    def add_found(self, lease: Lease, links: Iterable[Candidate]) -> None:
        """Add links of a page that is not finished."""
        self.found.setdefault(lease.seq, (lease, []))[1].extend(links)

    def add_ack(self, ack: Ack) -> None:
        """Add the end of a lease; what the round has about it becomes part of it."""
        self.freed.pop(ack.lease.seq, None)
        if earlier := self.found.pop(ack.lease.seq, None):
            ack = ack._replace(links=[*earlier[1], *ack.links])
        self.acks.append(ack)

    def add_end(self, lease: Lease, end: Callable[[RemoteFrontier], object]) -> None:
        """Add the end of a lease without an outcome."""
        self.freed.pop(lease.seq, None)
        self.ends.append(end)

    def links(self) -> Iterator[Candidate]:
        """Yield all links to be pushed."""
        yield from self.pushed
        for _, links in self.found.values():
            yield from links
        for ack in self.acks:
            yield from ack.links


class RoundRunner:
    """Makes the calls of rounds, each through ``attempt``, which may repeat it."""

    def __init__(
        self,
        frontier: RemoteFrontier,
        now: Callable[[], float],
        attempt: Callable[[Callable[[], Any]], Any],
        seconds_between_tends: float = 1.0,
    ) -> None:
        self._frontier = frontier
        self._now = now
        self._attempt = attempt
        self._pause = seconds_between_tends
        self._tended_at = now()
        self._lost = 0

    def run(self, calls: Round) -> Report:
        """Make all calls of a round, and lease the URLs that it wants."""
        frontier = self._frontier
        self._lost = 0
        self._mark(calls)
        pushed = list(self._push(calls))
        for end in calls.ends:
            self._end(partial(end, frontier))
        results = [self._attempt(partial(question, frontier)) for question, _ in calls.questions]
        answer = self._look_up(calls)
        if self._now() - self._tended_at >= self._pause:
            self._tended_at = self._now()
            self._attempt(frontier.tend)
        leases: list[Lease] = []
        if calls.leases and frontier.waiting:
            leases = self._attempt(lambda: frontier.lease(calls.leases, self._now()))
        total = Pushed.sum_of(pushed)
        gone = [lease for lease in calls.held if not frontier.holds(lease)]
        return Report(total, self._lost, gone, answer, results, leases, self.state())

    def state(self) -> FrontierState:
        """Return the present state."""
        frontier, now = self._frontier, self._now()
        waiting, leased = frontier.waiting, frontier.leased
        due = self._attempt(partial(frontier.next_due, now)) if waiting else None
        best = None
        if due is not None and due <= now:
            best = self._attempt(partial(frontier.best_score, now))
        is_over = not waiting and not leased and self._attempt(frontier.is_over)
        return FrontierState(waiting, leased, best, due, is_over)

    def _mark(self, calls: Round) -> None:
        frontier = self._frontier
        for host, slots in calls.slots.items():
            frontier.set_slots(host, slots)
        for host, until in calls.pauses.items():
            self._attempt(partial(frontier.pause, host, until))
        for lease in calls.silent:
            self._end(partial(frontier.mark_silent, lease))
        for lease, waits in calls.received.values():
            self._end(partial(frontier.process, lease, waits=waits))
        for lease in calls.freed.values():
            self._end(partial(frontier.free_slot, lease))

    def _push(self, calls: Round) -> Iterator[Pushed]:
        frontier = self._frontier
        if calls.pushed:
            yield self._attempt(partial(frontier.push, calls.pushed))
        kinds: Sequence[tuple[Callable[..., Pushed], Callable[..., Pushed], Sequence[Any]]] = (
            (frontier.found_many, frontier.found, list(calls.found.values())),
            (frontier.ack_many, frontier.ack, calls.acks),
        )
        for together, alone, pages in kinds:
            try:
                if pages:
                    yield self._attempt(partial(together, pages))
            except NotLeasedError:
                # The links of a page that another worker has by now are found there again.
                for page in pages:
                    yield self._end(partial(alone, *page)) or Pushed()

    def _look_up(self, calls: Round) -> RoundAnswer:
        if not (calls.keys or calls.hosts):
            return RoundAnswer({}, {})
        return RoundAnswer(*self._attempt(partial(self._frontier.look_up, calls.keys, calls.hosts)))

    def _end(self, call: Callable[[], _T]) -> _T | None:
        """Make a call about a lease, if the worker still has it."""
        try:
            result: _T = self._attempt(call)
        except NotLeasedError:
            self._lost += 1
            return None
        return result


class PrefetchedLeases:
    """Leases in the order of their scores, with the pauses of hosts that the frontier may not know yet.

    As many are wanted as were sent in the time of two fetches, and one more: enough until the next ones
    arrive (at most twice ``most``), and few if the server is near or links are held back. With ``most`` 1 a lease is wanted only
    on request, because the links of a page must be known before the next page is chosen. At least one is
    wanted while a better URL waits than the best lease. All are sent in the end, unless there are more
    than three times ``most``: to release those that have become worse takes a call each and was measured
    to change the harvest by nothing.
    """

    def __init__(self, most: int) -> None:
        # With 0, requests are not limited.
        most = most or _MOST_LEASES
        self._most = most
        self._leases: list[Lease] = []
        self._pauses: dict[str, float] = {}
        self._best_waiting = -inf
        self._sent_at: deque[float] = deque(maxlen=2 * most)
        self._is_requested = False

    def __len__(self) -> int:
        return len(self._leases)

    def add(self, leases: Sequence[Lease], best_waiting: float | None, now: float) -> list[Lease]:
        """Add leases, given the best score that waits behind them; return those to be released."""
        self._best_waiting = -inf if best_waiting is None else best_waiting
        self._leases = sorted([*self._leases, *leases], key=lambda lease: (-lease.score, lease.seq))
        return self.remove([*self._leases[3 * self._most :], *self._on_long_pause(now)])

    def take(self, count: int, now: float) -> list[Lease]:
        """Remove and return the best leases that may be sent, at most ``count``."""
        taken = self._sendable(now)[:count]
        self._sent_at.extend([now] * len(taken))
        self._is_requested = len(taken) < count
        return self.remove(taken)

    def best_score(self, now: float) -> float | None:
        """Return the score of the lease that :meth:`take` would return first."""
        return next((lease.score for lease in self._sendable(now)), None)

    def best_host(self, now: float) -> tuple[str, float] | None:
        """Return the host and the score of the lease that :meth:`take` would return first."""
        return next(((lease.host, lease.score) for lease in self._sendable(now)), None)

    def pause(self, host: str, until: float, now: float) -> list[Lease]:
        """Send no lease of a host before ``until``; return the leases to be released."""
        if len(self._pauses) > _MOST_PAUSES:
            self._pauses = {name: end for name, end in self._pauses.items() if end > now}
        self._pauses[host] = max(until, self._pauses.get(host, until))
        return self.remove(self._on_long_pause(now))

    def remove_host(self, host: str) -> list[Lease]:
        """Remove and return the leases of a host."""
        return self.remove([lease for lease in self._leases if lease.host == host])

    def held(self) -> list[Lease]:
        """Return all leases."""
        return list(self._leases)

    def remove(self, leases: Sequence[Lease]) -> list[Lease]:
        """Remove some leases, and return those of them that were there."""
        gone = {lease.seq for lease in leases}
        removed = [lease for lease in self._leases if lease.seq in gone]
        self._leases = [lease for lease in self._leases if lease.seq not in gone]
        return removed

    def next_due(self, now: float) -> float | None:
        """Return the end of the first pause of a lease's host."""
        ends = (self._pauses.get(lease.host, now) for lease in self._leases)
        return min((end for end in ends if end > now), default=None)

    def wanted(self, now: float, seconds: float) -> int:
        """Return the number of leases to fetch now, which takes some seconds."""
        if self._most == 1:
            return int(self._is_requested and not self._leases)
        sent = sum(at > now - 2 * seconds for at in self._sent_at)
        sendable = self._sendable(now)
        is_better = not sendable or self._best_waiting > sendable[0].score
        return max(int(is_better), min(2 * self._most, sent + 1) - len(sendable))

    def _sendable(self, now: float) -> list[Lease]:
        return [lease for lease in self._leases if self._pauses.get(lease.host, now) <= now]

    def _on_long_pause(self, now: float) -> list[Lease]:
        end = now + _LONGEST_HOLD
        return [lease for lease in self._leases if self._pauses.get(lease.host, now) > end]


class ThreadedAccess:
    """A :class:`~focuscrawl.scheduling.frontier_access.FrontierAccess` to a remote frontier.

    Calls are collected while the thread makes those of the last round; then it makes these, at the
    latest after a second. Leases are fetched ahead. A server that does not respond is waited for.
    """

    _frontier: RemoteFrontier

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine = engine
        self._attempt = PatientCalls(seconds, engine.is_closing).attempt
        self._thread = CallThread("frontier")
        self._store = PrefetchedLeases(engine.most)
        self.best_score = self._store.best_score
        self.best_host = self._store.best_host
        self._round = Round()
        self._running = Round()
        self._round_seconds = 0.0
        self._has_calls = asyncio.Event()
        self._error: FocuscrawlError | None = None
        self._futures: set[asyncio.Future[Any]] = set()
        self._is_settling = False
        self._scopes: dict[Any, tuple[Scores, str | None, Callable[[Waiting], bool] | None]] = {}
        self._rescoring: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, engine: Engine, seconds: float, open_frontier: Callable[[], RemoteFrontier]
    ) -> Self:
        """Open a frontier in its thread; a server that does not respond is waited for some seconds."""
        access = cls(engine, seconds)
        access._frontier = await access._thread.run(partial(access._attempt, open_frontier))
        await access._begin()
        return access

    async def _begin(self) -> None:
        frontier = self._frontier
        self.label = frontier.label
        self.changes_nothing = frontier.changes_nothing
        self.holds = frontier.holds
        self._runner = RoundRunner(frontier, self._engine.now, self._attempt, _TICK)
        self._state = await self._thread.run(self._runner.state)
        self._confirmed_at = self._engine.now()
        self._driver = asyncio.ensure_future(self._drive())

    def shared_pages(self) -> SharedPages | None:
        """Return what the workers share beside URLs; its counter of pages waits for the server as well."""
        return self._frontier.shared_pages(self._attempt)

    @property
    def recovered(self) -> int:
        """Number of leases of dead runs that were recovered so far."""
        return self._frontier.recovered

    @property
    def fatal_urls(self) -> Sequence[str]:
        """URLs that were marked as failed, because they kill runs."""
        return self._frontier.fatal_urls

    @property
    def waiting(self) -> int:
        """Number of waiting URLs after the last round, including those with leases fetched ahead."""
        return self._state.waiting + len(self._store)

    @property
    def leased(self) -> int:
        """Number of leases of pages that were sent."""
        return self._state.leased - len(self._store)

    @property
    def is_busy(self) -> bool:
        """True if calls are under way, or other workers may send links."""
        return not (self._round.is_empty and self._running.is_empty and self._state.is_over)

    def is_confirmed(self, now: float) -> bool:
        """Return whether leases may be sent: a worker that was stopped may have lost its hosts."""
        return now - self._confirmed_at < _LONGEST_TRUST

    def push(self, candidates: Sequence[Candidate]) -> bool:
        """Add seeds."""
        self._next_round().pushed.extend(candidates)
        return True

    def lease(self, count: int, now: float) -> list[Lease]:
        """Return leases that were fetched ahead, and have others fetched."""
        if not self.is_confirmed(now):
            self._has_calls.set()
            return []
        leases = self._store.take(count, now)
        if self._state.next_due is not None and self._state.next_due <= now:
            self._has_calls.set()
        return leases

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a lease was fetched, else the end of the next pause or delay if one is known."""
        if not self.is_confirmed(now):
            return None
        if self._store.best_score(now) is not None:
            return now
        if not (self._round.is_empty and self._running.is_empty):
            return None
        times = (self._state.next_due, self._store.next_due(now))
        return min((time for time in times if time is not None and time > now), default=None)

    def found(self, lease: Lease, links: Sequence[Candidate]) -> None:
        """Push links of a page that is not finished."""
        self._next_round().add_found(lease, links)

    def ack_many(self, acks: Sequence[Ack]) -> None:
        """End several leases, and push the links of their pages."""
        for ack in acks:
            self._next_round().add_ack(ack)

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``."""
        self._next_round().add_end(lease, lambda frontier: frontier.retry(lease, not_before))

    def release(self, lease: Lease) -> None:
        """Undo a lease."""
        self._next_round().add_end(lease, lambda frontier: frontier.release(lease))

    def abandon(self, lease: Lease) -> None:
        """Leave a lease as if the run had died."""
        self._next_round().add_end(lease, lambda frontier: frontier.abandon(lease))

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease whose response was received."""
        self._next_round().freed[lease.seq] = lease

    async def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether a suspect is being read; return when the server has it."""
        future, tell = self._future()
        self._next_round().received[lease.seq] = lease, waits
        self._round.lookups.append(tell)
        await future

    def mark_silent(self, lease: Lease) -> None:
        """Record that a page waits for its host."""
        self._next_round().silent.append(lease)

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``, in this run."""
        pauses = self._next_round().pauses
        pauses[host] = max(until, pauses.get(host, until))
        self._release_all(self._store.pause(host, until, self._engine.now()))

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host in this run; None is the limit of all hosts."""
        self._next_round().slots[host] = slots
        if slots is not None:
            self._release_all(self._store.remove_host(host))

    def drop_host(self, host: str, reason: str, then: Callable[[int], None]) -> None:
        """Drop all waiting URLs of a host, also those whose leases were fetched ahead."""
        self._release_all(self._store.remove_host(host))
        self._next_round().questions.append(
            (lambda frontier: frontier.drop_host(host, reason), then)
        )

    def states(self, hosts: Hosts, then: Callable[[Mapping[int, State]], None]) -> None:
        """Call ``then`` with the states of the known ones of some URLs, given with their hosts."""
        wanted = dict(hosts)
        self._next_round().keys |= wanted
        self._round.lookups.append(lambda answer: then(answer.known(wanted)))

    def rescore(
        self,
        scores: Scores,
        host: str | None = None,
        wanted: Callable[[Waiting], bool] | None = None,
    ) -> None:
        """Score the waiting URLs again, in the background."""
        self._scopes.setdefault(wanted or host, (scores, host, wanted))
        if self._rescoring is None or self._rescoring.done():
            self._rescoring = asyncio.ensure_future(self._rescore_all())

    async def look_up(
        self, urls: Iterable[str], hosts: Iterable[str], pages: Mapping[int, LeasedPage[Any]]
    ) -> KnownUrls:
        """Ask for URLs and hosts together, and for the links that are not pushed yet."""
        future, tell = self._future()
        calls = self._next_round()
        calls.keys |= {key_of_page(url): host_of_page(url) for url in urls}
        calls.keys |= {link.key: link.host for page in pages.values() for link in page.pending}
        calls.keys |= {link.key: link.host for link in self._unpushed()}
        calls.hosts |= set(hosts)
        calls.lookups.append(tell)
        return KnownUrls(await future, pages, self._unpushed)

    async def ask(self, question: Callable[[RemoteFrontier], _T]) -> _T:
        """Return the result of a call of the frontier, made in its thread."""
        future, tell = self._future()
        self._next_round().questions.append((question, tell))
        result: _T = await future
        return result

    async def drop_where(self, unwanted: Callable[[Waiting], bool], reason: str) -> int:
        """Drop every waiting URL for which ``unwanted`` is true; return their number."""
        count = 0
        async for entries in self._batches(lambda frontier: frontier.each_waiting):
            hosts = {entry.key: entry.host for entry in entries if unwanted(entry)}
            count += await self.ask(partial(_drop, hosts, reason)) if hosts else 0
        return count

    async def each_ended(self) -> AsyncIterator[Iterable[Ended]]:
        """Yield batches of the URLs that are done or have failed, in order of arrival."""
        async for batch in self._batches(lambda frontier: frontier.each_ended):
            yield batch

    async def settle(self) -> None:
        """Release the leases that were not sent, and wait until all changes have taken effect."""
        self._is_settling = True
        if self._rescoring:
            self._rescoring.cancel()
        self._release_all(self._store.remove(self._store.held()))
        self._has_calls.set()
        await self._driver

    async def close(self) -> None:
        """Close the frontier, which hands the worker's hosts over to the others."""
        try:
            await self._thread.run(self._frontier.close)
        finally:
            self._thread.stop()

    def remove(self) -> None:
        """Do nothing: other workers may need it."""

    async def _drive(self) -> None:
        """Make one round after the other until all changes have taken effect."""
        try:
            while not self._is_settling or not self._round.is_empty:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._has_calls.wait(), _TICK)
                await self._make_round()
        except FocuscrawlError as error:
            self._break(error)
        except Exception as error:
            logger.exception("the frontier failed")
            self._break(FrontierError(f"{self.label} failed ({error!r}); see the log"))

    async def _make_round(self) -> None:
        self._has_calls.clear()
        calls, self._round = self._round, Round()
        self._running = calls
        confirmed_at, calls.held = self._engine.now(), self._store.held()
        if not self._engine.is_closing():
            calls.leases = self._store.wanted(self._engine.now(), self._round_seconds)
        began = monotonic()
        report = await self._thread.run(partial(self._runner.run, calls))
        # Rounds differ: the longest of the last ones count.
        self._round_seconds = max(0.9 * self._round_seconds, monotonic() - began)
        self._running = Round()
        self._confirmed_at = confirmed_at
        self._use(calls, report)

    def _use(self, calls: Round, report: Report) -> None:
        """Use the results of a round. Until it returns, nothing else has taken effect."""
        engine, state = self._engine, report.state
        is_news = (
            bool(report.leases or calls.held)
            or not calls.is_empty
            or state != self._state
            or state.is_over
        )
        self._state = state
        self._store.remove(report.gone)
        self._release_all(self._store.add(report.leases, state.best_score, engine.now()))
        engine.count_pushed(report.pushed)
        if report.lost:
            engine.count("frontier/lost", report.lost)
        for then in calls.lookups:
            then(report.answer)
        for (_, then), result in zip(calls.questions, report.results, strict=True):
            then(result)
        if is_news:
            engine.wake()

    def _break(self, error: FocuscrawlError) -> None:
        """End the crawl; the leases stay, and are recovered as those of a dead run."""
        self._error = error
        self._store.remove(self._store.held())
        self._engine.fail(error)
        for future in self._futures:
            if not future.done():
                future.set_exception(error)

    def _next_round(self) -> Round:
        """Return the round that calls are collected for."""
        if self._error:
            return Round()
        self._has_calls.set()
        return self._round

    def _future(self) -> tuple[asyncio.Future[Any], Callable[[Any], None]]:
        """Return a future and the function that sets its result."""
        if self._error:
            raise self._error
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

        def tell(result: Any) -> None:
            if not future.done():
                future.set_result(result)

        return future, tell

    def _unpushed(self) -> Iterator[Candidate]:
        yield from self._running.links()
        yield from self._round.links()

    def _release_all(self, leases: Iterable[Lease]) -> None:
        for lease in leases:
            self.release(lease)

    async def _rescore_all(self) -> None:
        # An error ends the crawl anyway.
        with suppress(FocuscrawlError):
            while self._scopes:
                scores, host, wanted = self._scopes.pop(next(iter(self._scopes)))
                async for entries in self._batches(partial(_each_waiting, host)):
                    self._rescore([one for one in entries if not wanted or wanted(one)], scores)

    def _rescore(self, entries: Sequence[Waiting], scores: Scores) -> None:
        pairs = zip(entries, scores(entries), strict=True)
        changes = {entry.key: score for entry, score in pairs if score != entry.score}
        # Without their hosts, the URLs would be looked for in every shard.
        hosts = {entry.key: entry.host for entry in entries if entry.key in changes}
        if changes:
            self._next_round().questions.append(
                (lambda frontier: frontier.rescore(changes, hosts), lambda count: None)
            )

    async def _batches(
        self, entries: Callable[[RemoteFrontier], Callable[[], Iterator[_T]]]
    ) -> AsyncIterator[list[_T]]:
        stream: PatientStream[_T] | None = None

        def read(frontier: RemoteFrontier) -> list[_T]:
            nonlocal stream
            stream = stream or PatientStream(entries(frontier))
            return list(islice(stream, _BATCH))

        size = _BATCH
        while size == _BATCH and (batch := await self.ask(read)):
            size = len(batch)
            yield batch


def _each_waiting(host: str | None, frontier: RemoteFrontier) -> Callable[[], Iterator[Waiting]]:
    return partial(frontier.each_waiting, host)


def _drop(hosts: Hosts, reason: str, frontier: RemoteFrontier) -> int:
    return frontier.drop(hosts, reason, hosts)
