"""Exports of template records: CSV, JSON and workbook of what a page shows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from focuscrawl.exports.flat_records import Columns, Row, record_row
from focuscrawl.exports.record_streams import record_columns
from focuscrawl.exports.row_files import json_value
from focuscrawl.items import TemplateRecord
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.file_downloads import csv_response, workbook_response
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.records.record_choice import RecordChoice
from focuscrawl.web.records.record_pages import each_record, templates_of, with_crawl
from focuscrawl.web.web_site import site_of

_NAME = "records"


async def export(request: Request) -> Response:
    """Return all records that a choice takes, as a file."""
    store, suffix = site_of(request).store, request.path_params["suffix"]
    if suffix not in ("csv", "json", "xlsx"):
        raise HTTPException(404)
    choice = query_of(request, RecordChoice).model_copy(update={"after": ""})
    choice = with_crawl(choice, await store.record_groups())
    # Before the first byte: from then on, an error could only break off the answer.
    columns = await record_columns(_chosen(store, choice), templates_of(request))
    rows = (record_row(record) async for record in _chosen(store, choice))
    if suffix == "csv":
        return csv_response(rows, columns, f"{_NAME}.csv")
    if suffix == "json":
        return StreamingResponse(_json(columns, rows), media_type="application/json")
    listed = [row async for row in rows]
    return await workbook_response(request, listed, columns, f"{_NAME}.xlsx", _NAME)


async def _chosen(store: SQLStore, choice: RecordChoice) -> AsyncIterator[TemplateRecord]:
    async for kept in each_record(store, choice):
        if choice.takes(kept):
            yield kept.record


async def _json(columns: Columns, rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    before = "[\n"
    async for row in rows:
        whole = {name: json_value(row.get(name)) for name in columns}
        yield before + json.dumps(whole, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


ROUTES = (PageRoute("/records.{suffix}", export, Permission.EXPORT),)
