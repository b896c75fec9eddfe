"""Frontier in one SQLite file, the default of crawls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from math import inf
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import (
    DONE,
    MOST_LOST,
    Ack,
    Candidate,
    Counts,
    Ended,
    Explanation,
    Lease,
    NotLeasedError,
    Outcome,
    Pushed,
    State,
    Waiting,
    allowed_together,
    check_acks,
    check_scores,
    dropped,
    payload_text,
    storable,
)
from focuscrawl.frontier.frontier_protocol import UNKNOWN, Hosts
from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.frontier.host_selection import Agenda
from focuscrawl.frontier.seen_url_caches import ClockCache
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE, locked
from focuscrawl.frontier.sqlite.frontier_reader import FrontierReader
from focuscrawl.frontier.sqlite.frontier_rows import BLAMELESS, Held, HostRow, Rows, WaitingRow
from focuscrawl.frontier.update_score import Standing, UpdateRule, best_sources
from focuscrawl.system.sqlite_file import transaction

# Batches of links: merged with the rows of the file, written, then added to the agenda.


class LinkedPages:
    """Arrival numbers of the pages whose links were found under an earlier lease.

    A run that dies leaves such pages behind: they are fetched again, and their links are found again.
    Under ``max`` that changes nothing, so no page is stored. Call methods that write in a transaction.
    """

    def __init__(self, rows: Rows, rule: UpdateRule) -> None:
        self._rows = rows
        self._is_needed = rule is not UpdateRule.MAX
        self._earlier: set[int] = set()
        self._current: set[int] = set()

    def __contains__(self, page: object) -> bool:
        return page in self._earlier

    def load(self) -> None:
        """Read the pages of earlier runs."""
        self._earlier = self._rows.linked()

    def must_add(self, page: int) -> bool:
        """Return whether a leased page has to be added when its links are pushed; page 0 has none."""
        return self._is_needed and page > 0 and page not in self._current

    def add(self, page: int) -> None:
        """Record that links of a leased page are in the frontier."""
        if self.must_add(page):
            self._rows.add_linked(page)
            self._current.add(page)

    def lease(self, pages: Iterable[int]) -> None:
        """Count the links found so far as those of an earlier lease."""
        again = self._current.intersection(pages)
        self._earlier |= again
        self._current -= again

    def end(self, pages: Iterable[int]) -> None:
        """Remove pages that have ended."""
        if ended := (self._earlier | self._current).intersection(pages):
            self._rows.end_linked(ended)
            self._earlier -= ended
            self._current -= ended


class FoundLink(NamedTuple):
    """A candidate, and the arrival number of the page with the link (None for a seed)."""

    candidate: Candidate
    page: int | None


class Arrivals:
    """Changes by a batch of links.

    The links are merged one after the other in memory: a URL that occurs ten times is written once.
    ``leased`` has the arrival numbers of leased URLs, ``repeated`` those of pages whose links count
    only for new URLs; ``next_seq`` is the first free one.
    """

    def __init__(
        self,
        rows: Rows,
        rule: UpdateRule,
        leased: Mapping[int, int],
        repeated: Container[int | None],
        next_seq: int,
    ) -> None:
        self._first_seq = self.next_seq = next_seq
        self._rows = rows
        self._rule = rule
        self._leased = leased
        self._repeated = repeated
        self._held: dict[int, Held] = {}
        self._fresh: list[tuple[Candidate, Held]] = []
        self._hosts: dict[str, HostRow] = {}
        self._raised = 0
        self._known = 0

    def write(self, links: Sequence[FoundLink]) -> Pushed:
        """Merge the links and write the changes."""
        self._held = self._rows.find({link.candidate.key for link in links})
        for link in links:
            self._add(*link)
        self._rows.insert(self._fresh)
        self._rows.update(held for held in self._held.values() if held.moved_from)
        self._rows.count(Counter((held.host, State.WAITING) for _, held in self._fresh))
        return Pushed(len(self._fresh), self._raised, self._known)

    def show(self, agenda: Agenda[int]) -> None:
        """Add new URLs to the agenda, and move those with another rank; call this after the commit."""
        for candidate, held in self._fresh:
            if held.due is None:
                if held.host not in agenda:
                    name = storable(candidate.host)
                    number, paused_until = self._hosts[name]
                    agenda.add_host(number, name, paused_until, more=False)
                agenda.offer(held.host, held.place)
        for held in self._held.values():
            if held.moved_from and held.due is None:
                agenda.move(held.host, held.moved_from, held.place)

    def bounds(self) -> dict[int, float]:
        """Return the score by key up to which a further link would change nothing."""
        is_max = self._rule is UpdateRule.MAX
        return {
            key: inf if held.is_final else held.standing.score
            for key, held in self._held.items()
            if is_max or held.is_final
        }

    def first_due(self) -> float | None:
        """Return the due time of the first new delayed URL."""
        return min((held.due for _, held in self._fresh if held.due is not None), default=None)

    def _add(self, candidate: Candidate, page: int | None) -> None:
        held = self._held.get(candidate.key)
        if held is None:
            self._add_new(candidate, page)
        elif held.is_final or held.seq in self._leased or page in self._repeated:
            self._known += 1
        else:
            self._add_to(held, candidate, page)

    def _add_new(self, candidate: Candidate, page: int | None) -> None:
        name = storable(candidate.host)
        if name not in self._hosts:
            self._hosts[name] = self._rows.host(name)
        held = Held(
            seq=self.next_seq,
            host=self._hosts[name].number,
            is_final=False,
            due=candidate.not_before,
            standing=Standing.first(candidate.score),
            sources=best_sources([], (page, candidate.score)),
            payload=payload_text(candidate.payload),
        )
        self.next_seq += 1
        self._held[candidate.key] = held
        self._fresh.append((candidate, held))

    def _add_to(self, held: Held, candidate: Candidate, page: int | None) -> None:
        before = held.standing
        after = self._rule.add(before, candidate.score)
        self._raised += after.score > before.score
        self._known += after.score <= before.score
        if after.score == before.score and self._rule is UpdateRule.MAX:
            return
        if candidate.score > before.best:
            held.payload = payload_text(candidate.payload)
        if held.moved_from is None and held.seq < self._first_seq:
            held.moved_from = held.place
        held.standing = after
        held.sources = best_sources(held.sources, (page, candidate.score))


_BATCH = 1000


class SqliteFrontier:
    """A :class:`~focuscrawl.frontier.frontier_protocol.Frontier` in a file, locked by one run at a time.

    A change survives the process (``kill -9``) once the method has returned; a crash of the machine may
    lose the last transactions, never the file. Memory holds the best ``window`` URLs of each host, at
    most ``budget`` in total, a cache of seen URLs, and 32 MB of the file's pages.

    The rule of a frontier never changes, since its scores would not be comparable. ``losses`` are
    those of an earlier file, by URL: see :meth:`losses`.
    """

    def __init__(
        self,
        path: Path,
        *,
        rule: UpdateRule = UpdateRule.MAX,
        slots: int = 1,
        cache: ClockCache | None = None,
        window: int = 64,
        budget: int = 200_000,
        losses: Mapping[str, int] | None = None,
    ) -> None:
        self.path = path
        self.rule = rule
        self.cache = ClockCache() if cache is None else cache
        self._leased: dict[int, int] = {}
        self._alone: set[int] = set()
        self._silent: set[int] = set()
        self._losses = dict(losses or {})
        self._lock = locked(path)
        try:
            self._connection = FRONTIER_FILE.connect(path, create=True)
        except BaseException:
            self._lock.release()
            raise
        self._rows = Rows(self._connection)
        self._linked = LinkedPages(self._rows, rule)
        self._reader = FrontierReader(path, self._connection)
        self._agenda = Agenda(self._rows.best_of, slots, window, budget)
        try:
            with self._writing():
                self._begin()
        except BaseException:
            self._close_file()
            raise

    @property
    def waiting(self) -> int:
        """Number of waiting URLs, including those that may not be leased yet."""
        return self._unfinished - len(self._leased)

    @property
    def leased(self) -> int:
        """Number of leases."""
        return len(self._leased)

    def push(self, candidates: Sequence[Candidate]) -> Pushed:
        """Add seeds, in one transaction."""
        return self._write([FoundLink(candidate, None) for candidate in candidates], [])

    def lease(self, count: int, now: float) -> list[Lease]:
        """Lease the best waiting URLs whose host has a free slot and no pause, at most ``count``."""
        self._wake(now)
        taken: list[tuple[int, Place]] = []
        if self._is_one_alone():
            return []
        with FRONTIER_FILE.errors(self.path):
            while len(taken) < count and (found := self._agenda.take(now)):
                taken.append(found)
        if not taken:
            return []
        try:
            with self._writing():
                rows = self._rows.leases([seq for _, (_, seq) in taken])
                leases = allowed_together(rows, are_others_leased=self._are_others_leased())
                self._rows.lease(leases, self._run)
        except BaseException:
            self._put_back(taken)
            raise
        self._put_back(taken[len(leases) :])
        self._linked.lease(lease.seq for lease in leases)
        self._leased.update((seq, host) for host, (_, seq) in taken[: len(leases)])
        self._alone.update(lease.seq for lease in leases if lease.lost)
        return list(leases)

    def best_score(self, now: float) -> float | None:
        """Return the score of the URL that :meth:`lease` would return first, None if there is none."""
        with FRONTIER_FILE.errors(self.path):
            entry = self._agenda.peek(now) if self.next_due(now) == now else None
        return -entry[0] if entry else None

    def best_host(self, now: float) -> tuple[str, float] | None:
        """Return the host and the score of the best URL whose host has a free slot and no pause."""
        self._wake(now)
        with FRONTIER_FILE.errors(self.path):
            return self._agenda.best_host(now)

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        """Push links of a page that is not finished, in one transaction; its lease stays."""
        self._host_of(lease)
        page = lease.seq if links else 0
        return self._write([FoundLink(link, lease.seq) for link in links], [], page)

    def ack(self, lease: Lease, links: Sequence[Candidate] = (), outcome: Outcome = DONE) -> Pushed:
        """End a lease and push the page's links, in one transaction."""
        return self.ack_many([Ack(lease, links, outcome)])

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        """End several leases, in one transaction."""
        check_acks(acks, self._leased)
        links = [FoundLink(link, ack.lease.seq) for ack in acks for link in ack.links]
        return self._write(links, acks)

    def retry(self, lease: Lease, not_before: float) -> None:
        """End a lease without an outcome; the URL waits until ``not_before``."""
        host = self._host_of(lease)
        with self._writing():
            self._rows.end_leases([lease.seq])
            self._rows.delay(lease.seq, not_before)
        del self._leased[lease.seq]
        self._agenda.end(host, lease.seq)
        self._expect(not_before)

    def release(self, lease: Lease) -> None:
        """Undo a lease."""
        host = self._host_of(lease)
        with self._writing():
            self._rows.end_leases([lease.seq])
        del self._leased[lease.seq]
        self._agenda.end(host, lease.seq, place(lease.score, lease.seq))

    def abandon(self, lease: Lease) -> None:
        """Leave a lease as if the run had died, so that the URL is a suspect in the next run."""
        self._agenda.end(self._host_of(lease), lease.seq)
        del self._leased[lease.seq]

    def free_slot(self, lease: Lease) -> None:
        """Free the slot of a lease, although the page is not finished."""
        self._agenda.free_slot(self._host_of(lease), lease.seq)

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        """Record whether the page is being read, which matters for a suspect and after :meth:`mark_silent`."""
        self._host_of(lease)
        if not lease.lost and lease.seq not in self._silent:
            return
        with self._writing():
            self._rows.set_run(lease.seq, -self._run if lease.lost and not waits else self._run)
        self._silent.discard(lease.seq)
        if lease.lost:
            self._alone.add(lease.seq)

    def mark_silent(self, lease: Lease) -> None:
        """Record that the page waits for its host: it is not leased alone, and no suspect after a kill."""
        self._host_of(lease)
        with self._writing():
            self._rows.set_run(lease.seq, BLAMELESS)
        self._silent = {seq for seq in self._silent if seq in self._leased} | {lease.seq}
        self._alone.discard(lease.seq)

    def losses(self) -> dict[str, int]:
        """Return the losses of suspects and of URLs that failed as such, for the next file."""
        with FRONTIER_FILE.errors(self.path):
            return self._rows.losses(self._losses)

    def pause(self, host: str, until: float) -> None:
        """Lease no URL of a host before ``until``, in this run."""
        with self._writing():
            number, before = self._rows.host(storable(host))
            if before is not None and until <= before:
                return
            self._rows.pause(number, until)
        if number in self._agenda:
            self._agenda.pause(number, until)

    def limit_delays(self, latest: float) -> None:
        """Limit the due times of retried URLs to ``latest``."""
        with self._writing():
            self._rows.limit_delays(latest)
            self._first_due = self._rows.next_due()

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host in this run; None is the limit of all hosts."""
        with FRONTIER_FILE.errors(self.path):
            known = self._rows.known_host(storable(host))
        self._agenda.set_slots(storable(host), known.number if known else None, slots)

    def next_due(self, now: float) -> float | None:
        """Return ``now`` if a URL can be leased, else the end of the next pause or delay."""
        self._wake(now)
        if self._is_one_alone():
            return None
        with FRONTIER_FILE.errors(self.path):
            if entry := self._agenda.peek(now):
                is_kept = self._are_others_leased() and self._rows.is_suspect(entry[1])
                return None if is_kept else now
        times = (self._first_due, self._agenda.next_pause_end())
        return min((time for time in times if time is not None), default=None)

    def drop(self, keys: Iterable[int], reason: str, hosts: Hosts = UNKNOWN) -> int:
        """Drop the waiting ones of the URLs; return their number."""
        return sum(self._drop(rows, reason) for rows in self._waiting_rows(keys))

    def drop_host(self, host: str, reason: str) -> int:
        """Drop all waiting URLs of a host; return their number."""
        count = 0
        with FRONTIER_FILE.errors(self.path):
            known = self._rows.known_host(storable(host))
            while known and (rows := self._rows.waiting_of(known.number, _BATCH)):
                count += self._drop(rows, reason)
        return count

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) in order of arrival."""
        return self._reader.each_waiting(host)

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed, in order of arrival."""
        return self._reader.each_ended()

    def rescore(self, scores: Mapping[int, float], hosts: Hosts = UNKNOWN) -> int:
        """Set the scores of waiting URLs; return the number of changes."""
        check_scores(scores.values())
        return sum(
            self._rescore([row for row in rows if row.score != scores[row.key]], scores)
            for rows in self._waiting_rows(scores)
        )

    def known(self, keys: Iterable[int], hosts: Hosts = UNKNOWN) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""
        return self._reader.known(keys)

    def changes_nothing(self, key: int, score: float) -> bool:
        """Return whether a link is known to be without effect; False if only the file could tell."""
        return (bound := self.cache.look(key)) is not None and score <= bound

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given or all hosts, and by outcome for all of them together."""
        return self._reader.counts(hosts)

    def explain(self, key: int) -> Explanation | None:
        """Return all data about a URL, None for an unknown one."""
        return self._reader.explain(key)

    def close(self) -> None:
        """Release the leases of this run, and close and unlock the file."""
        try:
            with self._writing():
                self._rows.end_leases(self._leased)
        finally:
            self._close_file()

    def _begin(self) -> None:
        rule = self._rows.fact("rule", self.rule)
        if rule != self.rule:
            raise FrontierError(
                f"{self.path} was created with the rule {rule}, not {self.rule}; set "
                f"FOCUSCRAWL_FRONTIER_RULE={rule}, or FOCUSCRAWL_FRONTIER to another file"
            )
        self._rows.set_fact("rule", self.rule)
        self._run, self._next_seq, self._unfinished = self._rows.begin_run()
        self._linked.load()
        self.recovered, fatal = self._rows.recover(self._run)
        self._unfinished -= len(fatal)
        self._losses = self._losses or self._rows.earlier_losses()
        self._rows.set_earlier_losses(self._losses)
        self.fatal_urls = [*fatal, *(url for url, n in self._losses.items() if n > MOST_LOST)]
        self._first_due = self._rows.next_due()
        for number, name in self._rows.hosts_with_waiting():
            self._agenda.add_host(number, name, None, more=True)

    def _write(self, links: Sequence[FoundLink], acks: Sequence[Ack], page: int = 0) -> Pushed:
        check_scores([link.candidate.score for link in links])
        looked_up = [link for link in links if not self._is_refused(link.candidate)]
        lost = [(self._losses[new.url], new.key) for new, _ in looked_up if new.url in self._losses]
        if not looked_up and not acks and not self._linked.must_add(page):
            return Pushed(known=len(links))
        ends = [(ack.lease.seq, self._leased[ack.lease.seq], ack.outcome) for ack in acks]
        arrivals = Arrivals(self._rows, self.rule, self._leased, self._linked, self._next_seq)
        with self._writing():
            self._rows.end_leases(seq for seq, _, _ in ends)
            self._rows.finish(ends)
            new, raised, known = arrivals.write(looked_up)
            self._linked.add(page)
            self._linked.end(seq for seq, _, _ in ends)
            self._rows.lose(lost)
        self._next_seq = arrivals.next_seq
        self._unfinished += new - len(ends)
        for seq, host, _ in ends:
            del self._leased[seq]
            self._agenda.end(host, seq)
        arrivals.show(self._agenda)
        self._expect(arrivals.first_due())
        self._remember(arrivals.bounds(), acks)
        return Pushed(new, raised, known + len(links) - len(looked_up))

    def _are_others_leased(self) -> bool:
        return not self._leased.keys() <= self._silent

    def _is_one_alone(self) -> bool:
        return not self._leased.keys().isdisjoint(self._alone)

    def _put_back(self, taken: Sequence[tuple[int, Place]]) -> None:
        for host, entry in taken:
            self._agenda.end(host, entry[1], entry)

    def _is_refused(self, new: Candidate) -> bool:
        return self._losses.get(new.url, 0) > MOST_LOST or self.changes_nothing(new.key, new.score)

    def _remember(self, bounds: Mapping[int, float], acks: Sequence[Ack]) -> None:
        for key, bound in bounds.items():
            self.cache.keep(key, bound)
        for ack in acks:
            self.cache.replace(ack.lease.key, inf)

    def _waiting_rows(self, keys: Iterable[int]) -> Iterator[list[WaitingRow]]:
        """Yield the waiting ones of the URLs in batches."""
        keys = iter(keys)
        while batch := list(islice(keys, _BATCH)):
            with FRONTIER_FILE.errors(self.path):
                rows = self._rows.waiting(batch)
            yield rows

    def _drop(self, rows: Sequence[WaitingRow], reason: str) -> int:
        with self._writing():
            self._rows.finish([(row.seq, row.host, dropped(reason)) for row in rows])
        self._unfinished -= len(rows)
        for row in rows:
            if row.due is None:
                self._agenda.discard(row.host, place(row.score, row.seq))
            self.cache.replace(row.key, inf)
        return len(rows)

    def _rescore(self, rows: Sequence[WaitingRow], scores: Mapping[int, float]) -> int:
        with self._writing():
            self._rows.rescore((scores[row.key], row.seq) for row in rows)
        for row in rows:
            score = scores[row.key]
            if row.due is None:
                self._agenda.move(row.host, place(row.score, row.seq), place(score, row.seq))
            self.cache.replace(row.key, score)
        return len(rows)

    def _wake(self, now: float) -> None:
        """Queue the delayed URLs that are due."""
        while self._first_due is not None and self._first_due <= now:
            with self._writing():
                woken = self._rows.wake(now, _BATCH)
                first_due = self._rows.next_due()
            self._first_due = first_due
            for host, score, seq, name, paused_until in woken:
                if host not in self._agenda:
                    self._agenda.add_host(host, name, paused_until, more=False)
                self._agenda.offer(host, place(score, seq))

    def _expect(self, due: float | None) -> None:
        if due is not None and (self._first_due is None or due < self._first_due):
            self._first_due = due

    def _host_of(self, lease: Lease) -> int:
        if (host := self._leased.get(lease.seq)) is None:
            raise NotLeasedError(f"not leased: {lease.url}")
        return host

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with FRONTIER_FILE.errors(self.path), transaction(self._connection):
            yield

    def _close_file(self) -> None:
        self._connection.close()
        self._lock.release()
