"""Index of all stored texts by day, in a SQLite file of its own, for any store.

A full-text index over search terms finds texts newest first, for the number of a text begins with its day.
Kind, site, series and tags of a text are terms, too. The file may be deleted at any time: it is made again.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import md5
from itertools import chain
from pathlib import Path
from typing import Any

from focuscrawl.errors import StoreError
from focuscrawl.search.search_index import letters, search_terms
from focuscrawl.search.search_query import Query
from focuscrawl.search.search_results import latest_day
from focuscrawl.text.normal_form import normal_form

MOST = 1000
"""Maximum number of texts that are counted; of more, only that there are more is known."""
_VERSION = 1
_SCHEMA = """
CREATE TABLE texts (
    place INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, site TEXT NOT NULL, series TEXT NOT NULL,
    tags TEXT NOT NULL, day TEXT NOT NULL, arrived INTEGER NOT NULL, relevance REAL NOT NULL,
    is_gone INTEGER NOT NULL, digest TEXT NOT NULL, correction TEXT NOT NULL
);
CREATE UNIQUE INDEX texts_by_key ON texts (kind, key);
CREATE INDEX texts_by_arrival ON texts (arrived);
CREATE INDEX texts_corrected ON texts (correction) WHERE correction <> '';
CREATE TABLE last (number INTEGER NOT NULL, is_whole INTEGER NOT NULL);
INSERT INTO last VALUES (0, 0);
CREATE VIRTUAL TABLE words USING fts5(
    terms, content='', detail=none, columnsize=0, tokenize="unicode61 remove_diacritics 0"
);
"""
# The lower part of a place is a number of its own, so that texts of a day are ordered, too.
_BITS = 40
_SINGLE = re.compile("[^\\W_a-z0-9]")
_END, _LONGEST_DAYS = 2**62, 12
KINDS = ("article", "numbered", "page", "record", "item")
"""The kinds of texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedText:
    """A text for the index; ``seen`` is when the store first had it, ``correction`` what an editor made of it."""

    kind: str
    key: str
    site: str
    series: str
    tags: tuple[str, ...]
    day: date | None
    seen: datetime
    relevance: float
    is_gone: bool
    text: str
    correction: str = ""

    @property
    def digest(self) -> str:
        """A hash of all that the index has of it."""
        told = repr(
            (self.site, self.series, self.tags, self.day, self.relevance, self.is_gone, self.text)
        )
        return md5(f"{self.correction}{told}".encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is searched for; empty values are no condition.

    ``since`` and ``until`` are days, ``arrived`` is a time in milliseconds since 1970 that texts must be newer
    than, ``keys`` restricts to texts with these keys, gone ones included, and ``hidden`` leaves texts out.
    """

    query: Query | None = None
    kind: str = ""
    site: str = ""
    series: str = ""
    tag: str = ""
    since: date | None = None
    until: date | None = None
    least: float = 0.0
    arrived: int | None = None
    keys: frozenset[str] | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def terms(self) -> list[str]:
        """The terms that a text must have all of."""
        query = self.query
        words = [*query.terms, *map(_single_term, query.parts)] if query else []
        labels = {"k": self.kind, "s": self.site, "e": self.series, "t": self.tag}
        named = [_label(name, value) for name, value in labels.items() if value]
        # Few texts are relevant: all others need not be read.
        return [*words, *named, *_tenths(self.least)[-1:]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A text found, with its place in all lists; ``day`` is ISO, empty for an undated one."""

    place: int
    kind: str
    key: str
    site: str
    series: str
    tags: tuple[str, ...]
    day: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of texts found by kind, site, series, tag and day; if ``has_more``, of the newest 1,000.

    ``is_whole`` says that all texts of the store were in the index once. Days are months or years where there are many. Kinds are counted one by one, each up to 1,001.
    """

    number: int
    has_more: bool
    is_whole: bool
    kind: dict[str, int]
    site: dict[str, int]
    series: dict[str, int]
    tag: dict[str, int]
    days: dict[str, int]


FACETS = ("kind", "site", "series", "tag")
"""The numbers that are of a condition of the same name."""


class DatedIndex:
    """The index in a file; each call opens it, so that any thread may ask.

    Raises StoreError where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            with closing(opened) as connection:
                if _version(connection) != _VERSION:
                    _create(connection)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{self._path}, the index of the search, cannot be used ({error}); unless the disk is full,"
                " delete it, and it is made again"
            ) from error

    def find(self, wanted: Wanted, before: int | None, limit: int) -> list[Hit]:
        """Return the newest texts, those behind a place if it is given."""
        with self._opened() as connection:
            return _find(connection, wanted, before, limit)

    def counts(self, wanted: Wanted, shown: int) -> Counts:
        """Count the texts found; of each facet the ``shown`` largest values."""
        with self._opened() as connection:
            found = _find(connection, wanted, None, MOST + 1)
            has_more, is_whole = len(found) > MOST, _is_whole(connection)
            kinds = Counter(one.kind for one in found)
            if has_more and not wanted.kind:
                kinds = Counter({kind: _number(connection, wanted, kind) for kind in KINDS})
        found = found[:MOST]
        tags = Counter(chain.from_iterable(dict.fromkeys(one.tags) for one in found))
        return Counts(
            len(found),
            has_more,
            is_whole,
            dict(+kinds),
            dict(Counter(one.site for one in found).most_common(shown)),
            dict(Counter(one.series for one in found if one.series).most_common(shown)),
            dict(tags.most_common(shown)),
            _by_day([one.day for one in found if one.day]),
        )

    # Writing: by one program at a time, for which others wait.

    def missing(self, kind: str, keys: Sequence[str]) -> list[str]:
        """Return those keys of a kind that the index lacks."""
        with self._opened() as connection:
            known = _known(
                connection, kind, "key IN (SELECT value FROM json_each(?))", json.dumps(keys)
            )
        return [key for key in keys if key not in known]

    def delete_others(self, kind: str, after: str, last: str, keys: Sequence[str]) -> None:
        """Delete the texts of a kind with keys after one and up to another, but for the given ones."""
        with self._opened() as connection:
            known = _known(connection, kind, "key > ? AND key <= ?", after, last)
            gone = [(kind, key) for key in known.difference(keys)]
            connection.executemany("DELETE FROM texts WHERE kind = ? AND key = ?", gone)

    def is_whole(self) -> bool:
        """Return whether all texts of the store were in it once, so that others are new."""
        with self._opened() as connection:
            return _is_whole(connection)

    def set_whole(self) -> None:
        """Note that all texts of the store are in it."""
        with self._opened() as connection:
            connection.execute("UPDATE last SET is_whole = 1 WHERE NOT is_whole")

    def number(self, wanted: Wanted) -> int:
        """Return how many texts are found, counted up to 1,001."""
        with self._opened() as connection:
            return _number(connection, wanted, "")

    def corrected(self) -> dict[str, str]:
        """Return the corrections that are in the index, by key."""
        with self._opened() as connection:
            rows = connection.execute("SELECT key, correction FROM texts WHERE correction <> ''")
            return dict(rows.fetchall())

    def part(self, before: int | None, limit: int) -> list[Hit]:
        """Return the newest texts before a place, gone ones and corrected ones as well."""
        query = f"SELECT {_SHOWN} FROM texts t WHERE place < ? ORDER BY place DESC LIMIT ?"  # noqa: S608 - names above
        with self._opened() as connection:
            return [_hit(row) for row in connection.execute(query, (before or _END, limit))]

    def put(self, texts: Sequence[DatedText], arrived: datetime | None) -> None:
        """Add texts, or replace those that have changed; without a time of arrival, the store's counts."""
        query = "SELECT digest, arrived, place FROM texts WHERE kind = ? AND key = ?"
        with self._opened() as connection:
            known = [connection.execute(query, (one.kind, one.key)).fetchone() for one in texts]
            new = [
                (
                    one,
                    _terms(one),
                    (arrived or one.seen).timestamp() * 1000 if old is None else old[1],
                    old,
                )
                for one, old in zip(texts, known, strict=True)
                if old is None or old[0] != one.digest
            ]
            connection.execute("BEGIN IMMEDIATE")
            for one, terms, time, old in new:
                _put(connection, one, terms, int(time), old)
            connection.execute("COMMIT")


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) != _VERSION:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE name IN ('texts', 'words', 'last')"
        )
        for (name,) in names.fetchall():
            connection.execute(f"DROP TABLE {name}")
        for statement in _SCHEMA.split(";")[:-1]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _is_whole(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT is_whole FROM last").fetchone()[0])


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _known(connection: sqlite3.Connection, kind: str, where: str, *values: str) -> set[str]:
    rows = connection.execute(f"SELECT key FROM texts WHERE kind = ? AND {where}", (kind, *values))  # noqa: S608 - names above
    return {key for (key,) in rows}


def _put(
    connection: sqlite3.Connection, text: DatedText, terms: str, arrived: int, old: Any
) -> None:
    if old:
        # What the full-text index had of it stays there, and is of no place any more.
        connection.execute("DELETE FROM texts WHERE place = ?", (old[2],))
    ((number,),) = connection.execute(
        "UPDATE last SET number = number + 1 RETURNING number"
    ).fetchall()
    # A day to come is an error of a site: it would stay on top.
    is_dated = text.day is not None and text.day <= latest_day()
    place = (_first(text.day) if is_dated and text.day else 0) + number
    tags, day = json.dumps(text.tags, ensure_ascii=False), str(text.day or "")
    values = (place, text.kind, text.key, text.site, text.series, tags, day, arrived, text.relevance,
              text.is_gone, text.digest, text.correction)  # fmt: skip
    connection.execute(
        "INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
    )
    connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (place, terms))


