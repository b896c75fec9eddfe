"""Requests of the prices' pages: the table, the query, cached bodies and exports."""

from __future__ import annotations

import gzip
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.exports.row_files import json_value
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.alarms.alarm_store import RuleKind, StoredRule, all_rules
from focuscrawl.web.file_downloads import csv_response, workbook_response
from focuscrawl.web.message_catalogue import message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import Endpoint, PageRoute
from focuscrawl.web.prices import price_texts
from focuscrawl.web.prices.name_suggestions import COMPARING, PAGES, meant, suggestions
from focuscrawl.web.prices.price_query import PLAIN, REPEATED, KnownQuery, PriceQuery, Selection
from focuscrawl.web.prices.price_snapshots import as_known, end_of, versions_of
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.prices.series_view import options, shown_rows, title_of
from focuscrawl.web.query_values import checked, query_of, with_query
from focuscrawl.web.web_site import origin_of, site_of
from focuscrawl.web.worker_threads import WorkerThreads

FIRST_SECONDS = 2.0
_RELOAD_SECONDS = 2
HTML = "text/html; charset=utf-8"
TableEndpoint = Callable[[Request, PriceTable], Awaitable[Response]]
Export = Callable[[Request, PriceTable], tuple[Iterator[Row], Columns]]
Text = Callable[..., str]
_T = TypeVar("_T")


# Rendered pages in memory, compressed, so that many users of one view cost as much as one.

_LEVEL = 5
# Two, for the work is Python's: more threads would only take turns.
_workers = WorkerThreads(2, "prices-pages")


