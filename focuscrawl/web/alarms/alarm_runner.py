"""Work that goes on while the server runs: rules are evaluated, new alarms are sent."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from focuscrawl.errors import FocuscrawlError
from focuscrawl.items import Quote
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_delivery import deliver
from focuscrawl.web.alarms.alarm_evaluation import is_watched, price_event, run_events
from focuscrawl.web.alarms.alarm_rules import RuleKind, StoredRule
from focuscrawl.web.alarms.alarm_store import Alarm, Event
from focuscrawl.web.crawls.run_facts import RunFacts
from focuscrawl.web.crawls.run_history import causes, newest_runs
from focuscrawl.web.web_site import WebSite

_log = logging.getLogger(__name__)
RUNS = 50
"""Number of the newest runs that are looked at."""
_LATEST = timedelta(days=30)
"""Age of the newest price, at most; an older one is no news."""


async def watch(site: WebSite) -> None:
    """Evaluate the rules again and again, prices only after a run has ended."""
    watched: object = None
    is_first = True
    while True:
        await asyncio.sleep(site.tick_seconds)
        try:
            if is_first:
                # Sent again, they might arrive twice.
                await site.database.run(alarm_store.give_up_unsent, "the server ended meanwhile")
                is_first = False
            rules = await site.database.run(alarm_store.all_rules)
            runs = await newest_runs(site, None, RUNS, datetime.now(UTC)) if rules else []
            ended = {one.run.key for one in runs if one.run.ended_at}
            seen = (rules, ended)
            await evaluate(site, rules, runs, with_prices=seen != watched)
            watched = seen
        except FocuscrawlError as error:
            _log.warning("alarms: %s", error)
        except Exception:
            # The next turn may succeed, and the server has to go on.
            _log.exception("alarms")


async def evaluate(
    site: WebSite, rules: list[StoredRule], runs: list[RunFacts], *, with_prices: bool
) -> list[Alarm]:
    """Evaluate rules; return the new alarms, which have been sent."""
    now = datetime.now(UTC)
    quotes = await _quotes(site, rules, now) if with_prices else []
    found = []
    for rule in rules:
        events = await _events(site, rule, runs, quotes, now)
        alarms = await site.database.run(alarm_store.add_alarms, rule.number, events)
        for alarm in alarms:
            failures = await asyncio.to_thread(deliver, alarm, rule, site.mail, site.webhook)
            await site.database.run(alarm_store.set_sent, alarm.number, failures)
        found += alarms
    return found


async def _events(
    site: WebSite, rule: StoredRule, runs: list[RunFacts], quotes: list[Quote], now: datetime
) -> list[Event]:
    if rule.kind is not RuleKind.PRICE:
        watched = [run for run in reversed(runs) if is_watched(rule, run)]
        return [
            event for run in watched for event in run_events(rule, run, await causes(site, run))
        ]
    known = await site.database.run(alarm_store.events_of, rule.number)
    event = await asyncio.to_thread(price_event, rule, quotes, now.astimezone().date(), known)
    return [event] if event else []


async def _quotes(site: WebSite, rules: list[StoredRule], now: datetime) -> list[Quote]:
    """Return the quotes of all goods that rules watch, read once."""
    prices = [rule for rule in rules if rule.kind is RuleKind.PRICE]
    if not prices:
        return []
    goods = {rule.commodity for rule in prices}
    longest = timedelta(days=max(rule.days for rule in prices))
    since = (now - _LATEST - longest).date()
    return [one.quote async for one in site.store.quotes(since) if one.quote.commodity in goods]


BACKGROUND = (watch,)
