"""Rows of the SQLite frontier, read and written in batches inside a transaction."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focuscrawl.frontier.frontier_entries import (
    FATAL,
    MOST_LOST,
    Candidate,
    Lease,
    Outcome,
    State,
    aged,
    read_payload,
    storable,
)
from focuscrawl.frontier.host_queue import Place, place
from focuscrawl.frontier.update_score import SourceLink, Standing, read_sources

_FIND = """
SELECT key, seq, host, outcome IS NULL, due, score, best, links, sources FROM urls
WHERE key IN (SELECT value FROM json_each(?))
"""
_INSERT = """
INSERT INTO urls (seq, key, host, score, best, links, sources, due, url, payload)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UPDATE = """
UPDATE urls SET score = ?, best = ?, links = ?, sources = ?, payload = coalesce(?, payload)
WHERE seq = ?
"""
_BEST = """
SELECT -score, seq FROM urls WHERE host = ? AND outcome IS NULL AND due IS NULL
ORDER BY score DESC, seq LIMIT ?
"""
_LEASED = """
SELECT key, url, name, score, payload, seq, tries, lost
FROM urls JOIN hosts ON hosts.id = urls.host WHERE seq IN (SELECT value FROM json_each(?))
"""
_DUE = """
SELECT seq, host, score, name, paused_until FROM urls JOIN hosts ON hosts.id = urls.host
WHERE due <= ? LIMIT ?
"""
_WAITING = """
SELECT seq, host, score, key, due FROM urls
WHERE outcome IS NULL AND seq NOT IN (SELECT seq FROM leases)
"""
_WAITING_BY_KEY = f"{_WAITING} AND key IN (SELECT value FROM json_each(?))"  # noqa: S608 - from constants
_WAITING_OF_HOST = (
    f"{_WAITING} AND host = ? AND due IS NULL LIMIT ?",
    f"{_WAITING} AND host = ? AND due IS NOT NULL LIMIT ?",
)
_COUNT_HOST = """
UPDATE hosts SET waiting = waiting + ?, done = done + ?, failed = failed + ?, dropped = dropped + ?
WHERE id = ?
"""
# The run of a lease is negative while a suspect is read.
BLAMELESS = 0
"""Run of the leases of pages that are no suspects if the run dies."""
_LOST = f"""
UPDATE urls SET lost = max(lost, 1) + (SELECT run < 0 FROM leases WHERE leases.seq = urls.seq)
WHERE seq IN (SELECT seq FROM leases WHERE run NOT IN ({BLAMELESS}, ?))
"""  # noqa: S608
_FATAL_URLS = "SELECT seq, host, url FROM urls JOIN leases USING (seq) WHERE run < 0 AND lost > ?"
# Not with the other tables: files of older versions lack it, and older versions can read files with it.
_LINKED = "CREATE TABLE IF NOT EXISTS linked (seq INTEGER PRIMARY KEY)"
_LOSSES = "SELECT url, lost, outcome IS NULL FROM urls WHERE lost > 0"
_LEFT_OUT = """
SELECT seq, host FROM urls
WHERE outcome = (SELECT id FROM outcomes WHERE state = ? AND reason = ? AND urls > 0)
"""
_COUNTED = (State.WAITING, State.DONE, State.FAILED, State.DROPPED)


@dataclass(slots=True)
class Held:
    """A URL that is on disk or will be once the batch is written.

    ``payload`` is the one to be written, None if it does not change. ``moved_from`` is the place of a
    waiting URL before the batch, if its standing has changed.
    """

    seq: int
    host: int
    is_final: bool
    due: float | None
    standing: Standing
    sources: list[SourceLink]
    payload: str | None = None
    moved_from: Place | None = None

    @property
    def place(self) -> Place:
        """Sort key among the waiting URLs of its host."""
        return place(self.standing.score, self.seq)


class HostRow(NamedTuple):
    """Number of a host, and the end of its last pause."""

    number: int
    paused_until: float | None


