"""What a worker keeps in memory about its shards: the first URLs of each host, leases, suspects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf

from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.frontier.host_selection import Agenda
from focuscrawl.frontier.redis.shard_rows import Change, LinkResult, PushedLink
from focuscrawl.frontier.seen_url_caches import ClockCache, LockedCache

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
        self._quiet_until = quiet_until
        self.isolates_suspects = True
        self._new_agenda = partial(Agenda[str], best_of, slots, window, budget)
        self._slots: dict[str, int] = {}
        self._pauses: dict[str, float] = {}
        self._most_pauses = _MOST_PAUSES
        self.clear()

    def clear(self) -> None:
        """Forget everything but leases, slots and pauses."""
        self.cache = LockedCache(ClockCache())
        self.suspects.clear()
        self.agenda = self._new_agenda()
        for host, slots in self._slots.items():
            self.agenda.set_slots(host, None, slots)

    def add_suspects(self, numbers: Iterable[int]) -> None:
        """Add numbers of URLs that were lost with a worker."""
        if self.isolates_suspects:
            self.suspects.update(numbers)

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
            if best is None or -best[0] < least or (is_suspect and (self.leased or taken)):
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

    def set_slots(self, host: str, slots: int) -> None:
        """Limit the concurrent leases of a host."""
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

    def show_woken(self, changes: Iterable[Change]) -> None:
        """Queue URLs whose delay has ended."""
        for change in changes:
            if change.host not in self.agenda:
                self._add_host(change.host, more=False)
            self.agenda.offer(change.host, change.place)

    def show_dropped(self, changes: Iterable[Change]) -> None:
        """Remove URLs that were dropped."""
        for change in changes:
            self.cache.replace(change.key, inf)
            if change.is_queued and change.host in self.agenda:
                self.agenda.discard(change.host, change.place)

    def show_rescored(self, changes: Iterable[Change], scores: Mapping[int, float]) -> None:
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
