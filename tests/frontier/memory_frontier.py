"""Frontier in memory, the plainest one: the oracle of the others, and a quick one for tests."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from focuscrawl.frontier.frontier_entries import (
    DONE,
    FATAL,
    MOST_LOST,
    Ack,
    Candidate,
    Counts,
    Ended,
    Explanation,
    HostCounts,
    Lease,
    NotLeasedError,
    Outcome,
    Pushed,
    Source,
    State,
    Waiting,
    check_acks,
    check_scores,
    dropped,
    payload_text,
    storable,
)
from focuscrawl.frontier.frontier_protocol import UNKNOWN, Hosts
from focuscrawl.frontier.update_score import SourceLink, Standing, UpdateRule, best_sources

_UNFINISHED = (State.WAITING, State.LEASED)


@dataclass(slots=True)
class _Url:
    key: int
    seq: int
    url: str
    host: str
    standing: Standing
    payload: str
    sources: list[SourceLink]
    due: float | None
    outcome: Outcome = field(default=Outcome(State.WAITING))
    tries: int = 0
    lost: int = 0
    run: int = 0
    holds_slot: bool = False
    has_links: bool = False
    had_links: bool = False
    is_processed: bool = False

    @property
    def is_waiting(self) -> bool:
        return self.outcome.state is State.WAITING

    @property
    def place(self) -> tuple[float, int]:
        return (-self.standing.score, self.seq)


@dataclass(slots=True)
class _Host:
    slots: int
    out: int = 0
    paused_until: float = float("-inf")
    queue: list[tuple[float, int]] = field(default_factory=list)


class MemoryFrontier:
    """A :class:`~focuscrawl.frontier.frontier_protocol.Frontier` of one heap for each host.

    Leasing takes time proportional to the number of hosts. Given the frontier of an ``earlier`` run, it
    continues with its URLs as if that run had been killed.
    """

    def __init__(
        self,
        *,
        rule: UpdateRule = UpdateRule.MAX,
        slots: int = 1,
        earlier: MemoryFrontier | None = None,
    ) -> None:
        self.rule = rule
        self._slots = slots
        self._run: int = earlier._run + 1 if earlier else 1
        self._urls: dict[int, _Url] = earlier._urls if earlier else {}
        self._by_seq: dict[int, _Url] = earlier._by_seq if earlier else {}
        self._hosts: dict[str, _Host] = earlier._hosts if earlier else {}
        self._delayed: list[tuple[float, int]] = earlier._delayed if earlier else []
        self._leased: dict[int, _Url] = earlier._leased if earlier else {}
        for host in self._hosts.values():
            host.slots, host.paused_until = slots, float("-inf")
        self.fatal_urls: list[str] = []
        self.recovered = self.recover()

    @property
    def waiting(self) -> int:
        """Number of waiting URLs, including those that may not be leased yet."""
        return sum(url.is_waiting for url in self._urls.values())

    @property
    def leased(self) -> int:
        """Number of leases."""
        return len(self._leased)

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        """Add seeds."""
        _check(candidates)
        return Pushed.sum_of(self._add(each, None) for each in candidates)

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lease the best waiting URLs whose host has a free slot and no pause, at most ``count``."""
        self._wake(now)
        leases: list[Lease] = []
        while len(leases) < count and (best := self._allowed(now)):
            leases.append(self._lend(best))
        return leases

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would return first, None if there is none."""
        self._wake(now)
        return best.standing.score if (best := self._allowed(now)) else None

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        """Push links of a page that is not finished; its lease stays."""
        _check(links)
        page = self._leased_url(lease)
        page.has_links |= bool(links)
        return Pushed.sum_of(self._add(link, page) for link in links)

    def ack(self, lease: Lease, links: Sequence[Candidate] = (), outcome: Outcome = DONE) -> Pushed:
        """End a lease and push the page's links."""
        return self.ack_many([Ack(lease, links, outcome)])

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        """End several leases."""
        check_acks(acks, self._leased)
        _check([link for ack in acks for link in ack.links])
        for ack in acks:
            self._end(ack.lease).outcome = ack.outcome
        by_seq = self._by_seq
        return Pushed.sum_of(
            self._add(link, by_seq[ack.lease.seq]) for ack in acks for link in ack.links
        )

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``."""
        url = self._end(lease)
        url.tries += 1
        url.due = not_before
        self._queue(url)

    def release(self, lease: Lease) -> None:
        """Undo a lease."""
        self._queue(self._end(lease))

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease, although the page is not finished."""
        self._free_slot(self._leased_url(lease))

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether the page is being read."""
        self._leased_url(lease).is_processed = not waits

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``."""
        held = self._host(host)
        held.paused_until = max(held.paused_until, until)

    def limit_delays(self, latest: float) -> None:
        """Limit the due times of retried URLs to ``latest``."""
        for url in self._urls.values():
            if url.due is not None and url.due > latest:
                url.due = latest
                heapq.heappush(self._delayed, (latest, url.seq))

    def set_slots(self, host: str, slots: int) -> None:
        """Limit the concurrent leases of a host."""
        self._host(host).slots = slots

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a URL can be leased, else the end of the next pause or delay."""
        self._wake(now)
        if self._is_suspect_leased or (self._best(now) and not self._allowed(now)):
            return None
        times = []
        for url in self._urls.values():
            host = self._hosts[url.host]
            if url.is_waiting and host.out < host.slots:
                times.append(max(now, host.paused_until, now if url.due is None else url.due))
        return min(times, default=None)

    def drop(self, keys: Iterable[int], reason: str, hosts: Hosts = UNKNOWN) -> int:
        """Drop the waiting ones of the URLs; return their number."""
        urls = [self._urls[key] for key in dict.fromkeys(keys) if key in self._urls]
        return self._drop([url for url in urls if url.is_waiting], reason)

    def drop_host(self, host: str, reason: str) -> int:
        """Drop all waiting URLs of a host; return their number."""
        urls = [url for url in self._urls.values() if url.host == storable(host)]
        return self._drop([url for url in urls if url.is_waiting], reason)

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) in order of arrival."""
        for url in list(self._urls.values()):
            if url.is_waiting and host in (None, url.host):
                facts = url.key, url.url, url.host, url.standing.score
                yield Waiting(*facts, json.loads(url.payload))

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed, in order of arrival."""
        for url in list(self._urls.values()):
            if url.outcome.state in (State.DONE, State.FAILED):
                yield Ended(url.url, url.host, url.outcome, json.loads(url.payload))

    def rescore(self, scores: Mapping[int, float], hosts: Hosts = UNKNOWN) -> int:
        """Set the scores of waiting URLs; return the number of changes."""
        check_scores(scores.values())
        changed = 0
        for key, score in scores.items():
            url = self._urls.get(key)
            if url and url.is_waiting and url.standing.score != score:
                url.standing = Standing(score, score, url.standing.links)
                self._queue(url)
                changed += 1
        return changed

    def recover(self) -> int:
        """Recover the leases of earlier runs; return their number."""
        lost = [url for url in self._leased.values() if url.run != self._run]
        for url in lost:
            url.lost = max(url.lost, 1) + (url.lost > 0 and url.is_processed)
            self._free(url)
            if url.lost > MOST_LOST:
                url.outcome = FATAL
                self.fatal_urls.append(url.url)
            else:
                self._queue(url)
        return len(lost)

    def known(self, keys: Iterable[int], hosts: Hosts = UNKNOWN) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""
        return {key: self._urls[key].outcome.state for key in keys if key in self._urls}

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given or all hosts, and by outcome for all of them together."""
        states = Counter((url.host, url.outcome.state) for url in self._urls.values())
        outcomes = Counter(url.outcome for url in self._urls.values())
        names = self._hosts if hosts is None else hosts
        by_host = {name: HostCounts(*(states[storable(name), s] for s in State)) for name in names}
        ended = {end: count for end, count in outcomes.items() if end.state not in _UNFINISHED}
        return Counts(by_host, ended)

    def explain(self, key: int) -> Explanation | None:
        """Return all data about a URL, None for an unknown one."""
        url = self._urls.get(key)
        if url is None:
            return None
        pairs = url.sources
        sources = [Source("" if n is None else self._by_seq[n].url, score) for n, score in pairs]
        return Explanation(
            url.url, url.host, url.outcome, url.standing.score, json.loads(url.payload),
            url.due, url.tries, url.lost, sources,
        )  # fmt: skip

    def close(self) -> None:
        """Release the leases of this run."""
        for url in list(self._leased.values()):
            self._free(url)
            self._queue(url)

    def _add(self, candidate: Candidate, page: _Url | None) -> Pushed:
        url = self._urls.get(candidate.key)
        number = page.seq if page else None
        if url is None:
            self._add_new(candidate, number)
            return Pushed(new=1)
        if page and page.had_links and self.rule is not UpdateRule.MAX:
            return Pushed(known=1)
        before = url.standing
        after = self.rule.add(before, candidate.score)
        is_better = after.score > before.score
        if not url.is_waiting or (self.rule is UpdateRule.MAX and not is_better):
            return Pushed(known=1)
        if candidate.score > before.best:
            url.payload = payload_text(candidate.payload)
        url.sources = best_sources(url.sources, (number, candidate.score))
        url.standing = after
        self._queue(url)
        return Pushed(raised=1) if is_better else Pushed(known=1)

    def _add_new(self, candidate: Candidate, page: int | None) -> None:
        url = _Url(
            key=candidate.key,
            seq=len(self._urls) + 1,
            url=storable(candidate.url),
            host=storable(candidate.host),
            standing=Standing.first(candidate.score),
            payload=payload_text(candidate.payload),
            sources=best_sources([], (page, candidate.score)),
            due=candidate.not_before,
        )
        self._urls[url.key] = self._by_seq[url.seq] = url
        self._host(url.host)
        self._queue(url)

    def _queue(self, url: _Url) -> None:
        """Queue a waiting URL; :meth:`_head` skips its outdated entries."""
        url.outcome = Outcome(State.WAITING)
        if url.due is None:
            heapq.heappush(self._hosts[url.host].queue, url.place)
        else:
            heapq.heappush(self._delayed, (url.due, url.seq))

    def _wake(self, now: float) -> None:
        while self._delayed and self._delayed[0][0] <= now:
            due, seq = heapq.heappop(self._delayed)
            url = self._by_seq[seq]
            if url.is_waiting and url.due == due:
                url.due = None
                self._queue(url)

    def _best(self, now: float) -> _Url | None:
        hosts = self._hosts.values()
        free = (host for host in hosts if host.out < host.slots and host.paused_until <= now)
        heads = (url for host in free if (url := self._head(host)))
        return min(heads, key=lambda url: url.place, default=None)

    def _allowed(self, now: float) -> _Url | None:
        """Return the best URL if it may be leased together with the leased ones."""
        best = self._best(now)
        must_wait = self._is_suspect_leased or (best and best.lost and self._leased)
        return None if must_wait else best

    @property
    def _is_suspect_leased(self) -> bool:
        return any(url.lost for url in self._leased.values())

    def _head(self, host: _Host) -> _Url | None:
        while host.queue:
            url = self._by_seq[host.queue[0][1]]
            if url.is_waiting and url.due is None and url.place == host.queue[0]:
                return url
            heapq.heappop(host.queue)
        return None

    def _lend(self, url: _Url) -> Lease:
        url.outcome = Outcome(State.LEASED)
        url.run = self._run
        url.is_processed = False
        url.had_links |= url.has_links
        url.has_links = False
        self._hosts[url.host].out += 1
        url.holds_slot = True
        self._leased[url.seq] = url
        facts = url.key, url.url, url.host, url.standing.score, json.loads(url.payload)
        return Lease(*facts, url.seq, url.tries, url.lost)

    def _end(self, lease: Lease) -> _Url:
        url = self._leased_url(lease)
        self._free(url)
        return url

    def _leased_url(self, lease: Lease) -> _Url:
        url = self._leased.get(lease.seq)
        if url is None:
            raise NotLeasedError(f"not leased: {lease.url}")
        return url

    def _free(self, url: _Url) -> None:
        del self._leased[url.seq]
        self._free_slot(url)

    def _free_slot(self, url: _Url) -> None:
        self._hosts[url.host].out -= url.holds_slot
        url.holds_slot = False

    def _drop(self, urls: Sequence[_Url], reason: str) -> int:
        for url in urls:
            url.outcome = dropped(reason)
            url.due = None
        return len(urls)

    def _host(self, name: str) -> _Host:
        return self._hosts.setdefault(storable(name), _Host(self._slots))


def _check(candidates: Sequence[Candidate]) -> None:
    """Check the arguments before anything is changed."""
    check_scores(candidate.score for candidate in candidates)
    for candidate in candidates:
        payload_text(candidate.payload)
