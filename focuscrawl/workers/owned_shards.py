"""Shards that a worker owns: scripts on them, and the memory of their URLs."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import NamedTuple

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.frontier.frontier_entries import Candidate, storable
from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.frontier.host_selection import Agenda
from focuscrawl.frontier.seen_url_caches import LockedCache
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import Beside, Call, FencedError, RedisCalls, Reply
from focuscrawl.workers.shard_ownership import OwnedShard, ShardContents, ShardOwnership
from focuscrawl.workers.shard_rows import (
    LinkResult,
    PushedLink,
    RowChange,
    ShardRow,
    fatal_urls,
    key_in,
    link_words,
    place_of,
    read_changes,
)

logger = logging.getLogger(__name__)

# Pauses that have ended are forgotten when there are more.
_MOST_PAUSES = 1000


class WorkerMemory:
    """Order of the waiting URLs of all owned shards, and the leases of this worker.

    ``best_of`` reads the first places of a host's queue, ``quiet_until`` returns the time before which
    nothing may be sent to a host, if there is one. Of each host the best ``window`` URLs are in memory, at most
    ``budget`` in total.
    """

    def __init__(
        self,
        best_of: Callable[[str, int], list[Place]],
        quiet_until: Callable[[str], float | None],
        slots: int,
        window: int,
        budget: int,
    ) -> None:
        self.leased: dict[int, str] = {}
        """Hosts of the leased URLs by number."""
        self.abandoned: set[bytes] = set()
        """Keys of the leases that are left to the next owner."""
        self.suspects: set[int] = set()
        """Numbers of URLs that were lost with a worker; they are leased alone."""
        # Whether they were suspects.
        self._silent: dict[int, bool] = {}
        self._quiet_until = quiet_until
        self.isolates_suspects = True
        self._new_agenda = partial(Agenda[str], best_of, slots, window, budget)
        self._slots: dict[str, int] = {}
        self._pauses: dict[str, float] = {}
        self._most_pauses = _MOST_PAUSES
        self.clear()

    def clear(self) -> None:
        """Forget everything but leases, slots and pauses."""
        self.cache = LockedCache()
        self.suspects.clear()
        self.agenda = self._new_agenda()
        for host, slots in self._slots.items():
            self.agenda.set_slots(host, None, slots)

    def add_suspects(self, numbers: Iterable[int]) -> None:
        """Add numbers of URLs that were lost with a worker."""
        if self.isolates_suspects:
            self.suspects.update(numbers)

    @property
    def are_others_leased(self) -> bool:
        """True if a URL is leased that is not silent."""
        return not self.leased.keys() <= self._silent.keys()

    def silence(self, seq: int) -> None:
        """Lease others beside a leased URL until :meth:`hear`, or the end of its lease."""
        self._silent[seq] = seq in self.suspects
        self.suspects.discard(seq)

    def hear(self, seq: int) -> bool:
        """Undo :meth:`silence`; return whether there was anything to undo."""
        was_suspect = self._silent.pop(seq, None)
        if was_suspect:
            self.suspects.add(seq)
        return was_suspect is not None

    def add_hosts(self, hosts: Iterable[str]) -> None:
        """Add hosts with waiting URLs, or with leases that this worker holds."""
        leased = self._leased_by_host()
        for host in hosts:
            self._add_host(host, more=True)
            for seq in leased.get(host, ()):
                self.agenda.hold(host, seq)

    def hosts(self) -> list[str]:
        """Return the hosts with waiting or leased URLs."""
        return self.agenda.hosts()

    def take(self, count: int, now: float, least: float = -inf) -> list[tuple[str, Place]]:
        """Take the best URLs that may be leased together, at most ``count``, down to a least score."""
        if len(self._pauses) > self._most_pauses:
            self._pauses = {host: until for host, until in self._pauses.items() if until > now}
            self._most_pauses = max(_MOST_PAUSES, 2 * len(self._pauses))
        taken: list[tuple[str, Place]] = []
        while len(taken) < count and self.suspects.isdisjoint(self.leased):
            best = self.agenda.peek(now)
            is_suspect = best is not None and best[1] in self.suspects
            if (
                best is None
                or -best[0] < least
                or (is_suspect and (self.are_others_leased or taken))
            ):
                break
            found = self.agenda.take(now)
            assert found is not None
            taken.append(found)
            if is_suspect:
                break
        return taken

    def put_back(self, taken: Iterable[tuple[str, Place]]) -> None:
        """Undo :meth:`take`."""
        for host, entry in taken:
            self.end(host, entry[1], entry)

    def end(self, host: str, seq: int, again: Place | None = None) -> None:
        """Remove a lease; ``again`` is the place of the URL if it waits again."""
        self.leased.pop(seq, None)
        self.hear(seq)
        if host in self.agenda:
            self.agenda.end(host, seq, again)

    def free_slot(self, host: str, seq: int) -> None:
        """Free the slot of a lease."""
        if host in self.agenda:
            self.agenda.free_slot(host, seq)

    def pause(self, host: str, until: float) -> None:
        """Pause a host; a shorter pause than the present one changes nothing."""
        if until > self._pauses.get(host, -inf):
            self._pauses[host] = until
            if host in self.agenda:
                self.agenda.pause(host, until)

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host; None is the limit of all hosts."""
        if slots is None:
            self._slots.pop(host, None)
        else:
            self._slots[host] = slots
        self.agenda.set_slots(host, host, slots)

    def show_links(self, links: Iterable[PushedLink]) -> None:
        """Update the order after links were pushed."""
        for link in links:
            host, seq, score = link.host, link.seq, link.score
            if link.result is LinkResult.NEW:
                if host not in self.agenda:
                    self._add_host(host, more=False)
                self.agenda.offer(host, place(score, seq))
            elif link.result is LinkResult.RAISED and host in self.agenda:
                self.agenda.move(host, place(link.before, seq), place(score, seq))
            bounds = {LinkResult.FINAL: inf, LinkResult.KNOWN: link.before}
            # A link to a leased page leaves its score, which counts again if the page is retried.
            self.cache.keep(link.key, bounds.get(link.result, score))

    def show_woken(self, changes: Iterable[RowChange]) -> None:
        """Queue URLs whose delay has ended."""
        for change in changes:
            if change.host not in self.agenda:
                self._add_host(change.host, more=False)
            self.agenda.offer(change.host, change.place)

    def show_dropped(self, changes: Iterable[RowChange]) -> None:
        """Remove URLs that were dropped."""
        for change in changes:
            self.cache.replace(change.key, inf)
            if change.is_queued and change.host in self.agenda:
                self.agenda.discard(change.host, change.place)

    def show_rescored(self, changes: Iterable[RowChange], scores: Mapping[int, float]) -> None:
        """Move URLs to the places of their new scores."""
        for change in changes:
            score = scores[change.key]
            self.cache.replace(change.key, score)
            if change.is_queued and change.host in self.agenda:
                self.agenda.move(change.host, change.place, place(score, change.place[1]))

    def _add_host(self, host: str, *, more: bool) -> None:
        pauses = (self._quiet_until(host), self._pauses.get(host))
        paused_until = max((until for until in pauses if until is not None), default=None)
        self.agenda.add_host(host, host, paused_until, more=more)

    def _leased_by_host(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for seq, host in self.leased.items():
            found.setdefault(host, []).append(seq)
        return found


# Woken by one call.
_WOKEN = 1000
_NUMBERS = 1000
_BATCH = 500
_INBOX_BATCH = 20
# Received in one go, which keeps the worker from renewing its leases: less than a second.
_MOST_LINKS = 10_000


class DeliveredLink(NamedTuple):
    """A candidate, and the URL of the page with the link ("" for a seed)."""

    candidate: Candidate
    page: str


class _Batch(NamedTuple):
    """Links to one shard, with their numbers of arrival, and the inbox entries they came from."""

    shard: int
    links: Sequence[tuple[DeliveredLink, int]]
    entries: Sequence[bytes] = ()


class LinkDelivery:
    """Pushes links to owned shards, sends the others, and pushes what other workers have sent."""

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, ownership: ShardOwnership) -> None:
        self._calls = calls
        self._keys = keys
        self._ownership = ownership
        self._numbers: Iterator[int] = iter(())

    def deliver(self, links: Sequence[DeliveredLink]) -> list[PushedLink]:
        """Deliver links; return those that were pushed, in their order."""
        shards: defaultdict[int, list[tuple[DeliveredLink, int]]] = defaultdict(list)
        for link in links:
            # Numbers follow the order of arrival, so that equal scores are first in, first out.
            shards[self._shard_of(link)].append((link, self._number()))
        batches = [
            _Batch(shard, found[start : start + _BATCH])
            for shard, found in shards.items()
            for start in range(0, len(found), _BATCH)
        ]
        own = [batch for batch in batches if batch.shard in self._ownership.owned]
        foreign = [batch for batch in batches if batch.shard not in self._ownership.owned]
        return self._push(own, self._sending(foreign))

    def receive(self) -> list[PushedLink]:
        """Push the links that other workers have sent to owned shards, the rest of many in later calls."""
        pushed: list[PushedLink] = []
        shards = list(self._ownership.staying)
        while shards and len(pushed) < _MOST_LINKS:
            batches = self._read_inboxes(shards)
            found = self._push(batches)
            pushed += found
            # Links without a result stay where they are: the shard belongs to another worker by now.
            shards = [batch.shard for batch in batches if len(batch.entries) == _INBOX_BATCH]
            if not found:
                break
        return pushed

    def _read_inboxes(self, shards: Sequence[int]) -> list[_Batch]:
        keys = [self._inbox(shard) for shard in shards]
        found = self._calls.run(
            [Call(key, ("XRANGE", key, "-", "+", "COUNT", _INBOX_BATCH)) for key in keys]
        )
        batches = []
        for shard, entries in zip(shards, found, strict=True):
            links = [_read(row) for _, fields in entries for row in json.loads(fields[b"links"])]
            if entries:
                numbered = [(link, self._number()) for link in links]
                batches.append(_Batch(shard, numbered, [entry for entry, _ in entries]))
        return batches

    def _push(self, batches: Sequence[_Batch], beside: Sequence[Call] = ()) -> list[PushedLink]:
        replies = self._calls.try_each([*map(self._push_call, batches), *beside])
        pushed: list[tuple[int, PushedLink]] = []
        lost = []
        for batch, reply in zip(batches, replies, strict=False):
            if isinstance(reply, FencedError):
                # The inbox entries are still there, for the new owner.
                lost += [] if batch.entries else [batch]
                continue
            for (link, number), packed in zip(batch.links, reply, strict=True):
                pushed.append((number, PushedLink.read(packed, link.candidate)))
        self._calls.run(self._sending(lost))
        pushed.sort(key=lambda pair: pair[0])
        return [link for _, link in pushed]

    def _push_call(self, batch: _Batch) -> Call:
        words = [word for link, number in batch.links for word in link_words(*link, arrival=number)]
        owner = self._ownership.owned[batch.shard].owner
        arguments = owner, len(batch.entries), *batch.entries, *words
        return Call.of("push_links", self._keys.shard(batch.shard), *arguments)

    def _sending(self, batches: Sequence[_Batch]) -> list[Call]:
        calls = []
        for batch in batches:
            key = self._inbox(batch.shard)
            text = json.dumps([_written(link) for link, _ in batch.links])
            calls.append(Call(key, ("XADD", key, "*", "links", text)))
        return calls

    def _number(self) -> int:
        number = next(self._numbers, None)
        if number is None:
            key = self._keys.of_all("arrivals")
            last = self._calls.one(key, "INCRBY", key, _NUMBERS)
            self._numbers = iter(range(last - _NUMBERS + 1, last + 1))
            number = next(self._numbers)
        return number

    def _shard_of(self, link: DeliveredLink) -> int:
        return self._keys.shard_of(storable(link.candidate.host))

    def _inbox(self, shard: int) -> str:
        return f"{self._keys.shard(shard)}:inbox"


