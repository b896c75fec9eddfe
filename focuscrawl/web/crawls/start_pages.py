"""Pages that start and stop crawls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel
from pydantic import Field as PydanticField
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.crawls.crawl_arguments import FILES, SPIDERS, Field, fields_of
from focuscrawl.web.crawls.crawl_logs import LEVELS, LogPart, log_part
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import PageRoute, redirected
from focuscrawl.web.query_values import query_of
from focuscrawl.web.web_site import WebSite, site_of

PROCESSES = "/crawls/processes"
TAIL = 12
"""Lines of a log that stand on other pages."""
_SPIDER = "spider"
_PREFIX = "argument."
"""Beginning of the names of a form's fields that are arguments of a spider."""


async def start_page(request: Request) -> Response:
    """Show the form for the arguments of a spider, and the processes."""
    spider = request.query_params.get(_SPIDER) or next(iter(SPIDERS))
    return await _form(request, spider, {})


async def start(request: Request) -> Response:
    """Start a crawl; show the form again with the reason if it cannot be started."""
    site = site_of(request)
    form = {name: str(value) for name, value in (await request.form()).items()}
    spider = form.pop(_SPIDER, "")
    given = arguments_in(form)
    await crawl_processes.note_ends(site)
    try:
        number = await crawl_processes.start_crawl(site, author_of(request), spider, given)
    except (ArgumentError, FocuscrawlError) as error:
        if spider not in SPIDERS:
            raise
        return await _form(request, spider, given, error)
    return RedirectResponse(f"{PROCESSES}/{number}", status_code=303)


def status_of(error: FocuscrawlError | None) -> int:
    """Return the status of the page that shows why a crawl was not started."""
    if error is None:
        return 200
    if isinstance(error, crawl_processes.BusyError):
        return 409
    return 400 if isinstance(error, ArgumentError) else 502


def arguments_in(form: dict[str, str]) -> dict[str, str]:
    """Return the arguments of a spider in a form; raises ArgumentError for a field of another name."""
    if others := [name for name in form if not name.startswith(_PREFIX)]:
        raise ArgumentError(f"{others[0]!r} is no field of this form")
    return {name.removeprefix(_PREFIX): text for name, text in form.items() if text.strip()}


async def _form(
    request: Request, spider: str, given: dict[str, str], error: FocuscrawlError | None = None
) -> Response:
    site = site_of(request)
    await crawl_processes.note_ends(site)
    values = {
        **await form_values(request, spider, given),
        "processes": await site.database.run(crawl_processes.newest),
        "error": masked(str(error or "")),
        "running": error.number if isinstance(error, crawl_processes.BusyError) else None,
    }
    return page(request, "crawls/start.html", values, status_of(error))


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


class LogChoice(BaseModel):
    """Choice of a part of a log: lines of a level or higher, before a byte."""

    level: Literal["INFO", "WARNING", "ERROR", "CRITICAL"] = "INFO"
    before: Annotated[int, PydanticField(ge=1, lt=2**63)] | None = None


async def process_page(request: Request) -> Response:
    """Lead to the run of a process; show its state and log as long as it has none."""
    site, process = site_of(request), await _process(request)
    if run := await crawl_processes.run_of(site, process):
        return redirected(request, f"/crawls/runs/{run.key}")
    await crawl_processes.note_ends(site)
    process = await _process(request)
    part = await log_tail(site, process)
    again = again_of(process.spider, process.arguments, site)
    values = {"process": process, "log": part, "again": again}
    return page(request, "crawls/process.html", values)


async def change_process(request: Request) -> Response:
    """Stop a crawl that was started here, and show it again."""
    form = await request.form()
    process = await _process(request)
    await crawl_processes.stop_crawl(
        site_of(request), author_of(request), process, str(form.get("action"))
    )
    return RedirectResponse(f"{PROCESSES}/{process.number}", status_code=303)


async def process_log(request: Request) -> Response:
    """Show the log of a crawl that was started here, by level, its end first."""
    site, process, chosen = site_of(request), await _process(request), query_of(request, LogChoice)
    path = existing(crawl_processes.log_of(site, process))
    part = await asyncio.to_thread(log_part, path, chosen.level, chosen.before)
    run = await crawl_processes.run_of(site, process)
    values = {"process": process, "log": part, "chosen": chosen, "levels": LEVELS, "run": run}
    return page(request, "crawls/log.html", values)


async def log_tail(site: WebSite, process: crawl_processes.CrawlProcess) -> LogPart:
    """Return the last lines of the log of a process."""
    path = crawl_processes.log_of(site, process)
    return await asyncio.to_thread(log_part, path, most=TAIL) if path else LogPart([], 0)


def again_of(spider: str, arguments: Mapping[str, Any], site: WebSite) -> dict[str, str] | None:
    """Return the fields of a form that starts a crawl once more; None if it cannot be started here."""
    if spider not in SPIDERS:
        return None
    given = {}
    for name, value in arguments.items():
        parts = value if isinstance(value, list) else str(value).split(",")
        # Operators choose files by their names.
        known = site.project.names(name) if name in FILES else {}
        names = {path: one for one, path in known.items()}
        given[_PREFIX + name] = ",".join(names.get(str(one), str(one)) for one in parts)
    return {_SPIDER: spider} | given


async def _process(request: Request) -> crawl_processes.CrawlProcess:
    number = request.path_params["number"]
    return existing(await site_of(request).database.run(crawl_processes.numbered, number))


ROUTES = (
    PageRoute("/crawls/start", start_page, Permission.OPERATE),
    PageRoute("/crawls/start", start, Permission.OPERATE, ("POST",)),
    PageRoute(f"{PROCESSES}/{{number:number}}", process_page, Permission.OPERATE),
    PageRoute(f"{PROCESSES}/{{number:number}}", change_process, Permission.OPERATE, ("POST",)),
    PageRoute(f"{PROCESSES}/{{number:number}}/log", process_log, Permission.OPERATE),
)