class WaitingRow(NamedTuple):
    """A URL that waits and is not leased."""

    seq: int
    host: int
    score: float
    key: int
    due: float | None


class Rows:
    """Reads and writes on one connection; the caller holds the transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._do = connection.execute
        self._each = connection.executemany

    def fact(self, name: str, default: int | str) -> int | str:
        """Return the value stored under a name, or ``default``."""
        row = self._do("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        value: int | str = row[0] if row else default
        return value

    def set_fact(self, name: str, value: int | str) -> None:
        """Store a value under a name."""
        self._do("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def add_linked(self, seq: int) -> None:
        """Record that links of a leased page are in the frontier."""
        self._do("INSERT OR IGNORE INTO linked VALUES (?)", (seq,))

    def end_linked(self, seqs: Iterable[int]) -> None:
        """Remove pages that have ended from those with known links."""
        self._each("DELETE FROM linked WHERE seq = ?", ((seq,) for seq in seqs))

    def linked(self) -> set[int]:
        """Return the unfinished pages whose links are in the frontier."""
        self._do(_LINKED)
        return {seq for (seq,) in self._do("SELECT seq FROM linked")}

    def begin_run(self) -> tuple[int, int, int]:
        """Return the number of a new run, the first free arrival number, and the number of waiting URLs.

        The pauses of hosts end with the previous run.
        """
        self._do("UPDATE hosts SET paused_until = NULL WHERE paused_until IS NOT NULL")
        run = int(self.fact("run", 0)) + 1
        self.set_fact("run", run)
        (last,) = self._do("SELECT coalesce(max(seq), 0) FROM urls").fetchone()
        (waiting,) = self._do("SELECT coalesce(sum(waiting), 0) FROM hosts").fetchone()
        return run, last + 1, waiting

    def forgive(self) -> int:
        """Let the next run try the pages that kill runs; return their number."""
        earlier = self.earlier_losses()
        left_out = [url for url, lost in earlier.items() if lost > MOST_LOST]
        self.set_earlier_losses(earlier | dict.fromkeys(left_out, MOST_LOST))
        rows = self._do(_LEFT_OUT, FATAL).fetchall()
        self._each("UPDATE urls SET lost = ? WHERE seq = ?", ((MOST_LOST, seq) for seq, _ in rows))
        # A job in which nothing else waits has ended.
        (waiting,) = self._do("SELECT coalesce(sum(waiting), 0) FROM hosts").fetchone()
        if waiting and rows:
            self._each("UPDATE urls SET outcome = NULL WHERE seq = ?", ((seq,) for seq, _ in rows))
            self._do("UPDATE outcomes SET urls = 0 WHERE state = ? AND reason = ?", FATAL)
            states = Counter((host, State.WAITING) for _, host in rows)
            states.subtract(Counter((host, FATAL.state) for _, host in rows))
            self.count(states)
        return len(left_out) + len(rows)

    def earlier_losses(self) -> dict[str, int]:
        """Return the losses of an earlier file, by URL."""
        losses: dict[str, int] = json.loads(str(self.fact("losses", "{}")))
        return losses

    def set_earlier_losses(self, losses: Mapping[str, int]) -> None:
        """Write the losses of an earlier file."""
        self.set_fact("losses", json.dumps(losses))

    def recover(self, run: int) -> tuple[int, list[str]]:
        """End the leases of all runs but ``run``; return their number, and the URLs that kill runs."""
        self._do(_LOST, (run,))
        fatal_urls = self._do(_FATAL_URLS, (MOST_LOST,)).fetchall()
        self.finish([(seq, host, FATAL) for seq, host, _ in fatal_urls])
        count = self._do("DELETE FROM leases WHERE run <> ?", (run,)).rowcount
        return count, [url for _, _, url in fatal_urls]

    def losses(self, others: Mapping[str, int]) -> dict[str, int]:
        """Return the losses of suspects and fatal_urls by URL; ``others`` are those of an earlier file."""
        rows = self._do(_LOSSES).fetchall()
        over = {url for url, lost, is_open in rows if not is_open and lost <= MOST_LOST}
        own = {
            url: min(lost, MOST_LOST) if is_open else aged(lost)
            for url, lost, is_open in rows
            if url not in over
        }
        return {url: aged(lost) for url, lost in others.items() if url not in over} | own

    def is_suspect(self, seq: int) -> bool:
        """Return whether a URL was lost with an earlier run."""
        (lost,) = self._do("SELECT lost FROM urls WHERE seq = ?", (seq,)).fetchone()
        return bool(lost)

    def lose(self, losses: Iterable[tuple[int, int]]) -> None:
        """Write the losses of URLs, pairs of losses and key."""
        self._each("UPDATE urls SET lost = ?1 WHERE key = ?2 AND lost < ?1", losses)

    def hosts_with_waiting(self) -> Iterator[tuple[int, str]]:
        """Return number and name of the hosts with waiting URLs."""
        return self._do("SELECT id, name FROM hosts WHERE waiting > 0")

    def find(self, keys: Iterable[int]) -> dict[int, Held]:
        """Return the URLs that are on disk, by key."""
        return {
            key: Held(
                seq, host, not is_waiting, due,
                Standing(score, score if best is None else best, links), read_sources(sources),
            )
            for key, seq, host, is_waiting, due, score, best, links, sources
            in self._do(_FIND, (json.dumps(list(keys)),))
        }  # fmt: skip

    def insert(self, arrivals: Iterable[tuple[Candidate, Held]]) -> None:
        """Write URLs that are not on disk yet, in order of arrival."""
        self._each(
            _INSERT,
            (
                (
                    held.seq,
                    new.key,
                    held.host,
                    *_row(held),
                    held.due,
                    storable(new.url),
                    held.payload,
                )
                for new, held in arrivals
            ),
        )

    def update(self, changes: Iterable[Held]) -> None:
        """Write standing and sources of waiting URLs, and their payload if it has changed."""
        self._each(_UPDATE, ((*_row(held), held.payload, held.seq) for held in changes))

    def host(self, name: str) -> HostRow:
        """Return a host, which is added if it is new."""
        known = self.known_host(name)
        if known:
            return known
        number = self._do("INSERT INTO hosts (name) VALUES (?)", (name,)).lastrowid
        assert number is not None
        return HostRow(number, None)

    def known_host(self, name: str) -> HostRow | None:
        """Return a host, None for an unknown one."""
        row = self._do("SELECT id, paused_until FROM hosts WHERE name = ?", (name,)).fetchone()
        return HostRow(*row) if row else None

    def pause(self, host: int, until: float) -> None:
        """Write the end of the pause of a host."""
        self._do("UPDATE hosts SET paused_until = ? WHERE id = ?", (until, host))

    def best_of(self, host: int, count: int) -> list[Place]:
        """Return the first places in a host's queue, including leased ones."""
        return self._do(_BEST, (host, count)).fetchall()

    def lease(self, leases: Sequence[Lease], run: int) -> None:
        """Write leases."""
        seqs = ((lease.seq, run) for lease in leases)
        self._each("INSERT INTO leases (seq, run) VALUES (?, ?)", seqs)

    def set_run(self, seq: int, run: int) -> None:
        """Write the run of a lease."""
        self._do("UPDATE leases SET run = ? WHERE seq = ?", (run, seq))

    def leases(self, seqs: Sequence[int]) -> list[Lease]:
        """Return the leases of URLs that are to be leased, in the order given."""
        rows = self._do(_LEASED, (json.dumps(seqs),))
        found = {
            seq: Lease(key, url, host, score, read_payload(payload), seq, tries, lost)
            for key, url, host, score, payload, seq, tries, lost in rows
        }
        return [found[seq] for seq in seqs]

    def end_leases(self, seqs: Iterable[int]) -> None:
        """End leases."""
        self._each("DELETE FROM leases WHERE seq = ?", ((seq,) for seq in seqs))

    def delay(self, seq: int, due: float) -> None:
        """Let a URL wait until ``due``, with one more try."""
        self._do("UPDATE urls SET due = ?, tries = tries + 1 WHERE seq = ?", (due, seq))

    def limit_delays(self, latest: float) -> None:
        """Limit all due times to ``latest``."""
        self._do("UPDATE urls SET due = ? WHERE due > ?", (latest, latest))

    def wake(self, now: float, count: int) -> list[tuple[int, float, int, str, float | None]]:
        """Queue URLs that are due; return host, score, seq, name of the host and end of its pause."""
        rows = self._do(_DUE, (now, count)).fetchall()
        self._each("UPDATE urls SET due = NULL WHERE seq = ?", ((row[0],) for row in rows))
        return [(host, score, seq, name, until) for seq, host, score, name, until in rows]

    def next_due(self) -> float | None:
        """Return the due time of the first delayed URL."""
        row = self._do("SELECT min(due) FROM urls WHERE due IS NOT NULL").fetchone()
        due: float | None = row[0]
        return due

    def waiting(self, keys: Sequence[int]) -> list[WaitingRow]:
        """Return the waiting ones of the URLs, including delayed ones."""
        return list(map(WaitingRow._make, self._do(_WAITING_BY_KEY, (json.dumps(keys),))))

    def waiting_of(self, host: int, count: int) -> list[WaitingRow]:
        """Return up to ``count`` waiting URLs of a host; delayed ones only after all others."""
        queued, delayed = _WAITING_OF_HOST
        rows = self._do(queued, (host, count)).fetchall() or self._do(delayed, (host, count))
        return list(map(WaitingRow._make, rows))

    def rescore(self, scores: Iterable[tuple[float, int]]) -> None:
        """Write new scores, pairs of score and seq."""
        self._each("UPDATE urls SET score = ?, best = NULL WHERE seq = ?", scores)

    def finish(self, ends: Sequence[tuple[int, int, Outcome]]) -> None:
        """Write the outcomes of waiting or leased URLs (seq, host, outcome), and count them."""
        numbers = {outcome: self._outcome(outcome) for _, _, outcome in ends}
        self._each(
            "UPDATE urls SET outcome = ?, due = NULL WHERE seq = ?",
            ((numbers[outcome], seq) for seq, _, outcome in ends),
        )
        outcomes = Counter(outcome for _, _, outcome in ends)
        self._each(
            "UPDATE outcomes SET urls = urls + ? WHERE id = ?",
            ((count, numbers[outcome]) for outcome, count in outcomes.items()),
        )
        states = Counter((host, outcome.state) for _, host, outcome in ends)
        states.subtract(Counter((host, State.WAITING) for _, host, _ in ends))
        self.count(states)

    def count(self, changes: Counter[tuple[int, State]]) -> None:
        """Add to the counts of URLs by host and state; leased ones count as waiting here."""
        self._each(
            _COUNT_HOST,
            (
                (*(changes[host, state] for state in _COUNTED), host)
                for host in sorted({host for host, _ in changes})
            ),
        )

    def _outcome(self, outcome: Outcome) -> int:
        self._do("INSERT OR IGNORE INTO outcomes (state, reason) VALUES (?, ?)", outcome)
        row = self._do("SELECT id FROM outcomes WHERE state = ? AND reason = ?", outcome)
        number: int = row.fetchone()[0]
        return number


def _row(held: Held) -> tuple[float, float | None, int, str]:
    score, best, links = held.standing
    # JSON without the json module, in a fifth of the time: this is written with every new URL.
    sources = ",".join(
        f"[{'null' if page is None else page},{source!r}]" for page, source in held.sources
    )
    return score, None if best == score else best, links, f"[{sources}]"