async def in_worker(work: Callable[..., _T], *values: Any) -> _T:
    """Call a function in one of the few threads that draw pages."""
    return await _workers.run(work, *values)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A body, compressed with gzip if ``is_packed``, and its media type."""

    body: bytes
    media_type: str
    is_packed: bool = False

    def response(self, request: Request) -> Response:
        """Return the response to a request, unpacked for a client that takes no gzip."""
        if not self.is_packed:
            return Response(self.body, media_type=self.media_type)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.body), media_type=self.media_type)
        headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(self.body, media_type=self.media_type, headers=headers)


def packed(body: bytes, media_type: str) -> Rendered:
    """Return a body compressed."""
    return Rendered(gzip.compress(body, _LEVEL, mtime=0), media_type, is_packed=True)


def with_table(endpoint: TableEndpoint) -> Endpoint:
    """Return an endpoint that is called with the table of prices.

    Until there is one, a page says that it is being read, and loads itself again.
    """

    async def call(request: Request) -> Response:
        prices = site_of(request).prices
        table = await prices.first(FIRST_SECONDS)
        if table is not None and (address := _meant_by(request, table)):
            return RedirectResponse(address, status_code=303)
        if table is not None:
            return await endpoint(request, await _as_asked(request, table))
        values = {"percent": int(100 * prices.share)}
        response = page(request, "prices/loading.html", values, 503)
        response.headers["Refresh"] = response.headers["Retry-After"] = str(_RELOAD_SECONDS)
        return response

    return call


def _meant_by(request: Request, table: PriceTable) -> str:
    """Return the address that the search box of a page leads to at once, "" if there is a choice."""
    text, path = request.query_params.get("find"), request.url.path
    return meant(text, suggestions(request, table, path)) if text and path in PAGES else ""


async def suggested(request: Request, table: PriceTable) -> Response:
    """Show what the text in a search box may mean, while it is typed."""
    find, at = (request.query_params.get(name, "") for name in ("find", "at"))
    found = suggestions(request, table, at if at in PAGES else PAGES[0])
    return page(request, "prices/suggested.html", {"suggested": found, "query": {"find": find}})


async def _as_asked(request: Request, table: PriceTable) -> PriceTable:
    """Return the table, or the one of what was known on the requested day."""
    asked = query_of(request, KnownQuery)
    if asked.known_on is None:
        return table
    site, until = site_of(request), end_of(asked.known_on)
    has_several = len({*request.query_params.getlist("commodity")}) > 1
    commodity = None if has_several else asked.commodity
    if commodity is None and not has_several:
        # The table of quotes has those of all goods, an entity may have any, other pages have the first.
        is_first = not (asked.entity or request.url.path.startswith("/prices/quotes"))
        commodity = next(iter(table.commodities), None) if is_first else None
    key = (table.version, asked.known_on, commodity)
    # One after the other: each may be as large as the table itself, so only the last one is kept.
    async with site.prices.known_lock:
        found = site.prices.known.get(key)
        if found is None:
            site.prices.known = {}
            versions = await versions_of(site.store, table, until)
            found = await in_worker(as_known, table, commodity, asked.known_on, versions)
            site.prices.known = {key: found}
        return found


def price_query(request: Request) -> PriceQuery:
    """Return the choices in the address of a request.

    Raises ArgumentError for a wrong one, and for one that is repeated where nothing is compared.
    """
    given = request.query_params
    several = {
        plural: [*dict.fromkeys(filter(None, given.getlist(name)))]
        for name, plural in REPEATED.items()
    }
    if all(len(values) < 2 for values in several.values()):
        several = {}
    elif request.url.path.partition(".")[0] != COMPARING:
        name = next(name for name, plural in REPEATED.items() if len(several[plural]) > 1)
        raise ArgumentError(f"{name} is given more than once; only {COMPARING} compares several")
    return checked(PriceQuery, {**given, **PLAIN, **several}).checked()


def text_of(request: Request) -> Text:
    """Return the texts in the language of a request."""
    language = language_of(request)
    return lambda key, **values: message(key, language, **values)


async def price_rules(request: Request) -> list[StoredRule]:
    """Return the rules of alarms about prices."""
    rules = await site_of(request).database.run(all_rules)
    return [rule for rule in rules if rule.kind is RuleKind.PRICE]


async def cached(
    request: Request,
    table: PriceTable,
    make: Callable[[], Rendered | Awaitable[Rendered]],
    kind: str = "",
    worker: Callable[..., Awaitable[Rendered]] = in_worker,
) -> Response:
    """Return the body that ``make`` draws in a thread, or the one drawn before for such a visitor."""
    site, visitor = site_of(request), request.state.visitor
    who = (visitor.name, visitor.permissions, request.state.has_users, language_of(request))
    where = (request.url.path, request.url.query, kind)
    is_old = site.prices.error is not None
    key = (table.version, is_old, who, where)
    rendered = await site.pages.get(key, lambda: worker(make))
    return rendered.response(request)


def file_routes(path: str, exported: Export, title: str) -> tuple[PageRoute, PageRoute]:
    """Return the routes of a table as CSV and as a workbook, with the key of the sheet's title.

    The files have the rows and the columns that ``exported`` gives.
    """
    name = path.rpartition("/")[2]

    async def as_csv(request: Request, table: PriceTable) -> Response:
        return csv_response(*exported(request, table), f"{name}.csv")

    async def as_workbook(request: Request, table: PriceTable) -> Response:
        rows, columns = exported(request, table)
        sheet = text_of(request)(title)
        return await workbook_response(request, rows, columns, f"{name}.xlsx", sheet)

    return (
        PageRoute(f"{path}.csv", with_table(as_csv), Permission.EXPORT),
        PageRoute(f"{path}.xlsx", with_table(as_workbook), Permission.EXPORT),
    )


def rendered_page(request: Request, template: str, values: dict[str, Any]) -> Rendered:
    """Return a page as it is kept."""
    return packed(bytes(page(request, template, values).body), HTML)


def json_rendered(found: dict[str, Any]) -> Rendered:
    """Return a JSON object as it is kept; dates are ISO texts."""
    text = json.dumps(found, ensure_ascii=False, default=json_value)
    return packed(text.encode("utf-8", "replace"), "application/json")


def shared_values(request: Request, chosen: Selection) -> dict[str, Any]:
    """Return the values of templates that all pages of prices need."""
    table, query = chosen.table, chosen.query
    return {
        "chosen": chosen,
        "query": query,
        "title": title_of(chosen, text_of(request)),
        "options": options(table, chosen.commodity, query.province),
        "texts": price_texts,
        "suggested": suggestions(request, table, request.url.path) if query.find else [],
        "read_at": table.read_at,
        "is_old": site_of(request).prices.error is not None,
    }


def provenance(request: Request, chosen: Selection) -> dict[str, Any]:
    """Return where data come from: this address, the choices, the time of the snapshot, the sources."""
    table = chosen.table
    rows = shown_rows(chosen)
    articles = table.articles_of(rows)
    query = f"?{request.url.query}" if request.url.query else ""
    return {
        "address": str(request.url),
        "filters": chosen.query.model_dump(mode="json", exclude_defaults=True)
        | {"commodity": chosen.commodity},
        "snapshot": table.read_at.isoformat(),
        "sites": sorted({table.articles.site_name(int(one)) for one in articles}),
        "articles": len(articles),
        "quotes": len(rows),
        # Without days, another page has its own.
        "quotes_csv": with_query(f"{origin_of(request)}/prices.csv{query}", **chosen.span),
    }
