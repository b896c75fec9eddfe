"""Frontier on Valkey or Redis: one crawl by any number of workers, each the owner of some shards."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.frontier.frontier_entries import (
    DONE,
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
    State,
    Waiting,
    check_acks,
    check_scores,
    storable,
)
from focuscrawl.frontier.frontier_protocol import UNKNOWN, Hosts
from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.owned_shards import DeliveredLink, OwnedShards
from focuscrawl.workers.redis_calls import RedisCalls
from focuscrawl.workers.shard_ownership import ShardOwnership
from focuscrawl.workers.shard_rows import (
    NUMBER_OF,
    LinkResult,
    ShardReader,
    ShardRow,
    key_bytes,
    key_in,
    read_changes,
)
from focuscrawl.workers.shared_state import (
    LOOKS_AGAIN,
    Attempt,
    BestScores,
    SharedState,
)

# In seconds: clocks that differ less are those of machines that are kept in step.
_SAME_TIME = 5.0


def seconds_ahead(calls: RedisCalls, keys: CrawlKeys) -> float:
    """Return how many seconds the server's clock is ahead of this machine's; 0 for a few."""
    seconds, micros = calls.one(keys.crawl, "TIME")
    ahead = float(seconds + micros / 1e6 - time.time())
    return ahead if abs(ahead) > _SAME_TIME else 0.0


def by_server_time(link: Candidate, ahead: float) -> Candidate:
    """Return a link with its due time by the server's clock."""
    due = link.not_before
    return link._replace(not_before=due + ahead) if due is not None and ahead else link


