"""Log through which the workers of a crawl exchange what they have learned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from focuscrawl.errors import FrontierError
from focuscrawl.policy.crawler_traps import MOST_PREFIXES
from focuscrawl.policy.learned_counts import Counts, add_counts
from focuscrawl.policy.online_statistics import PATHS, SIBLING_PAGES, SITES

# Names that a snapshot keeps, those learned last: as many as a worker keeps in memory.
_MOST = {
    "sites": SITES,
    "outward": SITES,
    "paths": PATHS,
    "siblings": SIBLING_PAGES,
    "traps": MOST_PREFIXES,
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class LearningLog(Protocol):
    """An append-only list of texts that all workers of a crawl read in the same order.

    Errors that a user can fix are a :class:`~focuscrawl.errors.FocuscrawlError`; after one, a text may
    have been appended or not.
    """

    def append(self, text: str) -> str:
        """Append a text; return its id."""

    def read(self, after: str, most: int) -> Sequence[tuple[str, str]]:
        """Return ids and texts after an id (``""``: from the first), in order, at most that many."""

    def trim(self, last: str) -> None:
        """Delete the texts up to an id, including it."""


class Entry(NamedTuple):
    """An entry of the log: counts, and ``covers``, the number of the last delta of each worker in them.

    A delta is the news of one worker; a worker numbers its deltas from 1 on. A snapshot is the sum of all
    deltas before it up to the id ``until``, which is ``""`` for a delta.
    """

    covers: dict[str, int]
    counts: Counts
    until: str = ""

    @property
    def is_snapshot(self) -> bool:
        """True for a sum of deltas, which takes their place in the log."""
        return bool(self.until)

    def is_within(self, covered: dict[str, int]) -> bool:
        """Return whether all its deltas are covered."""
        return all(covered.get(worker, 0) >= number for worker, number in self.covers.items())

    def text(self) -> str:
        """Return the entry as JSON."""
        return _ENCODER.encode(self._asdict())


def read_entry(text: str) -> Entry:
    """Parse the text of an entry; raises FrontierError if it is none."""
    try:
        return Entry(**json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise FrontierError(
            "the log of what the crawl has learned was written by another version or is damaged; "
            "use the version that began the crawl, or begin a new one"
        ) from None


def snapshot_of(found: Iterable[tuple[str, Entry]]) -> Entry | None:
    """Return the sum of the entries of a whole log with their ids, None if there are none."""
    entries = list(found)
    if not entries:
        return None
    total = last_snapshot(entry for _, entry in entries) or Entry({}, {})
    covers = dict(total.covers)
    counts: Counts = {}
    add_counts(counts, total.counts)
    for _, entry in entries:
        if not (entry.is_snapshot or entry.is_within(covers)):
            covers.update(entry.covers)
            add_counts(counts, entry.counts)
    kept = {
        part: dict(islice(pairs.items(), max(0, len(pairs) - _MOST.get(part, len(pairs))), None))
        for part, pairs in counts.items()
    }
    return Entry(covers, kept, entries[-1][0])


def last_snapshot(entries: Iterable[Entry]) -> Entry | None:
    """Return the last snapshot among entries, None if there is none."""
    return next(filter(lambda entry: entry.is_snapshot, reversed([*entries])), None)


# A log shorter than this (in characters) needs no snapshot.
_SHORT = 1_000_000
_BATCH = 100


class LearningExchange:
    """One worker's side of the log. Its rounds may wait for a server; they run one at a time.

    A snapshot is due whenever the deltas since the last one are as large as it, so that snapshots
    take no more room and time than deltas. The worker whose delta made it due writes it: all see
    the same log. If that worker dies, the next one is due after as much again. The deltas before a
    snapshot are deleted one snapshot later: only a worker that was away for longer starts from
    the snapshot again.
    """

    def __init__(self, log: LearningLog, worker: str, *, short: int = _SHORT) -> None:
        self.waiting: list[Entry] = []
        """Deltas that have not been appended yet."""
        self._log = log
        self._worker = worker
        self._position = ""
        self._short = short
        self._limit = short
        self._size = 0

    def round(self, delta: Entry | None = None) -> list[Entry]:
        """Append the delta and read all entries since the last round.

        After an error, the next round appends what is missing, possibly twice, and reads the same
        entries again.
        """
        if delta:
            self.waiting.append(delta)
        while self.waiting:
            self._log.append(self.waiting[0].text())
            del self.waiting[0]
        entries: list[Entry] = []
        position, size, limit, is_due = self._position, self._size, self._limit, False
        for id, text in self._texts(self._position):
            entry = read_entry(text)
            entries.append(entry)
            position = id
            if entry.is_snapshot:
                size, limit = 0, max(self._short, len(text))
                continue
            parts_before = size // limit
            size += len(text)
            is_due |= self._worker in entry.covers and size // limit > parts_before
        if is_due:
            self._shorten()
        self._position, self._size, self._limit = position, size, limit
        return entries

    def _shorten(self) -> None:
        found = [(id, read_entry(text)) for id, text in self._texts("")]
        if snapshot := snapshot_of(found):
            self._log.append(snapshot.text())
        if before := last_snapshot(entry for _, entry in found):
            self._log.trim(before.until)

    def _texts(self, after: str) -> Iterator[tuple[str, str]]:
        while found := self._log.read(after, _BATCH):
            yield from found
            after = found[-1][0]
