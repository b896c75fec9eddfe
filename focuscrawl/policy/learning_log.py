"""Log through which the workers of a crawl exchange what they have learned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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
