"""Pages that start and stop crawls."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.crawls.crawl_arguments import SPIDERS, Field, fields_of
from focuscrawl.web.crawls.crawl_processes import (
    BusyError,
    CrawlProcess,
    log_tail,
    note_ends,
    start_crawl,
    stop_crawl,
)
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_site import site_of

_SPIDER = "spider"
_PREFIX = "argument."
"""Beginning of the names of a form's fields that are arguments of a spider."""


async def start_page(request: Request) -> Response:
    """Show the form for the arguments of a spider, and the processes."""
    spider = request.query_params.get(_SPIDER) or next(iter(SPIDERS))
    return await _form(request, spider, {}, "", 200)


async def start(request: Request) -> Response:
    """Start a crawl; show the form again with the reason if it cannot be started."""
    site = site_of(request)
    form = {name: str(value) for name, value in (await request.form()).items()}
    spider = form.pop(_SPIDER, "")
    given = arguments_in(form)
    await note_ends(site)
    try:
        await start_crawl(site, author_of(request), spider, given)
    except (ArgumentError, FocuscrawlError) as error:
        if spider not in SPIDERS:
            raise
        return await _form(request, spider, given, str(error), _status(error))
    return RedirectResponse("/crawls/start", status_code=303)


def _status(error: FocuscrawlError) -> int:
    if isinstance(error, BusyError):
        return 409
    return 400 if isinstance(error, ArgumentError) else 502


def arguments_in(form: dict[str, str]) -> dict[str, str]:
    """Return the arguments of a spider in a form; raises ArgumentError for a field of another name."""
    if others := [name for name in form if not name.startswith(_PREFIX)]:
        raise ArgumentError(f"{others[0]!r} is no field of this form")
    return {name.removeprefix(_PREFIX): text for name, text in form.items() if text.strip()}


async def _form(
    request: Request, spider: str, given: dict[str, str], error: str, status: int
) -> Response:
    site = site_of(request)
    await note_ends(site)
    values = {
        **await form_values(request, spider, given),
        "processes": await site.database.run(crawl_processes.newest),
        "error": masked(error),
    }
    return page(request, "crawls/start.html", values, status)


async def form_values(request: Request, spider: str, given: dict[str, str]) -> dict[str, Any]:
    """Return what the template of the fields needs."""
    fields = await asyncio.to_thread(fields_of, spider, site_of(request).project)
    descriptions = {field.name: _description(request, spider, field) for field in fields}
    return {"spider": spider, "spiders": list(SPIDERS), "fields": fields, "given": given,
            "descriptions": descriptions}  # fmt: skip


def _description(request: Request, spider: str, field: Field) -> str:
    """Return the description of an argument: translated, else that of the model."""
    if language_of(request) == "en":
        return field.description
    texts = chinese_descriptions()
    return texts.get(f"{spider}_{field.name}") or texts.get(field.name) or field.description


@cache
def chinese_descriptions() -> dict[str, str]:
    """Return the Chinese descriptions of arguments by name, or by spider and name."""
    path = Path(__file__).with_name("argument_descriptions.yaml")
    found: dict[str, str] = yaml.safe_load(path.read_text("utf-8"))
    return found


async def change_process(request: Request) -> Response:
    """Stop a crawl that was started here."""
    form = await request.form()
    process = await _process(request)
    await stop_crawl(site_of(request), author_of(request), process, str(form.get("action")))
    return RedirectResponse("/crawls/start", status_code=303)


async def process_log(request: Request) -> Response:
    """Show the end of the log of a crawl that was started here."""
    process = await _process(request)
    text = await asyncio.to_thread(log_tail, site_of(request), process)
    return PlainTextResponse(masked(text))


async def _process(request: Request) -> CrawlProcess:
    number = request.path_params["number"]
    return existing(await site_of(request).database.run(crawl_processes.numbered, number))


ROUTES = (
    PageRoute("/crawls/start", start_page, Permission.OPERATE),
    PageRoute("/crawls/start", start, Permission.OPERATE, ("POST",)),
    PageRoute("/crawls/processes/{number:number}", change_process, Permission.OPERATE, ("POST",)),
    PageRoute("/crawls/processes/{number:number}/log", process_log, Permission.OPERATE),
)
