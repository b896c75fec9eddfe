"""Alarm rules, alarms and feeds: what they hold, and their rows in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import Connection, Row, Text, delete, select, type_coerce, update
from starlette.exceptions import HTTPException

from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.search.search_query import LONGEST_QUERY, read_query
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.accounts.login_sessions import secret_hash
from focuscrawl.web.database.web_database import hold_all, hold_user
from focuscrawl.web.database.web_tables import alarms, feeds, hits, rules, users

if TYPE_CHECKING:
    from focuscrawl.web.prices.price_table import Series

_Text = Annotated[str, Field(max_length=200)]


class RuleKind(StrEnum):
    """What a rule watches."""

    PRICE = "price"
    FAILED = "failed"
    DRIFT = "drift"
    WORDS = "words"


TEXT_KINDS = "numbered", "article", "page", "record", "item"
"""What a rule about words looks at, as a search names it."""

_SOME_KINDS = "^({0}(,{0})*)?$".format(f"({'|'.join(TEXT_KINDS)})")


class MoveUnit(StrEnum):
    """Unit of the amount by which a price has to move."""

    PERCENT = "percent"
    YUAN = "yuan"


class WebhookFormat(StrEnum):
    """Format of the message to a webhook."""

    JSON = "json"
    DINGTALK = "dingtalk"
    FEISHU = "feishu"
    WECOM = "wecom"


class AlarmRule(BaseModel):
    """A rule: alarms of a price that moves more than ``amount`` within ``days``, of runs of a crawl, or of words.

    An empty ``crawl`` is any crawl; an empty ``region``, ``entity`` or ``site`` any. ``webhook`` is empty
    for none. ``words`` are the query of a search; ``kinds`` has the kinds of records to look at, with
    commas between, empty for all. Changed records count as new ones if ``with_changed``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: RuleKind
    crawl: _Text = ""
    commodity: _Text = ""
    region: _Text = ""
    entity: _Text = ""
    amount: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] = 3.0
    unit: MoveUnit = MoveUnit.PERCENT
    days: Annotated[int, Field(ge=1, le=365)] = 7
    by_mail: bool = False
    webhook: WebhookFormat | None = None
    words: Annotated[str, Field(max_length=LONGEST_QUERY)] = ""
    site: Annotated[str, Field(max_length=255, pattern=r"^[^\s/:]*$")] = ""
    kinds: Annotated[str, Field(max_length=64, pattern=_SOME_KINDS)] = ""
    with_changed: bool = False

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.kind is RuleKind.PRICE and self.commodity not in commodities():
            raise ValueError(f"commodity {self.commodity!r} is not known; choose one of the list")
        if self.kind is RuleKind.WORDS:
            read_query(self.words)
        return self

    def watches(self, series: Series) -> bool:
        """Return whether a rule about prices is about those of a series, alone or with others."""
        # A name in two places is followed by its place.
        is_named = self.entity in ("", series.name, series.name.partition("(")[0])
        return is_named and (not self.region or self.region in (*series.place, *series.regions))

    def row(self) -> dict[str, Any]:
        """Return the rule as JSON values."""
        return {**self.model_dump(mode="json"), "webhook": self.webhook or ""}


class StoredRule(AlarmRule):
    """A stored rule; ``webhook_url`` is secret, and empty for the webhook of the settings.

    A rule about words has looked at the arrivals up to ``position``.
    """

    number: int
    position: int = 0
    webhook_url: str = Field("", repr=False)
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that a rule watches for has happened.

    ``key`` distinguishes it from all other events of the rule; ``kind`` is the key of a text, with its ``values``.
    ``run`` is the key of a run, or empty.
    """

    key: str
    kind: str
    subject: str
    values: Mapping[str, Any]
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An alarm; ``sent`` has a sentence for each place that did not take it, None while it is sent."""

    number: int
    rule: int
    event: str
    kind: str
    subject: str
    run: str
    values: dict[str, Any]
    at: datetime
    sent: list[str] | None


# Rows in the database. Each function needs a connection in a transaction.

_SECRET_BYTES = 32


def all_rules(connection: Connection) -> list[StoredRule]:
    """Return all rules in the order of their making."""
    return [_rule(row) for row in connection.execute(select(rules).order_by(rules.c.number))]


def rule_numbered(connection: Connection, number: int) -> StoredRule | None:
    """Return the rule with a number, None if there is none."""
    row = connection.execute(select(rules).where(rules.c.number == number)).one_or_none()
    return _rule(row) if row else None


def _rule(row: Row[Any]) -> StoredRule:
    return StoredRule(**{**row._mapping, "webhook": row.webhook or None})


