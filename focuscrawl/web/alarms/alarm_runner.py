"""Work that goes on while the server runs: rules are evaluated, new alarms are sent."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, date, datetime, timedelta

from focuscrawl.errors import FocuscrawlError
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_delivery import deliver
from focuscrawl.web.alarms.alarm_evaluation import is_watched, price_event, run_events
from focuscrawl.web.alarms.alarm_rules import RuleKind, StoredRule
from focuscrawl.web.alarms.alarm_store import Alarm, Event
from focuscrawl.web.crawls.run_facts import SILENCE, RunFacts, RunState
from focuscrawl.web.crawls.run_history import causes
from focuscrawl.web.prices.figures.price_table import PriceTable
from focuscrawl.web.web_site import WebSite

_log = logging.getLogger(__name__)
RUNS = 50
"""Number of the runs that are looked at."""
_LONGEST_GAP = timedelta(seconds=45)


class Attention:
    """How long the runs have been looked at without a break, in which they may have been unable to write."""

    def __init__(self) -> None:
        self._since = self._last = datetime.min.replace(tzinfo=UTC)

    def lasts(self, now: datetime) -> bool:
        """Look once more; return whether a run that is silent since then must have been killed."""
        if not timedelta(0) <= now - self._last <= _LONGEST_GAP:
            self._since = now
        self._last = now
        return now - self._since > SILENCE


async def watch(site: WebSite) -> None:
    """Evaluate the rules again and again, prices only after a run has ended."""
    watched: object = None
    attention = Attention()
    is_first = True
    while True:
        await asyncio.sleep(site.tick_seconds)
        try:
            if is_first:
                # Sent again, they might arrive twice.
                await site.database.run(alarm_store.give_up_unsent, "the server ended meanwhile")
                is_first = False
            rules = await site.database.run(alarm_store.all_rules)
            runs = await watched_runs(site) if rules else []
            if not attention.lasts(datetime.now(UTC)):
                runs = [run for run in runs if run.state is not RunState.KILLED]
            table = site.prices.table
            # Prices are read a little after a run has ended.
            read_at = datetime.min.replace(tzinfo=UTC) if table is None else table.read_at
            ended = {one.run.key for one in runs if (end := one.run.ended_at) and end < read_at}
            seen = (rules, None if table is None else ended)
            await evaluate(site, rules, runs, table if seen != watched else None)
            watched = seen
        except FocuscrawlError as error:
            _log.warning("alarms: %s", error)
        except Exception:
            # The next turn may succeed, and the server has to go on.
            _log.exception("alarms")


async def watched_runs(site: WebSite) -> list[RunFacts]:
    """Return the runs that ended or gave a sign of life last, such as a long one that fails now."""
    now = datetime.now(UTC)
    return [RunFacts(run, now) for run in await site.store.runs(None, RUNS, "updated_at")]


async def evaluate(
    site: WebSite, rules: list[StoredRule], runs: list[RunFacts], prices: PriceTable | None
) -> list[Alarm]:
    """Evaluate rules, those about prices where these are given; return the new alarms, which have been sent."""
    found = []
    for rule in rules:
        events = await _events(site, rule, runs, prices)
        alarms = await site.database.run(alarm_store.add_alarms, rule.number, events)
        for alarm in alarms:
            failures = await asyncio.to_thread(deliver, alarm, rule, site.mail, site.webhook)
            await site.database.run(alarm_store.set_sent, alarm.number, failures)
        found += alarms
    return found


async def _events(
    site: WebSite, rule: StoredRule, runs: list[RunFacts], prices: PriceTable | None
) -> list[Event]:
    if rule.kind is not RuleKind.PRICE:
        watched = [run for run in reversed(runs) if is_watched(rule, run)]
        return [
            event for run in watched for event in run_events(rule, run, await causes(site, run))
        ]
    if prices is None:
        return []
    known = await site.database.run(alarm_store.events_of, rule.number)
    event = await asyncio.to_thread(price_event, rule, prices, date.today(), known)
    return [event] if event else []


BACKGROUND = (watch,)
