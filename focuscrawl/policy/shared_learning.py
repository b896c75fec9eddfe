"""What a topical crawl learns, shared by its workers as deltas of counts.

Every worker knows the pages of all: it scores and refuses links to sites that others own, it judges
pages of such sites after a redirect, and it takes over the sites of a worker that has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from focuscrawl.policy.crawl_state import CrawlState
from focuscrawl.policy.learned_counts import Counts
from focuscrawl.policy.learning_log import Entry, last_snapshot
from focuscrawl.policy.shared_learner import SharedLearner

_LINKS = "links"


class Changed(NamedTuple):
    """What others' deltas have changed: rescore all waiting links, or those of some domains."""

    is_trained: bool
    domains: set[str]


class SharedLearning:
    """The knowledge of one worker: what it has learned itself, and what it was told by the others.

    ``worker`` is a name that no other worker of the crawl has or had, not even an earlier run of this
    one. Deltas may come twice, and deltas of different workers in any order; those of one worker come
    in the order in which it took them.
    """

    def __init__(self, worker: str, state: CrawlState, learner: SharedLearner) -> None:
        self.worker = worker
        self._state = state
        self._learner = learner
        self._covers = {worker: 0}
        state.record()

    def take_delta(self) -> Entry | None:
        """Return what the worker has learned since the last call, None if there is nothing."""
        counts = {part: pairs for part, pairs in self._news().items() if pairs}
        if not counts:
            return None
        self._covers[self.worker] += 1
        return Entry({self.worker: self._covers[self.worker]}, counts)

    def add_deltas(self, entries: Sequence[Entry], own: Sequence[Entry] = ()) -> Changed:
        """Learn from entries of the log that are new to this worker, in the log's order.

        A snapshot that covers unknown deltas means that the log has been shortened: then it replaces
        all that was known. ``own`` are deltas that were taken, but possibly not appended yet.
        """
        snapshot = last_snapshot(entries)
        deltas = [entry for entry in entries if not entry.is_snapshot]
        if snapshot and not snapshot.is_within(self._reachable(deltas)):
            self._state.restart()
            self._learner.restart()
            self._covers = {self.worker: 0}
            deltas = [snapshot, *deltas, *own]
        changed = Changed(is_trained=False, domains=set())
        for entry in deltas:
            if not entry.is_within(self._covers):
                self._covers.update(entry.covers)
                changed = self._add(changed, entry.counts)
        return changed

    def _reachable(self, deltas: Sequence[Entry]) -> dict[str, int]:
        """Return what deltas cover together with what is known, as far as none is missing."""
        covers = dict(self._covers)
        for delta in deltas:
            for worker, number in delta.covers.items():
                if number == covers.get(worker, 0) + 1:
                    covers[worker] = number
        return covers

    def _news(self) -> Counts:
        return {_LINKS: self._learner.take_news(), **self._state.take_news()}

    def _add(self, changed: Changed, counts: Counts) -> Changed:
        is_trained = self._learner.add_pairs(counts.get(_LINKS, {}))
        domains = self._state.add_counts(counts)
        return Changed(changed.is_trained or is_trained, changed.domains | domains)