def add_rule(
    connection: Connection, author: Author, rule: AlarmRule, webhook_url: str, position: int = 0
) -> None:
    """Add a rule; events before now, and arrivals up to a position, give no alarm."""
    more = {"webhook_url": webhook_url, "made_by": author.name, "made_at": datetime.now(UTC),
            "position": position}  # fmt: skip
    connection.execute(rules.insert().values(**rule.row(), **more))
    log_change(connection, author, "alarm.add", rule.kind, None, _logged(rule, webhook_url))


def change_rule(
    connection: Connection, author: Author, old: StoredRule, rule: AlarmRule, webhook_url: str
) -> None:
    """Replace a rule by one of the same kind; raises 409 if it is not ``old`` any more."""
    if rule.kind is not old.kind:
        raise HTTPException(409)
    _check_unchanged(connection, old)
    changed = update(rules).where(rules.c.number == old.number)
    connection.execute(changed.values(**rule.row(), webhook_url=webhook_url))
    before, after = _logged(old, old.webhook_url), _logged(rule, webhook_url)
    log_change(connection, author, "alarm.edit", str(old.number), before, after)


def delete_rule(connection: Connection, author: Author, old: StoredRule) -> None:
    """Delete a rule; its alarms stay. Raises 409 if it is not ``old`` any more."""
    _check_unchanged(connection, old)
    connection.execute(delete(rules).where(rules.c.number == old.number))
    # Another rule may get the number.
    connection.execute(delete(hits).where(hits.c.rule == old.number))
    log_change(connection, author, "alarm.delete", str(old.number), _logged(old, old.webhook_url))


def _check_unchanged(connection: Connection, old: StoredRule) -> None:
    # Locked, for another server may be about to change it.
    query = select(rules).where(rules.c.number == old.number).with_for_update()
    row = connection.execute(query).one_or_none()
    moved = {"position": old.position}
    if row is None or _rule(row).model_copy(update=moved) != old:
        raise HTTPException(409)


def _logged(rule: AlarmRule, webhook_url: str) -> dict[str, Any]:
    """Return a rule as the log has it: with the host of its webhook, the rest of which is secret."""
    url = {"webhook_url": webhook_target(webhook_url, "").label} if webhook_url else {}
    return plain_row(rule) | url


def plain_row(rule: AlarmRule) -> dict[str, Any]:
    """Return a rule as JSON values, without its secret."""
    return {name: rule.row()[name] for name in AlarmRule.model_fields}


def events_of(connection: Connection, rule: int) -> set[str]:
    """Return the keys of the events that a rule gave alarms of."""
    return set(connection.scalars(select(alarms.c.event).where(alarms.c.rule == rule)))


def add_alarms(connection: Connection, rule: int, found: list[Event]) -> list[Alarm]:
    """Add alarms of the events that are new, and return them."""
    hold_all(connection)
    known = events_of(connection, rule)
    added = []
    for event in found:
        if event.key in known:
            continue
        known.add(event.key)
        values: dict[str, Any] = {
            "rule": rule, "event": event.key, "kind": event.kind, "subject": event.subject,
            "run": event.run, "values": dict(event.values), "at": datetime.now(UTC), "sent": None,
        }  # fmt: skip
        (number,) = connection.execute(alarms.insert().values(**values)).inserted_primary_key or (
            0,
        )
        added.append(Alarm(number=int(number), **values))
    return added


def set_sent(connection: Connection, number: int, failures: list[str]) -> None:
    """Record that an alarm was sent, with a sentence for each place that did not take it."""
    connection.execute(update(alarms).where(alarms.c.number == number).values(sent=failures))


def give_up_unsent(connection: Connection, reason: str) -> None:
    """Record of the alarms that a server was sending when it ended that they may not have arrived."""
    # One that another server is sending may arrive meanwhile.
    is_unsent = type_coerce(alarms.c.sent, Text) == "null"
    connection.execute(update(alarms).where(is_unsent).values(sent=[reason]))


def newest_alarms(connection: Connection, limit: int) -> list[Alarm]:
    """Return the newest alarms, newest first."""
    query = select(alarms).order_by(alarms.c.number.desc()).limit(limit)
    return [Alarm(**row._mapping) for row in connection.execute(query)]


def new_feed(connection: Connection, author: Author, key: bytes) -> str:
    """Return the secret of a new feed of a user; that of an older one is void."""
    secret = token_urlsafe(_SECRET_BYTES)
    hold_user(connection, author.name)
    connection.execute(delete(feeds).where(feeds.c.name == author.name))
    row = {"name": author.name, "secret_hash": secret_hash(secret, key)}
    connection.execute(feeds.insert().values(**row))
    log_change(connection, author, "alarm.feed", author.name)
    return secret


def is_feed(connection: Connection, secret: str, key: bytes) -> bool:
    """Return whether a secret is that of the feed of a user who is not disabled."""
    query = (
        select(users.c.name)
        .join(feeds, feeds.c.name == users.c.name)
        .where(feeds.c.secret_hash == secret_hash(secret, key), users.c.is_disabled.is_(False))
    )
    return connection.execute(query).first() is not None
