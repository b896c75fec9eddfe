"""Texts of alarms, and their messages for webhooks."""

from __future__ import annotations

import json
from typing import Any

from focuscrawl.errors import FocuscrawlError
from focuscrawl.web.alarms.alarm_rules import WebhookFormat
from focuscrawl.web.alarms.alarm_store import Alarm
from focuscrawl.web.message_catalogue import Language, message

_LONGEST = 1500


def text_of(alarm: Alarm, language: Language) -> str:
    """Return an alarm as one sentence."""
    if alarm.kind == "price":
        direction = "up" if alarm.values["yuan"] > 0 else "down"
        amounts = {name: abs(alarm.values[name]) for name in ("yuan", "share")}
        return message(f"alarms.price_{direction}", language, **alarm.values | amounts)
    return message(f"crawls.cause_{alarm.kind}", language, **alarm.values)


def title_of(alarm: Alarm, language: Language) -> str:
    """Return the subject of an alarm, in one line."""
    return " ".join(message("alarms.title", language, subject=alarm.subject).split())


def webhook_message(alarm: Alarm, form: WebhookFormat, language: Language) -> str:
    """Return the JSON for a webhook, in ASCII."""
    text = f"{title_of(alarm, language)}\n{text_of(alarm, language)}"[:_LONGEST]
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
