"""Pages about schedules of crawls."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.account_store import active_users
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.crawls import schedule_store
from focuscrawl.web.crawls.crawl_arguments import SPIDERS, checked_arguments
from focuscrawl.web.crawls.crawl_processes import BusyError, note_ends, start_crawl
from focuscrawl.web.crawls.schedule_store import Schedule, SchedulePlan, checked_cron, next_times
from focuscrawl.web.crawls.start_pages import PROCESSES, arguments_in, form_values, status_of
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_site import WebSite, site_of

# Work that goes on while the server runs: crawls that are due are started, ends are noted.

_log = logging.getLogger(__name__)
_LONGEST_NOTE = 500


async def run_schedules(site: WebSite) -> None:
    """Start what is due, forever; a database that does not answer is asked again."""
    while True:
        await asyncio.sleep(site.tick_seconds)
        try:
            await run_due(site, datetime.now(UTC))
        except FocuscrawlError as error:
            _log.warning("schedules: %s", error)
        except Exception:
            # The next turn may succeed, and the server has to go on.
            _log.exception("schedules")


async def run_due(site: WebSite, now: datetime) -> None:
    """Note which crawls have ended, then start those whose time has come."""
    await note_ends(site)
    while one := await site.database.run(schedule_store.take_due, now):
        author = Author(one.made_by, f"schedule {one.number}")
        try:
            await start_crawl(site, author, one.spider, one.arguments)
            note = ""
        except FocuscrawlError as error:
            note = masked(str(error))[:_LONGEST_NOTE]
            _log.warning("schedule %s: %s", one.number, note)
        await site.database.run(schedule_store.note_start, one.number, note)


_NEXT_SHOWN = 3
_LIST = "/crawls/schedules"


async def schedules_page(request: Request) -> Response:
    """Show all schedules with their next times."""
    return await _list_page(request, None)


async def _list_page(request: Request, error: FocuscrawlError | None) -> Response:
    now = datetime.now(UTC)
    run = site_of(request).database.run
    found = await run(schedule_store.all_schedules)
    operators = await run(active_users, Permission.OPERATE)
    times = {one.number: next_times(one.cron, now, _NEXT_SHOWN) for one in found}
    values = {
        "schedules": found,
        "times": times,
        "operators": operators,
        "error": masked(str(error or "")),
        "running": error.number if isinstance(error, BusyError) else None,
    }
    return page(request, "crawls/schedules.html", values, status_of(error))


async def run_now(request: Request) -> Response:
    """Start the crawl of a schedule at once; its next time stays as it is."""
    site, old = site_of(request), await _schedule(request)
    await note_ends(site)
    try:
        number = await start_crawl(site, author_of(request), old.spider, old.arguments)
    except FocuscrawlError as error:
        return await _list_page(request, error)
    await site.database.run(schedule_store.note_start, old.number, "")
    return RedirectResponse(f"{PROCESSES}/{number}", status_code=303)


async def form_page(request: Request) -> Response:
    """Show the form of a schedule, or of a new one."""
    old = await _schedule(request) if "number" in request.path_params else None
    values = {"schedule": old, "cron": "", "is_paused": False, "shown": "", "error": ""}
    if old is None:
        spider = request.query_params.get("spider") or next(iter(SPIDERS))
        return await _form(request, spider, {}, values)
    values |= {"cron": old.cron, "is_paused": old.is_paused, "shown": _shown(old)}
    return await _form(request, old.spider, old.arguments, values)


async def _form(
    request: Request, spider: str, given: dict[str, str], values: dict[str, Any], status: int = 200
) -> Response:
    values = {**await form_values(request, spider, given), **values}
    return page(request, "crawls/schedule.html", values, status)


def _shown(schedule: Schedule) -> str:
    """Return the plan that a form was filled with, to notice that somebody else changed it."""
    return json.dumps(schedule.plan, sort_keys=True)


async def save(request: Request) -> Response:
    """Add a schedule, or replace the one of the address."""
    site = site_of(request)
    old = await _schedule(request) if "number" in request.path_params else None
    form = {name: str(value) for name, value in (await request.form()).items()}
    spider = old.spider if old else form.get("spider", "")
    cron, shown = form.pop("cron", ""), form.pop("shown", "")
    form.pop("spider", "")
    is_paused = bool(form.pop("is_paused", ""))
    if old and _shown(old) != shown:
        raise HTTPException(409)
    given = arguments_in(form)
    try:
        await asyncio.to_thread(checked_arguments, spider, given, site.project)
        plan = SchedulePlan(
            spider=spider, arguments=given, cron=checked_cron(cron), is_paused=is_paused
        )
    except ArgumentError as error:
        if spider not in SPIDERS:
            raise
        values = {"schedule": old, "cron": cron, "is_paused": is_paused, "shown": shown,
                  "error": masked(str(error))}  # fmt: skip
        return await _form(request, spider, given, values, 400)
    author = author_of(request)
    if old:
        await site.database.run(schedule_store.change_schedule, author, old, plan)
    else:
        await site.database.run(schedule_store.add_schedule, author, plan)
    return RedirectResponse(_LIST, status_code=303)


async def delete(request: Request) -> Response:
    """Delete a schedule."""
    old = await _schedule(request)
    run = site_of(request).database.run
    await run(schedule_store.delete_schedule, author_of(request), old)
    return RedirectResponse(_LIST, status_code=303)


async def _schedule(request: Request) -> Schedule:
    number = request.path_params["number"]
    return existing(await site_of(request).database.run(schedule_store.schedule_numbered, number))


ROUTES = (
    PageRoute(_LIST, schedules_page, Permission.OPERATE),
    PageRoute(_LIST, save, Permission.OPERATE, ("POST",)),
    PageRoute(f"{_LIST}/new", form_page, Permission.OPERATE),
    PageRoute(f"{_LIST}/{{number:number}}", form_page, Permission.OPERATE),
    PageRoute(f"{_LIST}/{{number:number}}", save, Permission.OPERATE, ("POST",)),
    PageRoute(f"{_LIST}/{{number:number}}/delete", delete, Permission.OPERATE, ("POST",)),
    PageRoute(f"{_LIST}/{{number:number}}/run", run_now, Permission.OPERATE, ("POST",)),
)
