"""Requests of the prices' pages: the table, the query, cached bodies and exports."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.row_files import json_value
from focuscrawl.web.addresses import with_query
from focuscrawl.web.message_catalogue import message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import Endpoint
from focuscrawl.web.prices import price_texts
from focuscrawl.web.prices.figures.known_prices import as_known, end_of, versions_of
from focuscrawl.web.prices.figures.price_query import KnownQuery, PriceQuery, Selection
from focuscrawl.web.prices.figures.price_table import PriceTable
from focuscrawl.web.prices.response_cache import Rendered, in_worker, packed
from focuscrawl.web.prices.series_view import options, shown_rows, title_of
from focuscrawl.web.query_values import query_of
from focuscrawl.web.web_site import origin_of, site_of

FIRST_SECONDS = 2.0
_RELOAD_SECONDS = 2
HTML = "text/html; charset=utf-8"
TableEndpoint = Callable[[Request, PriceTable], Awaitable[Response]]
Text = Callable[..., str]


def with_table(endpoint: TableEndpoint) -> Endpoint:
    """Return an endpoint that is called with the table of prices.

    Until there is one, a page says that it is being read, and loads itself again.
    """

    async def call(request: Request) -> Response:
        table = await site_of(request).prices.first(FIRST_SECONDS)
        if table is not None:
            return await endpoint(request, await _as_asked(request, table))
        response = page(request, "prices/loading.html", {}, 503)
        response.headers["Refresh"] = response.headers["Retry-After"] = str(_RELOAD_SECONDS)
        return response

    return call


async def _as_asked(request: Request, table: PriceTable) -> PriceTable:
    """Return the table, or the one of what was known on the requested day."""
    asked = query_of(request, KnownQuery)
    if asked.known_on is None:
        return table
    site, until = site_of(request), end_of(asked.known_on)
    commodity = asked.commodity
    if commodity is None:
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
    """Return the choices in the address of a request."""
    return query_of(request, PriceQuery).checked()


def text_of(request: Request) -> Text:
    """Return the texts in the language of a request."""
    language = language_of(request)
    return lambda key, **values: message(key, language, **values)


async def cached(
    request: Request,
    table: PriceTable,
    make: Callable[[], Rendered],
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
        "options": options(table, chosen.commodity, query.province, query.city),
        "texts": price_texts,
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
