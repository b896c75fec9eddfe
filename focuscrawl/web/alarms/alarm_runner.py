"""Work that goes on while the server runs: rules are evaluated, new alarms are sent."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.price_statistics.price_moves import UNIX_EPOCH
from focuscrawl.summary.report_delivery import deliver
from focuscrawl.summary.report_mail import SETTING as MAIL
from focuscrawl.summary.report_mail import MailTarget
from focuscrawl.summary.report_webhook import SETTING as WEBHOOK
from focuscrawl.summary.report_webhook import WebhookTarget, webhook_target
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import (
    Alarm,
    AlarmRule,
    Event,
    MoveUnit,
    RuleKind,
    StoredRule,
    WebhookFormat,
)
from focuscrawl.web.alarms.word_alarms import check, take_stock
from focuscrawl.web.crawls.crawl_drift import Cause, causes
from focuscrawl.web.crawls.run_facts import SILENCE, RunFacts, RunState
from focuscrawl.web.message_catalogue import LANGUAGES, Language, message
from focuscrawl.web.prices.daily_prices import daily_prices
from focuscrawl.web.prices.price_query import kinds_of
from focuscrawl.web.prices.price_table import PriceTable, day_number
from focuscrawl.web.web_site import WebSite

# Texts of alarms, and their messages for webhooks.

_LONGEST = 1500


def text_of(alarm: Alarm, language: Language) -> str:
    """Return an alarm as one sentence."""
    if alarm.kind == "price":
        direction = "up" if alarm.values["yuan"] > 0 else "down"
        amounts = {name: abs(alarm.values[name]) for name in ("yuan", "share")}
        return message(f"alarms.price_{direction}", language, **alarm.values | amounts)
    if alarm.kind == "words":
        return message("alarms.words_found", language, **alarm.values)
    return message(f"crawls.cause_{alarm.kind}", language, **alarm.values)


def lines_of(alarm: Alarm, *languages: Language) -> list[str]:
    """Return an alarm as text: its sentence in each language, and the records that it names."""
    lines = [text_of(alarm, language) for language in languages]
    if alarm.kind == "words":
        lines += [f"{one['title']} {one['url']}" for one in alarm.values["found"]]
        if alarm.values["more"]:
            lines += [message("alarms.words_more", one, **alarm.values) for one in languages]
    return lines


def title_of(alarm: Alarm, language: Language) -> str:
    """Return the subject of an alarm, in one line."""
    return " ".join(message("alarms.title", language, subject=alarm.subject).split())


def webhook_message(alarm: Alarm, form: WebhookFormat, language: Language) -> str:
    """Return the JSON for a webhook, in ASCII."""
    text = "\n".join([title_of(alarm, language), *lines_of(alarm, language)])[:_LONGEST]
    shapes: dict[WebhookFormat, dict[str, Any]] = {
        WebhookFormat.DINGTALK: {"msgtype": "text", "text": {"content": text}},
        WebhookFormat.WECOM: {"msgtype": "text", "text": {"content": text}},
        WebhookFormat.FEISHU: {"msg_type": "text", "content": {"text": text}},
        WebhookFormat.JSON: {
            "alarm": alarm.number, "rule": alarm.rule, "kind": alarm.kind, "subject": alarm.subject,
            "text": text_of(alarm, language), "at": alarm.at.isoformat(), "run": alarm.run,
            "values": alarm.values,
        },
    }  # fmt: skip
    return json.dumps(shapes[form])


def check_answer(form: WebhookFormat, answer: bytes) -> None:
    """Raise FocuscrawlError if a chat service refuses a message, which it does with status 200."""
    if form is WebhookFormat.JSON:
        return
    try:
        found = json.loads(answer)
        code = found.get("errcode", found.get("code", found.get("StatusCode", 0)))
        reason = found.get("errmsg") or found.get("msg") or ""
    except (ValueError, AttributeError):
        code, reason = None, "no JSON"
    if code != 0:
        raise FocuscrawlError(f"the service refuses the message ({code} {str(reason)[:200]})")


# Delivery of alarms by mail and to webhooks.

_LANGUAGE = LANGUAGES[0]


class _AlarmTarget(NamedTuple):
    label: str
    secrets: Sequence[str]
    send: Callable[[Alarm, float], None]


def targets_of(
    rule: StoredRule, mail: MailTarget | None, webhook: WebhookTarget | None
) -> list[_AlarmTarget]:
    """Return the places to which a rule sends its alarms."""
    targets = []
    if rule.by_mail:
        send = partial(_send_mail, mail)
        targets.append(
            _AlarmTarget(mail.label if mail else "mail", mail.secrets if mail else (), send)
        )
    if rule.webhook:
        target = webhook_target(rule.webhook_url, "") if rule.webhook_url else webhook
        post = partial(_post, rule.webhook, target)
        secrets = target.secrets if target else ()
        targets.append(_AlarmTarget(target.label if target else "webhook", secrets, post))
    return targets


def _send_mail(mail: MailTarget | None, alarm: Alarm, seconds: float) -> None:
    if mail is None:
        raise ArgumentError(f"{MAIL} is not set; set it, or change the rule")
    mail.send_text(title_of(alarm, _LANGUAGE), lines_of(alarm, *LANGUAGES), seconds)


def _post(form: WebhookFormat, target: WebhookTarget | None, alarm: Alarm, seconds: float) -> None:
    if target is None:
        raise ArgumentError(f"{WEBHOOK} is not set; set it, or change the rule")
    check_answer(form, target.post(webhook_message(alarm, form, _LANGUAGE), seconds))


# Moves of a price within some days, by entities that have a price on both days.

LEAST_ENTITIES = 3
"""Number of entities whose median is taken, where no entity is named."""

Prices = Mapping[date, Mapping[str, float]]
"""Prices in yuan per ton, by day and entity."""


class MedianMove(NamedTuple):
    """The move from one day to the newest one, in yuan per ton and as share; medians over entities."""

    since: date
    day: date
    yuan: float
    share: float
    price: float
    entities: int


def prices_of(rule: AlarmRule, table: PriceTable, first: date, last: date) -> Prices:
    """Return the prices of some days that a rule watches: those that the pages show.

    Averages and groups of buyers count only if they are named, as in the median of a region.
    """
    if rule.commodity not in table.commodities:
        return {}
    part = table.slice_of(table.commodities.index(rule.commodity))
    watched = np.array([rule.watches(one) for one in table.series], dtype=bool)
    day = table.day[part]
    chosen = table.is_counted[part] & watched[table.owner[part]]
    chosen &= (day >= day_number(first)) & (day <= day_number(last))
    if not rule.entity:
        chosen &= np.isin(table.kind[part], kinds_of(""))
    daily = daily_prices(table, np.flatnonzero(chosen) + part.start)
    found: dict[date, dict[str, float]] = defaultdict(dict)
    rows = zip(daily.day.tolist(), daily.owner.tolist(), daily.price.tolist(), strict=True)
    for number, owner, price in rows:
        found[date.fromordinal(number + UNIX_EPOCH)][table.series[owner].name] = price
    return found


def idle_rules(rules: Iterable[StoredRule], table: PriceTable) -> set[int]:
    """Return the numbers of the rules about prices whose entity or region has none."""
    about_prices = (one for one in rules if one.kind is RuleKind.PRICE)
    return {one.number for one in about_prices if not any(map(one.watches, table.series))}


def largest_move(rule: AlarmRule, prices: Prices) -> MedianMove | None:
    """Return the largest move to the newest day from any of the days before, None if none is known."""
    if not prices:
        return None
    newest = max(prices)
    first = newest - timedelta(days=rule.days)
    days = (day for day in prices if first <= day < newest)
    least = 1 if rule.entity else LEAST_ENTITIES
    moves = [move for day in days if (move := _move(prices, day, newest, least))]
    return max(moves, key=lambda move: (amount_of(rule, move), move.since), default=None)


def _move(prices: Prices, since: date, day: date, least: int) -> MedianMove | None:
    before, now = prices[since], prices[day]
    both = [entity for entity in now if before.get(entity)]
    if len(both) < least:
        return None
    return MedianMove(
        since,
        day,
        median(now[entity] - before[entity] for entity in both),
        median(now[entity] / before[entity] - 1 for entity in both),
        median(now[entity] for entity in both),
        len(both),
    )


def amount_of(rule: AlarmRule, move: MedianMove) -> float:
    """Return the size of a move in the unit of a rule."""
    amount = 100 * move.share if rule.unit is MoveUnit.PERCENT else move.yuan
    # 2100 / 2000 - 1 is a little more than 0.05.
    return round(abs(amount), 9)


# Evaluation of alarm rules against runs and prices.

LATEST = timedelta(days=30)
"""Age of the newest price, at most; an older one is no news."""
_ENDINGS = ("failed", "killed")
_PRICE_EVENT = re.compile(r"price (up|down) (\d{4}-\d\d-\d\d)")


def is_watched(rule: StoredRule, run: RunFacts) -> bool:
    """Return whether a rule is about a run; one that was over when the rule was made is not."""
    end = run.run.ended_at or run.run.updated_at
    about_runs = RuleKind.FAILED, RuleKind.DRIFT
    is_about_runs = rule.kind in about_runs and rule.crawl in ("", run.run.crawl)
    return is_about_runs and end >= rule.made_at


def run_events(rule: AlarmRule, run: RunFacts, causes: Iterable[Cause]) -> list[Event]:
    """Return the events of a run that a rule watches."""
    return [_event(run, cause) for cause in causes if _is_watched(rule, cause)]


def _is_watched(rule: AlarmRule, cause: Cause) -> bool:
    return (cause.kind in _ENDINGS) == (rule.kind is RuleKind.FAILED)


def _event(run: RunFacts, cause: Cause) -> Event:
    key = f"{cause.kind} {run.run.key} {cause.values.get('host', '')}".strip()[:255]
    return Event(
        key=key, kind=cause.kind, subject=run.run.crawl, values=cause.values, run=run.run.key
    )


def price_event(
    rule: AlarmRule, table: PriceTable, today: date, known: Iterable[str]
) -> Event | None:
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


_log = logging.getLogger(__name__)
RUNS = 50
"""Number of the runs that are looked at."""
_LONGEST_GAP = timedelta(seconds=45)
_WORDS_SECONDS = 600
"""Seconds after which new records are looked for while no run ends."""


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
    """Evaluate the rules again and again, prices only after a run has ended, words also while one goes on."""
    watched: object = None
    looked_at: object = None
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
            about_words = [rule for rule in rules if rule.kind is RuleKind.WORDS]
            over = {one.run.key for one in runs if one.run.ended_at}
            due = over, int(time.monotonic() // _WORDS_SECONDS)
            if about_words and due != looked_at:
                await look_for_words(site, about_words)
                looked_at = due
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
        found += await _sent(site, rule, alarms)
    return found


async def look_for_words(site: WebSite, rules: list[StoredRule]) -> list[Alarm]:
    """Look for the words of rules in what has arrived; return the new alarms, which have been sent."""
    last = await take_stock(site)
    return [one for rule in rules for one in await _sent(site, rule, await check(site, rule, last))]


async def _sent(site: WebSite, rule: StoredRule, alarms: list[Alarm]) -> list[Alarm]:
    for alarm in alarms:
        targets = targets_of(rule, site.mail, site.webhook)
        failures = await asyncio.to_thread(deliver, alarm, targets)
        await site.database.run(alarm_store.set_sent, alarm.number, failures)
    return alarms


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
