"""Read-only queries on the file of a frontier, which a crawl may be using."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from focuscrawl.frontier.frontier_entries import (
    Counts,
    Ended,
    Explanation,
    HostCounts,
    Outcome,
    Source,
    State,
    Waiting,
    read_payload,
    storable,
)
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
from focuscrawl.frontier.update_score import read_sources

_BATCH = 1000

_STATE = """
CASE WHEN outcomes.state IS NOT NULL THEN outcomes.state
     WHEN EXISTS (SELECT * FROM leases WHERE leases.seq = urls.seq) THEN 'leased'
     ELSE 'waiting' END
"""
_KNOWN = f"""
SELECT key, {_STATE} FROM urls LEFT JOIN outcomes ON outcomes.id = urls.outcome
WHERE key IN (SELECT value FROM json_each(?))
"""  # noqa: S608 - from constants
_EXPLAIN = f"""
SELECT url, name, {_STATE}, coalesce(reason, ''), score, payload, due, tries, lost, sources
FROM urls JOIN hosts ON hosts.id = urls.host LEFT JOIN outcomes ON outcomes.id = urls.outcome
WHERE key = ?
"""  # noqa: S608 - from constants
# The plus keeps SQLite from sorting all waiting rows instead of continuing from seq.
_WAITING = """
SELECT seq, key, url, name, score, payload FROM urls JOIN hosts ON hosts.id = urls.host
WHERE seq > ? AND +outcome IS NULL AND seq NOT IN (SELECT seq FROM leases) ORDER BY seq LIMIT ?
"""
# Uses the two indexes of waiting URLs: those of a host, and the delayed ones.
_WAITING_AT = """
SELECT seq FROM urls WHERE host = (SELECT id FROM hosts WHERE name = ?1)
AND outcome IS NULL AND due IS NULL
UNION ALL SELECT seq FROM urls WHERE due IS NOT NULL AND outcome IS NULL
AND +host = (SELECT id FROM hosts WHERE name = ?1)
"""
_WAITING_OF = """
SELECT seq, key, url, name, score, payload FROM urls JOIN hosts ON hosts.id = urls.host
WHERE seq IN (SELECT value FROM json_each(?)) AND outcome IS NULL
AND seq NOT IN (SELECT seq FROM leases) ORDER BY seq
"""
_ENDED = """
SELECT seq, url, name, state, reason, payload FROM urls JOIN hosts ON hosts.id = urls.host
JOIN outcomes ON outcomes.id = urls.outcome
WHERE seq > ? AND state IN ('done', 'failed') ORDER BY seq LIMIT ?
"""
_COUNTS = "SELECT name, id, waiting, done, failed, dropped FROM hosts"
_LEASED = "SELECT host, count(*) FROM leases JOIN urls USING (seq) GROUP BY host"

# Used a hundred times a page: looking up a member of an enumeration takes five times as long.
_STATES = {state.value: state for state in State}


@contextmanager
def read_frontier(path: Path) -> Iterator[FrontierReader]:
    """Open the file of a frontier for reading, even while a crawl uses it.

    Raises :class:`~focuscrawl.errors.FrontierError` for a file that is missing or not a frontier file.
    """
    connection = FRONTIER_FILE.connect(path, create=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        yield FrontierReader(path, connection)
    finally:
        connection.close()


class FrontierReader:
    """Queries of :class:`~focuscrawl.frontier.frontier_protocol.Frontier`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._do = connection.execute

    def known(self, keys: Iterable[int]) -> dict[int, State]:
        """Return the states by key of the URLs that were ever pushed."""
        found: dict[int, State] = {}
        keys = iter(keys)
        with FRONTIER_FILE.errors(self._path):
            while batch := list(islice(keys, _BATCH)):
                rows = self._do(_KNOWN, (json.dumps(batch),))
                found |= {key: _STATES[state] for key, state in rows}
        return found

    def explain(self, key: int) -> Explanation | None:
        """Return all data about a URL, None for an unknown one."""
        with FRONTIER_FILE.errors(self._path):
            row = self._do(_EXPLAIN, (key,)).fetchone()
            if row is None:
                return None
            url, host, state, reason, score, payload, due, tries, lost, sources = row
            outcome = Outcome(State(state), reason)
            links = [Source(self._url(seq), score) for seq, score in read_sources(sources)]
        return Explanation(
            url, host, outcome, score, read_payload(payload), due, tries, lost, links
        )

    def counts(self, hosts: Iterable[str] | None = None) -> Counts:
        """Count by state for the given or all hosts, and by outcome for all of them together."""
        with FRONTIER_FILE.errors(self._path):
            leased = dict(self._do(_LEASED).fetchall())
            if hosts is None:
                by_host = {row[0]: _counts(row, leased) for row in self._do(_COUNTS)}
            else:
                by_host = {name: _counts(self._host(name), leased) for name in hosts}
            outcomes = self._do("SELECT state, reason, urls FROM outcomes WHERE urls > 0")
            return Counts(by_host, {Outcome(State(row[0]), row[1]): row[2] for row in outcomes})

    def each_waiting(self, host: str | None = None) -> Iterator[Waiting]:
        """Stream the waiting URLs (of one host) in order of arrival."""
        rows = self._stream(_WAITING) if host is None else self._stream_host(host)
        for _, key, url, name, score, payload in rows:
            yield Waiting(key, url, name, score, read_payload(payload))

    def each_ended(self) -> Iterator[Ended]:
        """Stream the URLs that are done or have failed, in order of arrival."""
        for _, url, host, state, reason, payload in self._stream(_ENDED):
            yield Ended(url, host, Outcome(State(state), reason), read_payload(payload))

    def _stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        last = 0
        while True:
            with FRONTIER_FILE.errors(self._path):
                rows = self._do(query, (last, _BATCH)).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from rows

    def _stream_host(self, host: str) -> Iterator[tuple[Any, ...]]:
        """Stream the waiting URLs of one host; reads all arrival numbers first, 8 bytes per URL."""
        with FRONTIER_FILE.errors(self._path):
            found = self._do(_WAITING_AT, (storable(host),)).fetchall()
        numbers = sorted(seq for (seq,) in found)
        for at in range(0, len(numbers), _BATCH):
            batch = json.dumps(numbers[at : at + _BATCH])
            with FRONTIER_FILE.errors(self._path):
                rows = self._do(_WAITING_OF, (batch,)).fetchall()
            yield from rows

    def _url(self, seq: int | None) -> str:
        row = self._do("SELECT url FROM urls WHERE seq = ?", (seq,)).fetchone()
        return row[0] if row else ""

    def _host(self, name: str) -> tuple[Any, ...]:
        row = self._do(f"{_COUNTS} WHERE name = ?", (storable(name),)).fetchone()
        return row or (name, 0, 0, 0, 0, 0)


def _counts(row: tuple[Any, ...], leased: dict[int, int]) -> HostCounts:
    _, number, waiting, done, failed, dropped = row
    out = leased.get(number, 0)
    return HostCounts(waiting - out, out, done, failed, dropped)