def _written(link: DeliveredLink) -> list[object]:
    key, url, host, score, payload, not_before = link.candidate
    return [key, storable(url), storable(host), float(score), dict(payload), not_before, link.page]


def _read(row: list[object]) -> DeliveredLink:
    *candidate, page = row
    return DeliveredLink(Candidate(*candidate), str(page))  # type: ignore[arg-type]


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

    def deliver(self, links: Sequence[DeliveredLink]) -> list[PushedLink]:
        """Deliver links; return those that were pushed to owned shards."""
        with self.talking():
            pushed = self._delivery.deliver(links)
            self.show_links(pushed)
            for link, _ in links:
                # Else each further link to it would be sent as well, which changes nothing.
                if self.of_host(storable(link.host)) is None:
                    self.memory.cache.keep(link.key, link.score)
        return pushed

    def wake(self, now: float) -> None:
        """Queue the delayed URLs that are due."""
        while due := [
            shard
            for shard, owned in self.ownership.staying.items()
            if owned.first_due is not None and owned.first_due <= now
        ]:
            calls = dict.fromkeys(due, ("wake_urls", repr(float(now)), _WOKEN))
            for shard, (first_due, *woken) in self.run(calls).items():
                self.owned[shard].first_due = float(first_due) if first_due else None
                self.memory.show_woken(read_changes(woken))

    def lease(self, taken: Sequence[tuple[str, Place]], *beside: Beside) -> list[ShardRow | None]:
        """Lease URLs that were taken from memory; return their rows, None for one that does not wait."""
        keys: defaultdict[int, list[bytes]] = defaultdict(list)
        for host, (_, seq) in taken:
            keys[self._keys.shard_of(host)].append(key_in(seq))
        try:
            calls = {shard: ("lease_urls", *found) for shard, found in keys.items()}
            replies = self.run(calls, *beside)
        except BaseException:
            self.memory.put_back(taken)
            raise
        rows = {
            key: ShardRow.read(key, text)
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

    def run(self, calls: Mapping[int, tuple[object, ...]], *beside: Beside) -> dict[int, Reply]:
        """Run a script on shards of this worker; return the replies of those that it still owns."""
        own = {shard: call for shard, call in calls.items() if shard in self.owned}
        with self.talking():
            replies = self._calls.try_each(
                [
                    Call.of(str(name), self._keys.shard(shard), self.owned[shard].owner, *arguments)
                    for shard, (name, *arguments) in own.items()
                ]
                + [call for call, _ in beside]
            )
        for (_, then), reply in zip(beside, replies[len(own) :], strict=True):
            then(reply)
        results = dict(zip(own, replies, strict=False))
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
