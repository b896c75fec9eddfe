"""New records with the words of a rule: the log of what arrived in the store, and what is found in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import chain, compress
from typing import Any
from urllib.parse import urlencode

import numpy as np
from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from focuscrawl.search.search_results import FoundText, Scope, latest_day
from focuscrawl.stores.records.batch_changes import NUMBERED, RECORD_REVISIONS, REVISIONS
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.store_search import READ
from focuscrawl.web.alarms.alarm_store import Alarm, AlarmRule, Event, StoredRule, add_alarms
from focuscrawl.web.articles.shown_articles import from_found
from focuscrawl.web.database.web_tables import arrivals, article_edits, hits, rules
from focuscrawl.web.web_site import WebSite

SHOWN = 20
"""Number of the records that an alarm names."""
MOST_PREVIEWED = 200
"""Number of the records that a preview counts, at most."""

_ARTICLE, _PARTIAL = "article", "partial"
_VERSIONS = {"article version": REVISIONS.table, "record version": RECORD_REVISIONS.table}
_OWNERS = {"article version": "article_md5", "record version": "record_key"}
_TABLES = (
    {"numbered": NUMBERED.table} | {texts.name: texts.kind.table for texts in READ} | _VERSIONS
)
_IN_ROW, _TOGETHER = 50_000, 500
_Known = Mapping[str, "np.ndarray[Any, Any]"]
_Record = tuple[str, str]  # Its kind, and its key there.

# The log of arrivals. What is new in the store is what the log lacks: no clock is needed, and nothing that is
# written late, by another crawl or from a spill file, is missed.


async def take_stock(site: WebSite) -> int:
    """Log what has arrived in the store; return the number of the last entry."""
    while True:
        last, known = await site.database.run(_logged)
        new = await _new_keys(site.store, known)
        if not new or await site.database.run(_log, last, new):
            return last + len(new)


def _logged(connection: Connection) -> tuple[int, _Known]:
    """Return the number of the last entry, and of each kind the beginnings of the keys, sorted."""
    rows = connection.execute(select(arrivals).order_by(arrivals.c.number)).all()
    # With a key that no record has, for a search needs at least one.
    blobs = {
        kind: [bytes(16), *(row[2] for row in rows if row.kind == kind)]
        for kind in (*_TABLES, _PARTIAL)
    }
    known = {kind: np.sort(_beginnings(b"".join(keys))) for kind, keys in blobs.items()}
    return (rows[-1].number if rows else 0), known


def _beginnings(keys: bytes) -> np.ndarray[Any, Any]:
    """Return the first half of each key as a number, which distinguishes MD5s well enough."""
    return np.frombuffer(keys, "u8")[::2]


async def _new_keys(store: SQLStore, known: _Known) -> list[tuple[str, bytes]]:
    """Return the keys that are not known, by kind, in parts that fit into a row."""
    new: dict[str, list[str]] = {}
    for kind, table in _TABLES.items():
        parts = [_lacking(keys, known[kind]) async for keys in store.keys_of(table)]
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
    beginnings = _beginnings(bytes.fromhex("".join(keys)))
    is_new = known.take(np.searchsorted(known, beginnings), mode="clip") != beginnings
    return [*compress(keys, is_new.tolist())]


def _log(connection: Connection, last: int, new: Sequence[tuple[str, bytes]]) -> bool:
    """Add entries after the last one; return False if another server was quicker."""
    names = "number", "kind", "keys"
    rows = [dict(zip(names, (n, *part), strict=True)) for n, part in enumerate(new, last + 1)]
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
    watched: dict[str, _Record] = {}
    for kind, keys in await site.database.run(_arrived, rule.position, last):
        watched |= await _watched(site.store, rule, kind, keys)
    found = await _having_words(site.store, rule, {*watched.values()})
    marks = {mark: found[record] for mark, record in watched.items() if record in found}
    return await site.database.run(_record, site.address, rule, last, marks)


async def _watched(
    store: SQLStore, rule: AlarmRule, kind: str, keys: Sequence[str]
) -> dict[str, _Record]:
    """Return the records that a rule looks at, by what a hit is remembered by: after a change, another one."""
    own = _ARTICLE if kind == _PARTIAL else kind.split()[0]
    if not _is_watched(rule, own) or (kind in _VERSIONS and not rule.with_changed):
        return {}
    if kind in _VERSIONS:
        owners = await store.owners_of(_VERSIONS[kind], _OWNERS[kind], keys)
        return {f"{kind} {key}": (own, owner) for key, owner in owners.items()}
    return {f"{own} {key}": (own, key) for key in keys}


async def _having_words(
    store: SQLStore, rule: AlarmRule, records: set[_Record]
) -> dict[_Record, FoundText]:
    keys = sorted({key for _, key in records})
    found: dict[_Record, FoundText] = {}
    for start in range(0, len(keys), _TOGETHER):
        scope = Scope(site=rule.site or None, keys=frozenset(keys[start : start + _TOGETHER]))
        # A numbered article may have the key of one of a list.
        every = await store.search(rule.words, 2 * _TOGETHER, scope=scope)
        found |= {(one.kind, one.key): one for one in every}
    return found


def _record(
    connection: Connection, address: str, rule: StoredRule, last: int, found: dict[str, FoundText]
) -> list[Alarm]:
    """Move a rule on, and give an alarm of what it had not found before: all at once, or nothing of it."""
    is_as_read = rules.c.number == rule.number, rules.c.position == rule.position
    if not connection.execute(update(rules).where(*is_as_read).values(position=last)).rowcount:
        # Another server was quicker, or the rule is deleted.
        return []
    known = set(connection.scalars(select(hits.c.mark).where(hits.c.rule == rule.number)))
    is_hidden = article_edits.c.is_hidden.is_(True)
    hidden = set(connection.scalars(select(article_edits.c.url_md5).where(is_hidden)))
    new = {m: one for m, one in found.items() if m not in known and one.key not in hidden}
    if not new:
        return []
    connection.execute(hits.insert(), [{"rule": rule.number, "mark": mark} for mark in new])
    # One that is new and has changed since is one.
    records = {(one.kind, one.key): one for one in new.values()}
    values = _values(rule, address, [*records.values()])
    event = Event(key=f"words {last}", kind="words", subject=rule.words[:200], values=values)
    return add_alarms(connection, rule.number, [event])


def _values(rule: AlarmRule, address: str, records: Sequence[FoundText]) -> dict[str, Any]:
    best = [(one, from_found(one)) for one in sorted(records, key=lambda one: -one.score)[:SHOWN]]
    query = {"q": rule.words} | ({"site": rule.site} if rule.site else {})
    return {
        "words": rule.words,
        "count": len(records),
        "more": len(records) - len(best),
        "search": f"/search?{urlencode(query)}",
        "server": address,
        "found": [
            {"title": shown.plain_title, "url": one.url, "page": shown.address or "",
             "site": one.site, "published": str(one.published or "")}
            for one, shown in best
        ],
    }  # fmt: skip


async def preview(store: SQLStore, rule: AlarmRule) -> dict[str, int]:
    """Count the articles of the last ``week`` and ``month`` that a rule would have found, ``most`` at most.

    Their dates count; other records have none.
    """
    last = latest_day()
    scope = Scope(site=rule.site or None, since=last - timedelta(days=30), until=last)
    found = await store.search(rule.words, MOST_PREVIEWED, scope=scope)
    days = [one.published for one in found if _is_watched(rule, one.kind)]
    week = [day for day in days if day and day > last - timedelta(days=7)]
    return {"week": len(week), "month": len(days), "most": MOST_PREVIEWED}


def _is_watched(rule: AlarmRule, kind: str) -> bool:
    return not rule.kinds or kind in rule.kinds.split(",")
