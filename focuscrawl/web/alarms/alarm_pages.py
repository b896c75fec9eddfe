"""Pages about alarms, their rules and their feed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_runner import idle_rules, lines_of, text_of, title_of
from focuscrawl.web.alarms.alarm_store import (
    Alarm,
    AlarmRule,
    MoveUnit,
    RuleKind,
    StoredRule,
    WebhookFormat,
)
from focuscrawl.web.alarms.word_alarms import preview, take_stock
from focuscrawl.web.atom_feed import FeedEntry, feed_response
from focuscrawl.web.error_pages import existing
from focuscrawl.web.message_catalogue import Language, message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import checked
from focuscrawl.web.web_site import origin_of, site_of

# Feed of alarms.

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def alarm_feed(alarms: Sequence[Alarm], server: str, language: Language) -> Response:
    """Return the feed; ``server`` is the address of this server, such as ``https://prices.example``."""
    entries = [
        FeedEntry(
            key=uuid5(NAMESPACE_URL, f"{server}/alarms/{alarm.number}"),
            title=title_of(alarm, language),
            summary="\n".join(lines_of(alarm, language)),
            author=message("site.name", language),
            address=f"{server}{alarm.values.get('search') or _LIST}"
            if not alarm.run
            else f"{server}/crawls/runs/{alarm.run}",
            updated=alarm.at,
        )
        for alarm in alarms
    ]
    address = f"{server}/alarms"
    title = message("site.alarms", language)
    return feed_response(uuid5(NAMESPACE_URL, address), title, address, _NEVER, entries)


_SHOWN, _IN_FEED = 200, 50
_LIST = "/alarms"
_GIVEN = ("kind", "words", "site", "kinds", "by_mail")


async def alarms_page(request: Request) -> Response:
    """Show the newest alarms, and the rules."""
    return await _list(request, "")


async def _list(request: Request, feed: str) -> Response:
    run, prices = site_of(request).database.run, site_of(request).prices
    rules, table = await run(alarm_store.all_rules), None if prices.is_empty else prices.table
    values = {
        "alarms": await run(alarm_store.newest_alarms, _SHOWN),
        "rules": rules,
        "idle": await asyncio.to_thread(idle_rules, rules, table) if table else set(),
        "text_of": partial(text_of, language=language_of(request)),
        "feed": feed,
    }
    return page(request, "alarms/alarms.html", values)


async def form_page(request: Request) -> Response:
    """Show the form of a rule, or of a new one."""
    if "number" not in request.path_params:
        # A search gives its words, site and kind.
        given = {name: text for name, text in request.query_params.items() if name in _GIVEN}
        return await _form(request, None, {"kind": RuleKind.PRICE} | given, "", 200)
    old = await _rule(request)
    return await _form(request, old, alarm_store.plain_row(old), "", 200)


async def _form(
    request: Request, old: StoredRule | None, given: dict[str, Any], error: str, status: int
) -> Response:
    if given.get("kind") not in list(RuleKind):
        raise ArgumentError(f"kind = {given.get('kind')!r}: one of {', '.join(RuleKind)}")
    site = site_of(request)
    plain = AlarmRule.model_construct(kind=RuleKind(given["kind"])).model_dump(mode="json")
    values = {
        "rule": old,
        "given": {"previewed": None} | plain | given,
        "shown": _shown(old),
        "kinds": list(RuleKind),
        "units": list(MoveUnit),
        "formats": list(WebhookFormat),
        "texts": alarm_store.TEXT_KINDS,
        "sites": await site.store.sites() if given["kind"] == RuleKind.WORDS else [],
        "goods": list(commodities()),
        "error": masked(error),
        "has_mail": site.mail is not None,
        "webhook": site.webhook.label if site.webhook else "",
        "own_webhook": webhook_target(old.webhook_url, "").label if old and old.webhook_url else "",
    }
    return page(request, "alarms/rule.html", values, status)


def _shown(rule: StoredRule | None) -> str:
    """Return the rule that a form was filled with, to notice that somebody else changed it."""
    return json.dumps(alarm_store.plain_row(rule), sort_keys=True) if rule else ""


async def save(request: Request) -> Response:
    """Add a rule, or replace the one of the address."""
    old = await _rule(request) if "number" in request.path_params else None
    sent = await request.form()
    form = {name: ",".join(map(str, sent.getlist(name))).strip() for name in sent}
    if form.pop("shown", "") != _shown(old):
        raise HTTPException(409)
    is_tried = bool(form.pop("preview", ""))
    url, is_removed = form.pop("webhook_url", ""), bool(form.pop("no_url", ""))
    if (url or is_removed) and not request.state.visitor.may(Permission.ADMINISTER):
        # The server would send requests to any address that somebody names.
        raise HTTPException(403)
    kept = "" if is_removed or old is None else old.webhook_url
    if unknown := form.keys() - AlarmRule.model_fields.keys():
        raise ArgumentError(f"{min(unknown)!r} is no field of this form")
    try:
        rule = checked(AlarmRule, form)
        url = webhook_target(url, "").url if url else kept
        if is_tried:
            counts = {"previewed": await preview(site_of(request).store, rule)}
            return await _form(request, old, form | counts, "", 200)
    except ArgumentError as error:
        return await _form(request, old, form, str(error), 400)
    run, author = site_of(request).database.run, author_of(request)
    if old:
        await run(alarm_store.change_rule, author, old, rule, url)
    else:
        # What is in the store is not new.
        position = await take_stock(site_of(request)) if rule.kind is RuleKind.WORDS else 0
        await run(alarm_store.add_rule, author, rule, url, position)
    return RedirectResponse(_LIST, status_code=303)


async def delete(request: Request) -> Response:
    """Delete a rule."""
    old = await _rule(request)
    await site_of(request).database.run(alarm_store.delete_rule, author_of(request), old)
    return RedirectResponse(_LIST, status_code=303)


async def _rule(request: Request) -> StoredRule:
    number = request.path_params["number"]
    return existing(await site_of(request).database.run(alarm_store.rule_numbered, number))


async def make_feed(request: Request) -> Response:
    """Show the secret address of a new feed of one's own, once."""
    site = site_of(request)
    secret = await site.database.run(alarm_store.new_feed, author_of(request), site.key)
    return await _list(request, f"{origin_of(request)}/alarms/feed/{secret}.xml")


async def feed(request: Request) -> Response:
    """Return the alarms as a feed to clients that know its address."""
    site = site_of(request)
    secret = request.path_params["secret"]
    if not await site.database.run(alarm_store.is_feed, secret, site.key):
        raise HTTPException(404)
    alarms = await site.database.run(alarm_store.newest_alarms, _IN_FEED)
    return alarm_feed(alarms, origin_of(request), language_of(request))


ROUTES = (
    PageRoute(_LIST, alarms_page, Permission.READ),
    PageRoute("/alarms/feed", make_feed, Permission.KEEP, ("POST",)),
    # Feed readers cannot log in: the address is the secret.
    PageRoute("/alarms/feed/{secret}.xml", feed, Permission.PUBLIC),
    PageRoute("/alarms/rules", save, Permission.OPERATE, ("POST",)),
    PageRoute("/alarms/rules/new", form_page, Permission.OPERATE),
    PageRoute("/alarms/rules/{number:number}", form_page, Permission.OPERATE),
    PageRoute("/alarms/rules/{number:number}", save, Permission.OPERATE, ("POST",)),
    PageRoute("/alarms/rules/{number:number}/delete", delete, Permission.OPERATE, ("POST",)),
)
