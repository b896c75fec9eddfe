"""Requests of the prices' pages: the table, the query, cached bodies and exports."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from focuscrawl.errors import StoreError
from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.message_catalogue import message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import Endpoint
from focuscrawl.web.prices.price_query import PriceQuery
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.prices.quote_exports import csv_parts, write_workbook
from focuscrawl.web.prices.response_cache import Rendered, in_worker, packed
from focuscrawl.web.query_values import query_of
from focuscrawl.web.web_site import site_of

FIRST_SECONDS = 2.0
_RELOAD_SECONDS = 2
HTML = "text/html; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TableEndpoint = Callable[[Request, PriceTable], Awaitable[Response]]
Text = Callable[..., str]


def with_table(endpoint: TableEndpoint) -> Endpoint:
    """Return an endpoint that is called with the table of prices.

    Until there is one, a page says that it is being read, and loads itself again.
    """

    async def call(request: Request) -> Response:
        table = await site_of(request).prices.first(FIRST_SECONDS)
        if table is not None:
            return await endpoint(request, table)
        response = page(request, "prices/loading.html", {}, 503)
        response.headers["Refresh"] = response.headers["Retry-After"] = str(_RELOAD_SECONDS)
        return response

    return call


def price_query(request: Request) -> PriceQuery:
    """Return the choices in the address of a request."""
    return query_of(request, PriceQuery).checked()


def text_of(request: Request) -> Text:
    """Return the texts in the language of a request."""
    language = language_of(request)
    return lambda key, **values: message(key, language, **values)


async def cached(
    request: Request, table: PriceTable, make: Callable[[], Rendered], kind: str = ""
) -> Response:
    """Return the body that ``make`` draws in a thread, or the one drawn before for such a visitor."""
    site, visitor = site_of(request), request.state.visitor
    who = (visitor.name, visitor.permissions, request.state.has_users, language_of(request))
    where = (request.url.path, request.url.query, kind)
    is_old = site.prices.error is not None
    key = (table.version, is_old, who, where)
    rendered = await site.pages.get(key, lambda: in_worker(make))
    return rendered.response(request)


def rendered_page(request: Request, template: str, values: dict[str, Any]) -> Rendered:
    """Return a page as it is kept."""
    return packed(bytes(page(request, template, values).body), HTML)


def check_export(request: Request) -> None:
    """Raise the error of a visitor who may not take data away."""
    visitor = request.state.visitor
    if not visitor.may(Permission.EXPORT):
        raise HTTPException(403)


def origin_of(request: Request) -> str:
    """Return the address of this server."""
    return str(request.base_url).rstrip("/")


def attachment(name: str) -> dict[str, str]:
    """Return the header that names a file to be saved."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def csv_response(rows: Iterator[Row], columns: Columns, name: str) -> Response:
    """Return rows as a CSV file, made while it is sent."""
    parts = csv_parts(rows, columns)
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=attachment(name))


async def workbook_response(
    rows: Iterator[Row], columns: Columns, name: str, title: str
) -> Response:
    """Return rows as a workbook, written to a temporary file first."""
    folder = tempfile.TemporaryDirectory(prefix="focuscrawl-export-")
    path = Path(folder.name) / name
    try:
        await in_worker(partial(write_workbook, path, rows, columns, title))
    except OSError as error:
        folder.cleanup()
        raise StoreError(f"the workbook cannot be written: {error}") from error
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path, media_type=XLSX, filename=name, background=BackgroundTask(folder.cleanup)
    )
