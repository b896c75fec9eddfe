"""Evaluation of alarm rules against runs and prices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from focuscrawl.web.alarms.alarm_rules import Rule, RuleKind, StoredRule
from focuscrawl.web.alarms.alarm_store import Event
from focuscrawl.web.alarms.price_moves import amount_of, largest_move, prices_of
from focuscrawl.web.crawls.crawl_drift import Cause
from focuscrawl.web.crawls.run_facts import RunFacts
from focuscrawl.web.prices.figures.price_table import PriceTable

LATEST = timedelta(days=30)
"""Age of the newest price, at most; an older one is no news."""
_ENDINGS = ("failed", "killed")
_PRICE_EVENT = re.compile(r"price (up|down) (\d{4}-\d\d-\d\d)")


def is_watched(rule: StoredRule, run: RunFacts) -> bool:
    """Return whether a rule is about a run; one that was over when the rule was made is not."""
    end = run.run.ended_at or run.run.updated_at
    is_about_runs = rule.kind is not RuleKind.PRICE and rule.crawl in ("", run.run.crawl)
    return is_about_runs and end >= rule.made_at


def run_events(rule: Rule, run: RunFacts, causes: Iterable[Cause]) -> list[Event]:
    """Return the events of a run that a rule watches."""
    return [_event(run, cause) for cause in causes if _is_watched(rule, cause)]


def _is_watched(rule: Rule, cause: Cause) -> bool:
    return (cause.kind in _ENDINGS) == (rule.kind is RuleKind.FAILED)


def _event(run: RunFacts, cause: Cause) -> Event:
    key = f"{cause.kind} {run.run.key} {cause.values.get('host', '')}".strip()[:255]
    return Event(
        key=key, kind=cause.kind, subject=run.run.crawl, values=cause.values, run=run.run.key
    )


def price_event(rule: Rule, table: PriceTable, today: date, known: Iterable[str]) -> Event | None:
    """Return the event of a price that moved more than a rule allows, None if it did not.

    A move is seen on each of the days that follow; ``known`` are the keys of events that gave an alarm.
    """
    first = today - LATEST - timedelta(days=rule.days)
    move = largest_move(rule, prices_of(rule, table, first, today))
    if move is None or amount_of(rule, move) <= rule.amount:
        return None
    direction = "up" if move.yuan > 0 else "down"
    again = timedelta(days=rule.days)
    if any(move.day - again < day <= move.day for way, day in _days(known) if way == direction):
        return None
    place = rule.entity or rule.region
    values = {
        "commodity": rule.commodity,
        "place": place,
        "since": move.since.isoformat(),
        "day": move.day.isoformat(),
        "yuan": round(move.yuan, 1),
        "share": round(move.share, 5),
        "price": round(move.price, 1),
        "entities": move.entities,
    }
    subject = f"{place}{rule.commodity}"
    return Event(key=f"price {direction} {move.day}", kind="price", subject=subject, values=values)


def _days(known: Iterable[str]) -> Iterable[tuple[str, date]]:
    for key in known:
        if found := _PRICE_EVENT.fullmatch(key):
            yield found[1], datetime.strptime(found[2], "%Y-%m-%d").date()
