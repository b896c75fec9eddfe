"""Exchange of deltas with the other workers of a crawl through a log, which is shortened by snapshots."""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.policy.learning_log import (
    Entry,
    LearningLog,
    last_snapshot,
    read_entry,
    snapshot_of,
)

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
