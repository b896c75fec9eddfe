"""Glance into the file of a frontier for a page: read-only, never for long, never in a crawl's way."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from focuscrawl.frontier.frontier_entries import read_payload
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
from focuscrawl.frontier.update_score import read_sources

BUSY_SECONDS, MOST_SECONDS = 0.5, 2.0
"""Time to wait for a lock, and the time after which a query is given up."""
_STEPS = 20_000
_WAITING = "outcome IS NULL AND due IS NULL"
# Both read the narrow index of waiting URLs only, once.
_SCORES = f"SELECT round(score, 1), count(*) FROM urls WHERE {_WAITING} GROUP BY 1"  # noqa: S608
_BEST = f"""
SELECT url, name, score, payload, sources, links FROM
  (SELECT seq FROM urls WHERE {_WAITING} ORDER BY score DESC, seq LIMIT ?)
  JOIN urls USING (seq) JOIN hosts ON hosts.id = urls.host ORDER BY score DESC, seq
"""  # noqa: S608 - from constants
_BEST_AT = f"""
SELECT url, name, score, payload, sources, links FROM urls JOIN hosts ON hosts.id = urls.host
WHERE host = (SELECT id FROM hosts WHERE name = ?) AND {_WAITING} ORDER BY score DESC, seq LIMIT ?
"""  # noqa: S608 - from constants
_HOSTS = """
SELECT name, waiting, done, failed, dropped FROM hosts WHERE waiting > 0
ORDER BY waiting DESC, name LIMIT ?
"""
_TOTALS = """
SELECT coalesce(sum(waiting), 0), coalesce(sum(done), 0), coalesce(sum(failed), 0),
coalesce(sum(dropped), 0), coalesce(sum(waiting > 0), 0) FROM hosts
"""


class WaitingUrl(NamedTuple):
    """A waiting URL: its score, the number of links to it, the page of the best one, and its anchor."""

    url: str
    host: str
    score: float
    links: int
    source: str
    anchor: str
    steps: int | None


class WaitingHost(NamedTuple):
    """Number of URLs of a host by state; ``waiting`` includes those in flight."""

    name: str
    waiting: int
    done: int
    failed: int
    dropped: int


class FrontierTotals(NamedTuple):
    """Number of URLs by state, and of the hosts with waiting ones."""

    waiting: int
    done: int
    failed: int
    dropped: int
    hosts: int


class FrontierGlance:
    """Queries for a page; raises FrontierError for a file that does not answer in time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    def totals(self) -> FrontierTotals:
        """Return the sums over all hosts."""
        return FrontierTotals(*self._fetch(_TOTALS)[0])

    def scores(self) -> list[tuple[float, int]]:
        """Return the scores of waiting URLs, rounded to a tenth, with their numbers."""
        return sorted((float(score), count) for score, count in self._fetch(_SCORES))

    def hosts(self, limit: int) -> list[WaitingHost]:
        """Return the hosts with most waiting URLs."""
        return [WaitingHost(*row) for row in self._fetch(_HOSTS, limit)]

    def best(self, limit: int, host: str = "") -> list[WaitingUrl]:
        """Return the best waiting URLs (of one host)."""
        rows = self._fetch(_BEST_AT, host, limit) if host else self._fetch(_BEST, limit)
        return [self._waiting(row) for row in rows]

    def _waiting(self, row: tuple[Any, ...]) -> WaitingUrl:
        url, host, score, payload, sources, links = row
        meta = read_payload(payload).get("meta")
        meta = meta if isinstance(meta, dict) else {}
        trail = meta.get("trail")
        # Of a topical crawl: the page that the link was on, and its anchor.
        via, anchor = (*map(str, trail[:2]), "", "")[:2] if isinstance(trail, list) else ("", "")
        steps = meta.get("steps")
        return WaitingUrl(
            url, host, score, links, via or self._best_source(sources), anchor,
            steps if isinstance(steps, int) else None,
        )  # fmt: skip

    def _best_source(self, sources: str) -> str:
        pages = [seq for seq, _ in read_sources(sources) if seq is not None]
        rows = self._fetch("SELECT url FROM urls WHERE seq = ?", pages[0]) if pages else []
        return str(rows[0][0]) if rows else ""

    def _fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with FRONTIER_FILE.errors(self._path):
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
        raise FRONTIER_FILE.error(f"{self._path} is too large to be shown; look at one host of it")


@contextmanager
def glance_at(path: Path) -> Iterator[FrontierGlance]:
    """Open the file of a frontier for a few queries; raises FrontierError if there is none.

    A read-only connection, so that neither a crawl that uses the file nor the file itself is changed.
    """
    with FRONTIER_FILE.errors(path):
        if not path.is_file():
            raise FRONTIER_FILE.error(f"{path} does not exist; {FRONTIER_FILE.origin}")
        name = f"file:{quote(str(path))}?mode=ro"
        connection = sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            (kind,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if (kind, version) != (FRONTIER_FILE.application_id, FRONTIER_FILE.version):
                raise FRONTIER_FILE.error(f"{path} is not {FRONTIER_FILE.name} of this version")
            end = time.monotonic() + MOST_SECONDS
            connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
            yield FrontierGlance(path, connection)
        finally:
            connection.close()