def _first(day: date) -> int:
    return day.toordinal() << _BITS


# Reading.

_SHOWN = "t.place, t.kind, t.key, t.site, t.series, t.tags, t.day"


def _find(
    connection: sqlite3.Connection, wanted: Wanted, before: int | None, limit: int, kind: str = ""
) -> list[Hit]:
    query, values = _query(wanted, before, kind)
    rows = connection.execute(f"SELECT {_SHOWN} {query} LIMIT ?", (*values, limit))
    return [_hit(row) for row in rows]


def _number(connection: sqlite3.Connection, wanted: Wanted, kind: str) -> int:
    query, values = _query(wanted, None, kind)
    counted = f"SELECT count(*) FROM (SELECT 1 {query} LIMIT ?)"  # noqa: S608 - names above
    return int(connection.execute(counted, (*values, MOST + 1)).fetchone()[0])


def _query(wanted: Wanted, before: int | None, kind: str) -> tuple[str, list[Any]]:
    terms = [*wanted.terms, *([_label("k", kind)] if kind else [])]
    # Terms are letters and digits, so nothing in them is an operator.
    if terms:
        query, place = (
            "FROM words w CROSS JOIN texts t ON t.place = w.rowid WHERE words MATCH ?",
            "w.rowid",
        )
    else:
        query, place = "FROM texts t WHERE ?", "t.place"
    values: list[Any] = [" ".join(f'"{term}"' for term in terms) or 1]
    first = _first(wanted.since) if wanted.since else _first(date.min) if wanted.until else 0
    end = min(before or _END, _first(wanted.until) + 2**_BITS if wanted.until else _END)
    conditions: list[tuple[str, Any]] = [(f"{place} >= ?", first), (f"{place} < ?", end)]
    if wanted.arrived is not None:
        conditions.append(
            (f"{place} IN (SELECT place FROM texts WHERE arrived > ?)", wanted.arrived)  # noqa: S608
        )
    if wanted.least:
        conditions.append(("t.relevance >= ?", wanted.least))
    if wanted.hidden:
        conditions.append(
            ("t.key NOT IN (SELECT value FROM json_each(?))", json.dumps([*wanted.hidden]))
        )
    if wanted.keys is not None:
        conditions.append(("t.key IN (SELECT value FROM json_each(?))", json.dumps([*wanted.keys])))
    else:
        conditions.append(("t.is_gone = ?", False))
    where = " AND ".join(condition for condition, _ in conditions)
    values += [value for _, value in conditions]
    return f"{query} AND {where} ORDER BY {place} DESC", values


