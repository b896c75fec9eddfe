"""Shards that a worker owns: scripts on them, and the memory of their URLs."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.frontier.host_queue import Place
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.fatal_urls import fatal_urls
from focuscrawl.frontier.redis.link_delivery import FoundLink, LinkDelivery
from focuscrawl.frontier.redis.redis_calls import Call, FencedError, RedisCalls, Reply
from focuscrawl.frontier.redis.shard_ownership import OwnedShard, ShardContents, ShardOwnership
from focuscrawl.frontier.redis.shard_rows import (
    LinkResult,
    PushedLink,
    Row,
    key_in,
    place_of,
    read_changes,
)
from focuscrawl.frontier.redis.worker_memory import WorkerMemory

logger = logging.getLogger(__name__)

_BATCH = 1000


class OwnedShards:
    """The shards of a worker, kept in step with the server.

    ``limits`` are the slots of a host, and the URLs in memory of a host and of all. Hosts of a shard
    that another worker had are paused for ``claim_pause`` seconds, the delay between two requests to a
    host. After an error of the connection everything in memory is read again: calls may have been
    executed without a reply, and a restarted server may have lost its last second.
    """

    def __init__(
        self,
        calls: RedisCalls,
        keys: CrawlKeys,
        ownership: ShardOwnership,
        limits: tuple[int, int, int],
        claim_pause: float,
    ) -> None:
        self.ownership = ownership
        self.owned = ownership.owned
        self.memory = WorkerMemory(self._best_of, self._quiet_until, *limits)
        self._claim_pause = claim_pause
        self.is_stale = False
        self.recovered = self.lost = 0
        self.left_out = fatal_urls(calls, keys)
        self.fatal_urls = list(self.left_out.values())
        self._calls = calls
        self._server_runs = calls.server_runs()
        self._keys = keys
        self._delivery = LinkDelivery(calls, keys, ownership)

    def keep(self, host: str) -> None:
        """Keep the shard of a host until the worker leaves, and lease lost URLs beside others.

        Otherwise a URL that is leased for the whole crawl would keep the others of its shard waiting.
        """
        self.ownership.kept = frozenset({self._keys.shard_of(host)})
        self.memory.isolates_suspects = False

    def tend(self) -> None:
        """Renew, claim and hand over leases of shards, and read the inboxes of this worker's shards."""
        with self.talking():
            # A client connects again to a server that was restarted between two calls without an error.
            if (runs := self._calls.server_runs()) != self._server_runs:
                self._server_runs, self.is_stale = runs, True
            changes = self.ownership.tend()
            for shard in changes.lost:
                self._lose(shard)
            for contents in changes.claimed:
                self.recovered += contents.recovered
                self.fatal_urls += contents.fatal_urls
                if contents.is_inherited and self._claim_pause:
                    # Another worker may have sent a request to any of the hosts a moment ago.
                    quiet_until = time.time() + self._claim_pause
                    self.owned[contents.shard].quiet_until = quiet_until
                self._show(contents)
            self.repair(
                contents.shard
                for contents in changes.claimed
                if bool(contents.hosts) != bool(self.owned[contents.shard].unfinished)
            )
            self._remove_hosts(changes.leaving)
            in_use = {self._keys.shard_of(host) for host in self.memory.leased.values()}
            leaving = [number for number, shard in self.owned.items() if shard.is_leaving]
            self.ownership.hand_over(shard for shard in leaving if shard not in in_use)
            self.show_links(self._delivery.receive())

    def repair(self, shards: Iterable[int]) -> None:
        """Make the queues and counts of shards again, after somebody has deleted keys."""
        missing = self.run(dict.fromkeys(shards, ("repair_shard",)))
        if missing:
            self.is_stale = True
            self.lost += sum(missing.values())
            logger.warning(
                "keys of %d shards at %s are missing: their queues and counts were made again, "
                "and %d URLs are lost",
                len(missing),
                self._calls.address,
                sum(missing.values()),
            )

    def check_lost(self) -> None:
        """Raise FrontierError if URLs of this worker's shards are lost: the crawl is not complete."""
        if self.lost:
            raise FrontierError(
                f"the server at {self._calls.address} has lost {self.lost} URLs of {self._keys.crawl}: "
                "keys were deleted, or evicted from a full memory; set maxmemory-policy noeviction "
                "there, and start the crawl again"
            )

    def repair_counts(self, unfinished: Sequence[int]) -> None:
        """Repair the shards that have another number of unfinished URLs than this worker knows."""
        self.repair([n for n, shard in self.owned.items() if unfinished[n] != shard.unfinished])

    def dues(self) -> list[float]:
        """Return the due times of delayed URLs."""
        shards = self.ownership.staying.values()
        return [shard.first_due for shard in shards if shard.first_due is not None]

    def repair_waiting(self) -> None:
        """Queue the waiting URLs that are in no queue, which are none unless keys were deleted."""
        if not any(shard.is_leaving for shard in self.owned.values()):
            self.repair([number for number, shard in self.owned.items() if shard.unfinished])

    def deliver(self, links: Sequence[FoundLink]) -> list[PushedLink]:
        """Deliver links; return those that were pushed to owned shards."""
        with self.talking():
            pushed = self._delivery.deliver(links)
            self.show_links(pushed)
        return pushed

    def wake(self, now: float) -> None:
        """Queue the delayed URLs that are due."""
        while due := [
            shard
            for shard, owned in self.ownership.staying.items()
            if owned.first_due is not None and owned.first_due <= now
        ]:
            calls = dict.fromkeys(due, ("wake_urls", repr(float(now)), _BATCH))
            for shard, (first_due, *woken) in self.run(calls).items():
                self.owned[shard].first_due = float(first_due) if first_due else None
                self.memory.show_woken(read_changes(woken))

    def lease(self, taken: Sequence[tuple[str, Place]]) -> list[Row | None]:
        """Lease URLs that were taken from memory; return their rows, None for one that does not wait."""
        keys: defaultdict[int, list[bytes]] = defaultdict(list)
        for host, (_, seq) in taken:
            keys[self._keys.shard_of(host)].append(key_in(seq))
        try:
            replies = self.run({shard: ("lease_urls", *found) for shard, found in keys.items()})
        except BaseException:
            self.memory.put_back(taken)
            raise
        rows = {
            key: Row.read(key, text)
            for shard, texts in replies.items()
            for key, text in zip(keys[shard], texts, strict=True)
            if text
        }
        return [rows.get(key_in(seq)) for _, (_, seq) in taken]

    def show_links(self, pushed: Iterable[PushedLink]) -> None:
        """Update the memory after links were pushed."""
        visible = []
        for link in pushed:
            shard = self.of_host(link.host)
            if shard is None:
                continue
            shard.unfinished += link.result in (LinkResult.NEW, LinkResult.NEW_DELAYED)
            if link.result is LinkResult.NEW_DELAYED:
                shard.expect(link.due)
            if not shard.is_leaving:
                visible.append(link)
        self.memory.show_links(visible)

    def _show(self, contents: ShardContents) -> None:
        self.memory.add_suspects(contents.suspects)
        self.memory.add_hosts(contents.hosts)

    def _lose(self, shard: int) -> None:
        """Leave a shard that belongs to another worker, with the leases of its URLs."""
        self._remove_hosts([shard])
        for seq, host in list(self.memory.leased.items()):
            if self._keys.shard_of(host) == shard:
                del self.memory.leased[seq]

    def _remove_hosts(self, shards: Sequence[int]) -> None:
        for host in self.memory.hosts() if shards else ():
            if self._keys.shard_of(host) in shards:
                self.memory.agenda.remove_host(host)

    def _reload(self) -> None:
        """Read everything in memory again."""
        self.memory.clear()
        for seq, host in list(self.memory.leased.items()):
            if self._keys.shard_of(host) not in self.owned:
                del self.memory.leased[seq]
        found = self.ownership.read(self.ownership.staying)
        self._return_unknown_leases(found)
        for contents in found:
            self._show(contents)
        self.is_stale = False

    def _return_unknown_leases(self, found: Iterable[ShardContents]) -> None:
        """End the leases whose URLs never arrived here; nobody else would before this worker ends."""
        known = {key_in(seq) for seq in self.memory.leased} | self.memory.abandoned
        self._calls.try_each(
            [
                Call.of(
                    "return_lease",
                    self._keys.shard(contents.shard),
                    self.owned[contents.shard].owner,
                    key,
                    "",
                )
                for contents in found
                for key in contents.leases
                if key not in known
            ]
        )

    def run(self, calls: Mapping[int, tuple[object, ...]]) -> dict[int, Reply]:
        """Run a script on shards of this worker; return the replies of those that it still owns."""
        own = {shard: call for shard, call in calls.items() if shard in self.owned}
        with self.talking():
            replies = self._calls.try_each(
                [
                    Call.of(str(name), self._keys.shard(shard), self.owned[shard].owner, *arguments)
                    for shard, (name, *arguments) in own.items()
                ]
            )
        results = dict(zip(own, replies, strict=True))
        for shard in [shard for shard, reply in results.items() if isinstance(reply, FencedError)]:
            del results[shard], self.owned[shard]
            self._lose(shard)
        return results

    @contextmanager
    def talking(self) -> Iterator[None]:
        """Read the memory again after an error of the connection, which may have changed anything."""
        if self.is_stale:
            self._reload()
        try:
            yield
        except FrontierUnavailableError:
            self.is_stale = True
            raise

    def _best_of(self, host: str, count: int) -> list[Place]:
        key = self._keys.queue(self._keys.shard_of(host), host)
        found = self._calls.one(key, "ZRANGE", key, 0, count - 1, "WITHSCORES")
        return [
            place_of(member, float(score))
            for member, score in zip(found[::2], found[1::2], strict=True)
        ]

    def _quiet_until(self, host: str) -> float | None:
        shard = self.of_host(host)
        return shard.quiet_until if shard else None

    def of_host(self, host: str) -> OwnedShard | None:
        """Return the shard of a host, None if another worker owns it."""
        return self.owned.get(self._keys.shard_of(host))