class RedisFrontier:
    """A :class:`~focuscrawl.frontier.frontier_protocol.Frontier` shared by the workers of a crawl.

    Hosts are hashed to shards. A worker leases the best URLs of its own shards; links to other shards
    are sent to the inboxes of those, from which their owners push them. The lease of a URL whose shard
    was lost is not this worker's any more. The links of a page are written before its end, and pushing
    a link again changes nothing (the rule is ``max``), so a worker or server that dies loses no link.
    The first URLs of each host are in memory, since nobody else writes to a shard. :meth:`tend` must be
    called every few seconds.

    With ``follows_best`` it leases only URLs that are as good as the best ones of the others, so that
    the order is that of one worker, for the price of speed. The lease of a URL of the host ``lasting``
    may last as long as the crawl: see :meth:`~focuscrawl.workers.owned_shards.OwnedShards.keep`.
    """

    def __init__(
        self,
        calls: RedisCalls,
        keys: CrawlKeys,
        worker: str,
        *,
        slots: int = 1,
        window: int = 64,
        budget: int = 200_000,
        lease_seconds: float = 30.0,
        follows_best: bool = False,
        claim_pause: float = 0.0,
        lasting: str | None = None,
    ) -> None:
        self._calls = calls
        self._keys = keys
        self._ownership = ShardOwnership(calls, keys, worker, lease_seconds)
        self._owned = self._ownership.owned
        limits = slots, window, budget
        self._shards = OwnedShards(calls, keys, self._ownership, limits, claim_pause)
        self._memory = self._shards.memory
        if lasting is not None:
            self._shards.keep(lasting)
        self._reader = ShardReader(calls, keys)
        self._best = BestScores(keys, worker) if follows_best else None
        self.label = calls.address
        self._ahead = seconds_ahead(calls, keys)
        self.tend()

    @property
    def recovered(self) -> int:
        """Number of leases of dead workers that this one has recovered."""
        return self._shards.recovered

    @property
    def fatal_urls(self) -> Sequence[str]:
        """URLs that kill crawlers: those of earlier generations, and those marked as failed by this worker."""
        return self._shards.fatal_urls

    @property
    def waiting(self) -> int:
        """Number of waiting URLs of this worker's shards, including those that may not be leased yet."""
        return sum(shard.unfinished for shard in self._owned.values()) - self.leased

    @property
    def leased(self) -> int:
        """Number of leases of this worker."""
        return len(self._memory.leased)

    def tend(self) -> None:
        """Renew, claim and hand over leases of shards, and read the inboxes of this worker's shards."""
        self._shards.tend()

    def is_over(self) -> bool:
        """Return whether no URL waits or is leased in the whole crawl, and no link is on its way."""
        with self._shards.talking():
            unfinished = self._reader.unfinished()
            if not any(unfinished) and self._reader.is_over():
                self._ownership.check_mark()
                self._shards.check_lost()
                return True
            if not self.waiting and not self.leased:
                self._shards.repair_counts(unfinished)
        return False

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        """Add seeds. Those of shards of other workers are counted by these."""
        return self._write([DeliveredLink(candidate, "") for candidate in candidates], [])

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lease the best waiting URLs whose host has a free slot and no pause, at most ``count``."""
        if not self.is_valid:
            return []
        with self._shards.talking():
            self._shards.wake(now + self._ahead)
            taken, rows = self._take(count, now)
        leases, damaged = [], set()
        for (host, (_, seq)), row in zip(taken, rows, strict=True):
            if row is None:
                self._memory.end(host, seq)
                damaged.add(self._keys.shard_of(host))
                continue
            self._memory.leased[seq] = host
            leases.append(row.lease())
        with suppress(FrontierUnavailableError):
            self._shards.repair(damaged)
        return leases

    def _take(
        self, count: int, now: float
    ) -> tuple[list[tuple[str, Place]], list[ShardRow | None]]:
        """Take the best URLs from memory and lease them; tell the others the score of the next one."""
        if self._best is None:
            taken = self._memory.take(count, now)
            return taken, self._shards.lease(taken)
        least = self._best.limit
        while True:
            taken = self._memory.take(count, now, least)
            best = self._own_best(now)
            if not taken and self._best.has_nothing_to_tell(best):
                return [], []
            rows = self._shards.lease(taken, self._best.publication(best))
            # If nothing was taken, the others may have leased what was better.
            if taken or best is None or not self._best.of_others <= best < least:
                return taken, rows
            least = self._best.of_others

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would return first, None if there is none."""
        return self._own_best(now) if self.next_due(now) == now else None

    def _own_best(self, now: float) -> float | None:
        return -entry[0] if (entry := self._memory.agenda.peek(now)) else None

    @property
    def _least_score(self) -> float:
        return self._best.of_others if self._best else -inf

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        """Push links of a page that is not finished; its lease stays."""
        return self.found_many([(lease, links)])

    def found_many(self, pages: Sequence[tuple[Lease, Sequence[Candidate]]]) -> Pushed:
        """Push links of several pages that are not finished."""
        for lease, _ in pages:
            self._check_leased(lease)
        return self._write(
            [DeliveredLink(link, lease.url) for lease, links in pages for link in links], []
        )

    def ack(self, lease: Lease, links: Sequence[Candidate] = (), outcome: Outcome = DONE) -> Pushed:
        """Push the page's links, then end its lease."""
        return self.ack_many([Ack(lease, links, outcome)])

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        """Push the links of several pages, then end their leases."""
        check_acks(acks, self._memory.leased)
        return self._write(
            [DeliveredLink(link, ack.lease.url) for ack in acks for link in ack.links], acks
        )

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``, with one more try."""
        due = not_before + self._ahead
        self._return(lease, repr(float(due)))
        if shard := self._shards.of_host(lease.host):
            shard.expect(due)

    def release(self, lease: Lease) -> None:
        """Undo a lease; the URL waits with its old rank."""
        self._return(lease, "", place(lease.score, lease.seq))

    @property
    def is_valid(self) -> bool:
        """True as long as no lease can have expired."""
        return self._ownership.is_valid

    def holds(self, lease: Lease) -> bool:
        """Return whether a lease is still this worker's."""
        return lease.seq in self._memory.leased

    def abandon(self, lease: Lease) -> None:
        """Leave a lease as if the worker had died, so that the URL is a suspect for the next owner."""
        self._check_leased(lease)
        self._memory.abandoned.add(key_in(lease.seq))
        self._memory.end(lease.host, lease.seq)

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease, although the page is not finished."""
        self._check_leased(lease)
        self._memory.free_slot(lease.host, lease.seq)

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether the page is being read, which matters for a suspect and after :meth:`mark_silent`."""
        self._check_leased(lease)
        if self._memory.hear(lease.seq) or lease.seq in self._memory.suspects:
            self._mark(lease, int(not waits))

    def mark_silent(self, lease: Lease) -> None:
        """Record that the page waits for its host: it is not leased alone, and no suspect after a death."""
        self._check_leased(lease)
        self._mark(lease, "-")
        self._memory.silence(lease.seq)

    def _mark(self, lease: Lease, mark: int | str) -> None:
        call = "mark_processed", key_in(lease.seq), mark
        self._shards.run({self._keys.shard_of(lease.host): call})

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``, in this run of this worker."""
        self._memory.pause(storable(host), until)

    def limit_delays(self, latest: float) -> None:
        """Limit the due times of retried URLs to ``latest``."""
        replies = self._shards.run(
            dict.fromkeys(self._owned, ("limit_delays", repr(float(latest + self._ahead))))
        )
        for shard, due in replies.items():
            self._owned[shard].first_due = float(due) if due else None

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host in this run."""
        self._memory.set_slots(storable(host), slots)

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a URL can be leased, else the end of the next pause or delay."""
        with self._shards.talking():
            self._shards.wake(now + self._ahead)
            if not self._memory.suspects.isdisjoint(self._memory.leased):
                return None
            if entry := self._memory.agenda.peek(now):
                if self._memory.are_others_leased and entry[1] in self._memory.suspects:
                    return None
                return now if -entry[0] >= self._least_score else now + LOOKS_AGAIN
        times = [due - self._ahead for due in self._shards.dues()]
        if (end := self._memory.agenda.next_pause_end()) is not None:
            times.append(end)
        if not (times or self.leased or self._memory.abandoned) and self._ownership.is_valid:
            self._shards.repair_waiting()
        return min(times, default=None)

    def drop(self, keys: Iterable[int], reason: str, hosts: Hosts = UNKNOWN) -> int:
        """Drop the waiting ones of the URLs in this worker's shards; return their number."""
        return sum(
            self._drop(
                {
                    shard: ("drop_urls", reason, *map(key_bytes, found))
                    for shard, found in group.items()
                }
            )
            for group in self._reader.batches(keys, hosts)
        )

    def drop_host(self, host: str, reason: str) -> int:
        """Drop all waiting URLs of a host of this worker; return their number."""
        host, count = storable(host), 0
        call = {self._keys.shard_of(host): ("drop_urls", reason, "", host)}
        while self._shards.of_host(host) and (dropped := self._drop(call)):
            count += dropped
        return count

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) of this worker's shards, each in order of arrival."""
        if host is None:
            return self._reader.each_waiting(list(self._owned))
        return self._reader.each_waiting_of(storable(host))

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed lately, in order of arrival in each shard."""
        return self._reader.each_ended()

    def rescore(self, scores: Mapping[int, float], hosts: Hosts = UNKNOWN) -> int:
        """Set the scores of waiting URLs in this worker's shards; return the number of changes."""
        check_scores(scores.values())
        count = 0
        for group in self._reader.batches(scores, hosts):
            calls = {}
            for shard, keys in group.items():
                pairs = [
                    word for key in keys for word in (key_bytes(key), repr(float(scores[key])))
                ]
                calls[shard] = ("rescore_urls", *pairs)
            changes = [
                change
                for reply in self._shards.run(calls).values()
                for change in read_changes(reply)
            ]
            self._memory.show_rescored(changes, scores)
            count += len(changes)
        return count

    def known(self, keys: Iterable[int], hosts: Hosts = UNKNOWN) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""
        with self._shards.talking():
            return self._reader.known(keys, hosts)

    def look_up(
        self, keys: Hosts, hosts: Iterable[str]
    ) -> tuple[dict[int, State], dict[str, HostCounts]]:
        """Return the states of URLs, given with their hosts, and the counts of hosts together."""
        with self._shards.talking():
            return self._reader.look_up(keys, keys, list(hosts))

    def changes_nothing(self, key: int, score: float) -> bool:
        """Return whether a link is known to be without effect; False if only the server could tell."""
        bound = self._memory.cache.look(key)
        return key in self._shards.left_out or (bound is not None and score <= bound)

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given hosts, or for all hosts and outcomes."""
        with self._shards.talking():
            return self._reader.counts(hosts)

    def explain(self, key: int) -> Explanation | None:
        """Return all data about a URL, None for an unknown one or one that ended long ago."""
        with self._shards.talking():
            found = self._reader.explain(key)
        if found and found.not_before is not None:
            found = found._replace(not_before=found.not_before - self._ahead)
        return found

    def shared_pages(self, attempt: Attempt) -> SharedState:
        """Return what the workers share beside URLs; ``attempt`` makes calls that may be repeated."""
        return SharedState(self._calls, self._keys, attempt)

    def close(self) -> None:
        """Release the leases of this worker, hand over its shards, and close the connection."""
        try:
            for seq, host in list(self._memory.leased.items()):
                self._shards.run({self._keys.shard_of(host): ("return_lease", key_in(seq), "")})
            self._ownership.leave(is_over=self._reader.is_over())
        finally:
            self._calls.close()

    def _write(self, links: Sequence[DeliveredLink], acks: Sequence[Ack]) -> Pushed:
        check_scores([link.candidate.score for link in links])
        unknown = [
            DeliveredLink(by_server_time(candidate, self._ahead), page)
            for candidate, page in links
            if not self.changes_nothing(candidate.key, candidate.score)
        ]
        pushed = self._shards.deliver(unknown)
        self._end(acks)
        results = [link.result for link in pushed]
        new = sum(result in (LinkResult.NEW, LinkResult.NEW_DELAYED) for result in results)
        raised = sum(result in (LinkResult.RAISED, LinkResult.RAISED_DELAYED) for result in results)
        return Pushed(new, raised, len(pushed) - new - raised + len(links) - len(unknown))

    def _end(self, acks: Sequence[Ack]) -> None:
        calls: dict[int, tuple[object, ...]] = {}
        for lease, _, (state, reason) in acks:
            shard = self._keys.shard_of(lease.host)
            end = key_in(lease.seq), NUMBER_OF[state], reason
            calls[shard] = (*calls.get(shard, ("end_leases",)), *end)
        ended = self._shards.run(calls)
        for shard, count in ended.items():
            self._owned[shard].unfinished -= count
            # The server has lost some of the leases: the pages wait there again.
            self._shards.is_stale |= count < (len(calls[shard]) - 1) // 3
        for lease, _, _ in acks:
            self._memory.cache.replace(lease.key, float("inf"))
            self._memory.end(lease.host, lease.seq)

    def _return(self, lease: Lease, due: str, again: Place | None = None) -> None:
        self._check_leased(lease)
        if self._shards.run(
            {self._keys.shard_of(lease.host): ("return_lease", key_in(lease.seq), due)}
        ):
            self._memory.end(lease.host, lease.seq, again)

    def _drop(self, calls: Mapping[int, tuple[object, ...]]) -> int:
        count = 0
        for shard, reply in self._shards.run(calls).items():
            dropped = list(read_changes(reply))
            self._owned[shard].unfinished -= len(dropped)
            self._memory.show_dropped(dropped)
            count += len(dropped)
        return count

    def _check_leased(self, lease: Lease) -> None:
        if lease.seq not in self._memory.leased:
            raise NotLeasedError(f"not leased: {lease.url}")