def _hit(row: tuple[Any, ...]) -> Hit:
    place, kind, key, site, series, tags, day = row
    return Hit(place, kind, key, site, series, tuple(json.loads(tags)), day)


def _by_day(days: Sequence[str]) -> dict[str, int]:
    """Return the numbers by day, or by month or year where there are many, the newest first."""
    for size in (10, 7, 4):
        found = Counter(day[:size] for day in days)
        if len(found) <= _LONGEST_DAYS:
            break
    return dict(sorted(found.items(), reverse=True)[:_LONGEST_DAYS])


# Terms beside those of words, from which their first two letters tell them apart.


def _terms(text: DatedText) -> str:
    normal = normal_form(text.text)
    labels = {"k": text.kind, "s": text.site, "e": text.series}
    named = [_label(name, value) for name, value in labels.items()]
    tags = {_label("t", tag) for tag in text.tags}
    single = map(_single_term, map(letters, dict.fromkeys(_SINGLE.findall(normal))))
    others = [*named, *sorted(tags), *_tenths(text.relevance), *single]
    return " ".join([*others, search_terms(text.text)])


def _tenths(relevance: float) -> list[str]:
    return [f"llr{number}" for number in range(1, int(10 * relevance) + 1)]


def _single_term(character: str) -> str:
    return f"cc{character}"


def _label(name: str, value: str) -> str:
    return f"ll{name}{md5(normal_form(value).encode('utf-8', 'replace')).hexdigest()}"
