"""Batches of links: merged with the rows of the file, written, then added to the agenda."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.frontier.frontier_entries import Candidate, Pushed, State, payload_text, storable
from focuscrawl.frontier.host_selection import Agenda
from focuscrawl.frontier.sqlite.frontier_rows import Held, HostRow, Rows
from focuscrawl.frontier.update_score import Standing, UpdateRule, best_sources


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
            key: math.inf if held.is_final else held.standing.score
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
