"""A frontier by brute force: what the order and the states have to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.frontier import (
    Ack,
    Candidate,
    Ended,
    HostCounts,
    Lease,
    Outcome,
    Pushed,
    State,
    UpdateRule,
    Waiting,
)
from focuscrawl.frontier.update_score import Standing

WAITING = Outcome(State.WAITING)
LEASED = Outcome(State.LEASED)


@dataclass
class Url:
    candidate: Candidate
    seq: int
    standing: Standing
    payload: Mapping[str, object]
    due: float
    outcome: Outcome = WAITING
    tries: int = 0
    lost: int = 0
    has_links: bool = False
    had_links: bool = False
    is_here: bool = False
    is_processed: bool = False
    is_silent: bool = False


class Model:
    """Everything in one list, sorted for every lease."""

    def __init__(self, rule: UpdateRule, slots: int) -> None:
        self.rule = rule
        self.slots = slots
        self.own_slots: dict[str, int] = {}
        self.urls: dict[int, Url] = {}
        self.paused: dict[str, float] = {}
        self.fatal_urls: list[str] = []

    def in_state(self, outcome: Outcome) -> list[Url]:
        return [url for url in self.urls.values() if url.outcome == outcome]

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        return self._push_all(candidates, None)

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        self.urls[lease.key].has_links |= bool(links)
        return self._push_all(links, self.urls[lease.key])

    def _push_all(self, candidates: Sequence[Candidate], page: Url | None) -> Pushed:
        kinds = [self._push(candidate, page) for candidate in candidates]
        return Pushed(*(kinds.count(kind) for kind in Pushed._fields))

    def _push(self, candidate: Candidate, page: Url | None) -> str:
        url = self.urls.get(candidate.key)
        if url is None:
            due = -1.0 if candidate.not_before is None else candidate.not_before
            standing = Standing.first(candidate.score)
            seq = len(self.urls) + 1
            self.urls[candidate.key] = Url(candidate, seq, standing, candidate.payload, due)
            return "new"
        is_repeated = page is not None and page.had_links and self.rule is not UpdateRule.MAX
        if url.outcome != WAITING or is_repeated:
            return "known"
        before = url.standing
        if candidate.score > before.best:
            url.payload = candidate.payload
        url.standing = self.rule.add(before, candidate.score)
        return "raised" if url.standing.score > before.score else "known"

    def lease(self, count: int, now: float) -> list[Lease]:
        leases = []
        while len(leases) < count and (best := self._best(now)) and not self._is_kept_in(best):
            best.outcome = LEASED
            best.is_processed = best.is_silent = False
            best.is_here = False
            best.had_links = best.had_links or best.has_links
            best.has_links = False
            best.due = -1.0
            leases.append(self._lease(best))
        return leases

    def best_score(self, now: float) -> float | None:
        best = self._best(now)
        return None if best is None or self._is_kept_in(best) else best.standing.score

    def _best(self, now: float) -> Url | None:
        ready = [url for url in self._free() if self.at(url) <= now]
        return min(ready, key=lambda url: (-url.standing.score, url.seq), default=None)

    def _is_kept_in(self, url: Url | None) -> bool:
        out = [other for other in self.in_state(LEASED) if not other.is_silent]
        return any(other.lost for other in out) or bool(out and url and url.lost)

    def _lease(self, url: Url) -> Lease:
        new = url.candidate
        return Lease(
            new.key, new.url, new.host, url.standing.score, dict(url.payload), url.seq, url.tries, url.lost
        )  # fmt: skip

    def _free(self) -> list[Url]:
        out = [url.candidate.host for url in self.in_state(LEASED) if not url.is_here]
        return [
            url
            for url in self.in_state(WAITING)
            if out.count(url.candidate.host) < self.own_slots.get(url.candidate.host, self.slots)
        ]

    def at(self, url: Url) -> float:
        """Return when a waiting URL may go out."""
        return max(url.due, self.paused.get(url.candidate.host, -1.0))

    def next_due(self, now: float) -> float | None:
        if self._is_kept_in(self._best(now)):
            return None
        return min((max(now, self.at(url)) for url in self._free()), default=None)

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        for ack in acks:
            self.urls[ack.lease.key].outcome = ack.outcome
        pushed = [self._push_all(ack.links, self.urls[ack.lease.key]) for ack in acks]
        return Pushed(*map(sum, zip(*pushed, strict=True)))

    def retry(self, lease: Lease, not_before: float) -> None:
        url = self.urls[lease.key]
        url.outcome, url.due, url.tries = WAITING, not_before, url.tries + 1

    def release(self, lease: Lease) -> None:
        self.urls[lease.key].outcome = WAITING

    def free_slot(self, lease: Lease) -> None:
        self.urls[lease.key].is_here = True

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        self.urls[lease.key].is_processed = not waits
        self.urls[lease.key].is_silent = False

    def mark_silent(self, lease: Lease) -> None:
        self.urls[lease.key].is_silent = True

    def pause(self, host: str, until: float) -> None:
        self.paused[host] = max(until, self.paused.get(host, -1.0))

    def limit_delays(self, latest: float) -> None:
        for url in self.in_state(WAITING):
            url.due = min(url.due, latest)

    def set_slots(self, host: str, slots: int | None) -> None:
        self.own_slots[host] = self.slots if slots is None else slots

    def drop(self, keys: Iterable[int], reason: str) -> int:
        urls = [
            url for key, url in self.urls.items() if key in set(keys) and url.outcome == WAITING
        ]
        for url in urls:
            url.outcome = Outcome(State.DROPPED, reason)
        return len(urls)

    def drop_host(self, host: str, reason: str) -> int:
        return self.drop(
            [key for key, url in self.urls.items() if url.candidate.host == host], reason
        )

    def rescore(self, scores: Mapping[int, float]) -> int:
        urls = [self.urls[key] for key in scores if key in self.urls]
        changed = [
            url
            for url in urls
            if url.outcome == WAITING and url.standing.score != scores[url.candidate.key]
        ]
        for url in changed:
            score = scores[url.candidate.key]
            url.standing = Standing(score, score, url.standing.links)
        return len(changed)

    def begin_run(self, *, lost: bool) -> None:
        """Take the leases back; ``lost`` says that the run was killed."""
        self.own_slots = {}
        self.paused = {}
        self.fatal_urls = []
        for url in self.in_state(LEASED):
            url.outcome = WAITING
            if lost and not url.is_silent:
                url.lost = url.lost + url.is_processed if url.lost else 1
            if url.lost > 3:
                url.outcome = Outcome(State.FAILED, "kills the crawler")
                self.fatal_urls.append(url.candidate.url)

    def waiting(self) -> list[Waiting]:
        """Return the waiting URLs in order of arrival."""
        return [
            Waiting(
                url.candidate.key, url.candidate.url, url.candidate.host, url.standing.score, dict(url.payload)
            )
            for url in self.in_state(WAITING)
        ]  # fmt: skip

    def ended(self) -> list[Ended]:
        """Return the URLs that are done or have failed, in order of arrival."""
        return [
            Ended(url.candidate.url, url.candidate.host, url.outcome, dict(url.payload))
            for url in self.urls.values()
            if url.outcome.state in (State.DONE, State.FAILED)
        ]

    def hosts(self) -> dict[str, HostCounts]:
        names = {url.candidate.host for url in self.urls.values()}
        return {name: HostCounts(*(self._count(name, state) for state in State)) for name in names}

    def _count(self, host: str, state: State) -> int:
        urls = self.urls.values()
        return sum(url.candidate.host == host and url.outcome.state is state for url in urls)
