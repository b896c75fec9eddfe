"""Delivery of alarms by mail and to webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.summary.delivery_failures import reason_of
from focuscrawl.summary.report_mail import SETTING as MAIL
from focuscrawl.summary.report_mail import MailTarget
from focuscrawl.summary.report_webhook import SETTING as WEBHOOK
from focuscrawl.summary.report_webhook import WebhookTarget, webhook_target
from focuscrawl.web.alarms.alarm_messages import check_answer, text_of, title_of, webhook_message
from focuscrawl.web.alarms.alarm_rules import StoredRule, WebhookFormat
from focuscrawl.web.alarms.alarm_store import Alarm
from focuscrawl.web.message_catalogue import LANGUAGES

SECONDS = 20.0
_LANGUAGE = LANGUAGES[0]


class _Attempt(NamedTuple):
    label: str
    secrets: tuple[str, ...]
    send: Callable[[], None]


def deliver(
    alarm: Alarm, rule: StoredRule, mail: MailTarget | None, webhook: WebhookTarget | None
) -> list[str]:
    """Send an alarm as its rule says; return a sentence for each place that did not take it. Blocks."""
    failures = []
    for attempt in _attempts(alarm, rule, mail, webhook):
        try:
            attempt.send()
        # Whatever happens, the alarm is shown.
        except Exception as error:
            why = reason_of(error, f"no answer within {SECONDS:g} seconds")
            for secret in attempt.secrets:
                why = why.replace(secret, "***")
            failures.append(f"{attempt.label} was not sent: {why}")
    return failures


def _attempts(
    alarm: Alarm, rule: StoredRule, mail: MailTarget | None, webhook: WebhookTarget | None
) -> Iterator[_Attempt]:
    if rule.by_mail:
        send = partial(_send_mail, alarm, mail)
        yield _Attempt(mail.label if mail else "mail", mail.secrets if mail else (), send)
    if rule.webhook:
        target = webhook_target(rule.webhook_url, "") if rule.webhook_url else webhook
        post = partial(_post, alarm, rule.webhook, target)
        secrets = target.secrets if target else ()
        yield _Attempt(target.label if target else "webhook", secrets, post)


def _send_mail(alarm: Alarm, mail: MailTarget | None) -> None:
    if mail is None:
        raise ArgumentError(f"{MAIL} is not set; set it, or change the rule")
    lines = [text_of(alarm, language) for language in LANGUAGES]
    mail.send_text(title_of(alarm, _LANGUAGE), lines, SECONDS)


def _post(alarm: Alarm, form: WebhookFormat, target: WebhookTarget | None) -> None:
    if target is None:
        raise ArgumentError(f"{WEBHOOK} is not set; set it, or change the rule")
    check_answer(form, target.post(webhook_message(alarm, form, _LANGUAGE), SECONDS))
