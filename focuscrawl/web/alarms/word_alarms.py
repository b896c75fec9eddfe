"""New records with the words of a rule: the log of what arrived in the store, and what is found in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from sqlalchemy import Connection, func, select, update
from sqlalchemy.exc import IntegrityError

from focuscrawl.errors import StoreError
from focuscrawl.search.search_results import FoundText, Scope, latest_day
from focuscrawl.stores.sql.sql_lookup import VERSIONS
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.alarms.alarm_store import (
    TEXT_KINDS,
    Alarm,
    AlarmRule,
    Event,
    StoredRule,
    add_alarms,
)
from focuscrawl.web.articles.article_edits import hidden_among
from focuscrawl.web.articles.article_lists import MOST as MOST_IN_LIST
from focuscrawl.web.articles.shown_articles import from_found
from focuscrawl.web.database.web_tables import arrivals, hits, rules
from focuscrawl.web.web_site import WebSite

SHOWN = 20
"""Number of the records that an alarm names."""
WEEK, MONTH = timedelta(days=7), timedelta(days=30)

_ARTICLE, _PARTIAL = "article", "partial"
_KINDS = (*TEXT_KINDS, *VERSIONS, _PARTIAL)
_IN_ROW, _TOGETHER, _TRIES = 50_000, 500, 5
_Known = Mapping[str, "np.ndarray[Any, Any]"]


class Arrival(NamedTuple):
    """A record of a kind, and what a hit on it is remembered by: another one once it has changed."""

    kind: str
    key: str
    mark: str

    @property
    def record(self) -> tuple[str, str]:
        """Kind and key."""
        return self.kind, self.key


# The log of arrivals. What is new in the store is what the log lacks: no clock is needed, and nothing that is
# written late, by another crawl or from a spill file, is missed.


async def take_stock(site: WebSite) -> int:
    """Log what has arrived in the store; return the number of the last entry.

    Raises StoreError if others log at the same time, again and again.
    """
    for _ in range(_TRIES):
        last, known = await site.database.run(_logged)
        new = await _new_keys(site.store, known)
        if not new or await site.database.run(_log, last, new):
            return last + len(new)
    raise StoreError(f"{site.database.label} is written by other servers all the time; try again")


def _logged(connection: Connection) -> tuple[int, _Known]:
    """Return the number of the last entry, and of each kind the beginnings of the keys, sorted."""
    rows = connection.execute(select(arrivals).order_by(arrivals.c.number)).all()
    blobs = {kind: b"".join(row[2] for row in rows if row.kind == kind) for kind in _KINDS}
    known = {kind: np.sort(_beginnings(keys)) for kind, keys in blobs.items()}
    return (rows[-1].number if rows else 0), known


def _beginnings(keys: bytes) -> np.ndarray[Any, Any]:
    """Return the first half of each key as a number, which distinguishes MD5s well enough."""
    return np.frombuffer(keys, "u8")[::2]


async def _new_keys(store: SQLStore, known: _Known) -> list[tuple[str, bytes]]:
    """Return the keys that are not known, by kind, in parts that fit into a row."""
    new: dict[str, list[str]] = {}
    for kind in (*TEXT_KINDS, *VERSIONS):
        parts = [_lacking(keys, known[kind]) async for keys in store.keys_of(kind)]
        new[kind] = [*chain.from_iterable(parts)]
    # Read last: one that has become whole meanwhile is whole. It arrives again with the rest of its text.
    partial = await store.partial_keys()
    new[_ARTICLE] = sorted({*new[_ARTICLE]}.difference(partial))
    new[_PARTIAL] = _lacking(_lacking(partial, known[_ARTICLE]), known[_PARTIAL])
    return [
        (kind, bytes.fromhex("".join(keys[start : start + _IN_ROW])))
        for kind, keys in new.items()
        for start in range(0, len(keys), _IN_ROW)
    ]


def _lacking(keys: Sequence[str], known: np.ndarray[Any, Any]) -> list[str]:
    if not keys or not len(known):
        return [*keys]
    beginnings = _beginnings(bytes.fromhex("".join(keys)))
    is_known = known.take(np.searchsorted(known, beginnings), mode="clip") == beginnings
    return [key for key, is_old in zip(keys, is_known.tolist(), strict=True) if not is_old]


def _log(connection: Connection, last: int, new: Sequence[tuple[str, bytes]]) -> bool:
    """Add entries after the last one; return False if another server was quicker."""
    if (connection.scalar(select(func.max(arrivals.c.number))) or 0) != last:
        return False
    rows = [
        {"number": n, "kind": kind, "keys": keys} for n, (kind, keys) in enumerate(new, last + 1)
    ]
    try:
        connection.execute(arrivals.insert(), rows)
    except IntegrityError:
        return False
    return True


def _arrived(connection: Connection, after: int, last: int) -> list[tuple[str, list[str]]]:
    columns = arrivals.c
    within = columns.number > after, columns.number <= last
    query = select(columns.kind, columns["keys"]).where(*within).order_by(columns.number)
    found = [(kind, keys.hex()) for kind, keys in connection.execute(query)]
    return [(kind, re.findall(".{32}", keys)) for kind, keys in found]


# What a rule finds among the arrivals, by the search of the store itself.


async def check(site: WebSite, rule: StoredRule, last: int) -> list[Alarm]:
    """Look for the words of a rule in what arrived up to an entry; return the new alarm, if there is one."""
    if last <= rule.position:
        return []
    entries = await site.database.run(_arrived, rule.position, last)
    watched = [one for entry in entries for one in await _watched(site.store, rule, *entry)]
    found = await _having_words(site.store, rule, {one.record for one in watched})
    marks = [one for one in watched if one.record in found]
    return await site.database.run(_record, site.address, rule, last, found, marks)


async def _watched(
    store: SQLStore, rule: AlarmRule, kind: str, keys: Sequence[str]
) -> list[Arrival]:
    if kind in VERSIONS:
        if not rule.with_changed:
            return []
        owners = await store.versions_of(kind, keys)
        kept = [Arrival(kind.split()[0], owner, f"{kind} {key}") for key, owner in owners.items()]
    else:
        own = _ARTICLE if kind == _PARTIAL else kind
        kept = [Arrival(own, key, f"{own} {key}") for key in keys]
    return [one for one in kept if _is_watched(rule, one.kind)]


async def _having_words(
    store: SQLStore, rule: AlarmRule, records: set[tuple[str, str]]
) -> dict[tuple[str, str], FoundText]:
    keys = sorted({key for _, key in records})
    found: dict[tuple[str, str], FoundText] = {}
    for start in range(0, len(keys), _TOGETHER):
        scope = Scope(site=rule.site or None, keys=frozenset(keys[start : start + _TOGETHER]))
        # A numbered article may have the key of one of a list.
        every = await store.search(rule.words, 2 * _TOGETHER, scope=scope)
        found |= {(one.kind, one.key): one for one in every if (one.kind, one.key) in records}
    return found


def _record(
    connection: Connection,
    address: str,
    rule: StoredRule,
    last: int,
    found: Mapping[tuple[str, str], FoundText],
    watched: Sequence[Arrival],
) -> list[Alarm]:
    """Move a rule on, and give an alarm of what it had not found before: all at once, or nothing of it."""
    is_as_read = rules.c.number == rule.number, rules.c.position == rule.position
    if not connection.execute(update(rules).where(*is_as_read).values(position=last)).rowcount:
        # Another server was quicker, or the rule is deleted.
        return []
    known, hidden = set[str](), set[str]()
    for start in range(0, len(watched), _TOGETHER):
        part = watched[start : start + _TOGETHER]
        of_part = hits.c.rule == rule.number, hits.c.mark.in_([one.mark for one in part])
        known |= set(connection.scalars(select(hits.c.mark).where(*of_part)))
        hidden |= hidden_among(connection, [one.key for one in part])
    new = [one for one in watched if one.mark not in known and one.key not in hidden]
    if not new:
        return []
    rows = [{"rule": rule.number, "mark": mark} for mark in dict.fromkeys(one.mark for one in new)]
    connection.execute(hits.insert(), rows)
    records = [found[record] for record in dict.fromkeys(one.record for one in new)]
    values = _values(rule, address, records)
    event = Event(key=f"words {last}", kind="words", subject=rule.words[:200], values=values)
    return add_alarms(connection, rule.number, [event])


def _values(rule: AlarmRule, address: str, records: Sequence[FoundText]) -> dict[str, Any]:
    best = sorted(records, key=lambda one: -one.score)[:SHOWN]
    query = {"q": rule.words} | ({"site": rule.site} if rule.site else {})
    return {
        "words": rule.words,
        "count": len(records),
        "more": len(records) - len(best),
        "search": f"/articles/search?{urlencode(query)}",
        "server": address,
        "found": [_named(one) for one in best],
    }


def _named(record: FoundText) -> dict[str, str]:
    shown = from_found(record)
    return {
        "kind": record.kind,
        "title": shown.plain_title,
        "url": record.url,
        "page": shown.address or "",
        "site": record.site,
        "published": record.published.isoformat() if record.published else "",
    }


async def preview(store: SQLStore, rule: AlarmRule) -> dict[str, int]:
    """Count the articles of the last ``week`` and ``month`` that a rule would have found, ``most`` at most.

    Their dates count; other records have none.
    """
    last = latest_day()
    scope = Scope(site=rule.site or None, since=last - MONTH, until=last)
    found = await store.search(rule.words, MOST_IN_LIST, scope=scope)
    days = [one.published for one in found if _is_watched(rule, one.kind)]
    week = [day for day in days if day and day > last - WEEK]
    return {"week": len(week), "month": len(days), "most": MOST_IN_LIST}


def _is_watched(rule: AlarmRule, kind: str) -> bool:
    return not rule.kinds or kind in rule.kinds.split(",")
