"""Pages of the records that templates found: their history, and exports by choice."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from focuscrawl.exports.flat_records import Columns, Row, record_row
from focuscrawl.exports.record_streams import record_columns
from focuscrawl.exports.row_files import json_value
from focuscrawl.items import FoundValue, TemplateRecord, check_code
from focuscrawl.stored_records import KeptRecord, RecordGroup, RecordRevision
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.templates.template_model import field_titles
from focuscrawl.text.places.locations import located
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles.read_texts import marked_read
from focuscrawl.web.error_pages import existing
from focuscrawl.web.file_downloads import csv_response, workbook_response
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.web_site import site_of

REGION_FIELDS = frozenset({"region", "address", "place", "province", "city"})
"""Names of the fields that say where something is."""
State = Literal["present", "new", "changed", "gone", "all"]


class RecordChoice(BaseModel):
    """What a visitor asks for; the address of an export is its query."""

    crawl: str = Field("", max_length=255)
    region: str = Field("", max_length=100)
    field: str = Field("", max_length=255)
    confidence: float = Field(0.0, ge=0.0, le=1.0)
    text: str = Field("", max_length=200)
    state: State = "present"
    conflicts: bool = False

    def takes(self, kept: KeptRecord) -> bool:
        """Return whether a record is wanted."""
        record = kept.record
        return (
            self._takes_state(kept)
            and (not self.region or is_in_region(record, self.region))
            and (not self.conflicts or bool(conflicts_of(record, self.field)))
            and self._takes_values(record)
        )

    def _takes_state(self, kept: KeptRecord) -> bool:
        if self.state == "all":
            return True
        if kept.gone_at is not None or self.state == "gone":
            return kept.gone_at is not None and self.state == "gone"
        return self.state in ("present", kept.record.change)

    def _takes_values(self, record: TemplateRecord) -> bool:
        if not (self.field or self.confidence or self.text):
            return True
        wanted = self.text.casefold()
        if wanted and not self.field and not self.confidence:
            origin = f"{record.title}\n{record.url}".casefold()
            if wanted in origin:
                return True
        return any(
            self.field in ("", value.field)
            and value.confidence >= self.confidence
            and wanted in f"{value.value}\n{value.raw}".casefold()
            for value in record.values
        )


def is_in_region(record: TemplateRecord, region: str) -> bool:
    """Return whether a record is in a region: by the words of its address, or by the gazetteer.

    An address in 成都 is one in 四川, too.
    """
    place = located(region)
    for value in record.values:
        if value.field in REGION_FIELDS and (
            region in value.value or (place.province and located(value.value).is_within(place))
        ):
            return True
    return False


def conflicts_of(record: TemplateRecord, field: str = "") -> dict[str, set[str]]:
    """Return the fields (or the one field) of a record with several values, on all pages of its site."""
    found: dict[str, set[str]] = {}
    for value in record.values:
        if field in ("", value.field):
            others = {other.value for other in value.elsewhere}
            found.setdefault(value.field, set()).update({value.value}, others)
    return {name: values for name, values in found.items() if len(values) > 1}


def titles_of(records: list[TemplateRecord], known: dict[str, str]) -> dict[str, str]:
    """Return the titles of the fields by name: those of the template in its order, then others."""
    titles = dict(known)
    for record in records:
        for value in record.values:
            titles.setdefault(value.field, value.title or value.field)
    return titles


# History of a template record: the windows that saw its values, and what changed between them.


class FieldChange(NamedTuple):
    """Values of a field that one window no longer saw, and those that it saw first."""

    field: str
    removed: list[str]
    added: list[str]


class RecordVersion(NamedTuple):
    """Values of a record, and the windows that saw them.

    ``first`` and ``since`` are None where they are not known: of the oldest version. ``gone_at`` is
    set if the record went after it.
    """

    first: int | None
    last: int
    since: datetime | None
    gone_at: datetime | None
    values: list[FoundValue]
    changes: list[FieldChange]


def history_of(kept: KeptRecord, revisions: Sequence[RecordRevision]) -> list[RecordVersion]:
    """Return the versions of a record, newest first, given its earlier values by time."""
    record = kept.record
    found: list[RecordVersion] = []
    first, since = None, None
    for revision in revisions:
        found.append(
            _version(found, first, revision.window, since, revision.gone_at, revision.values)
        )
        first, since = revision.next_window, revision.replaced_at
    found.append(_version(found, first, record.window, since, kept.gone_at, record.values))
    return found[::-1]


def _version(
    before: Sequence[RecordVersion],
    first: int | None,
    last: int,
    since: datetime | None,
    gone_at: datetime | None,
    values: list[FoundValue],
) -> RecordVersion:
    changes = changes_between(before[-1].values, values) if before else []
    if last == 1:
        first = 1
    return RecordVersion(first, last, since, gone_at, values, changes)


def changes_between(before: Sequence[FoundValue], after: Sequence[FoundValue]) -> list[FieldChange]:
    """Return the fields whose values differ, in the order of the newer values."""
    old, new = _by_field(before), _by_field(after)
    found = []
    for field in {**new, **old}:
        removed = [one for one in old.get(field, ()) if one not in new.get(field, ())]
        added = [one for one in new.get(field, ()) if one not in old.get(field, ())]
        if removed or added:
            found.append(FieldChange(field, removed, added))
    return found


def _by_field(values: Sequence[FoundValue]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        found.setdefault(value.field, []).append(value.value)
    return found


_TOGETHER = 500
_KEY = re.compile("[0-9a-f]{32}").fullmatch


def templates_of(request: Request) -> Path:
    """Return the folder of the project's own templates."""
    project = site_of(request).project
    return project.folder / project.templates


def with_crawl(choice: RecordChoice, groups: list[RecordGroup]) -> RecordChoice:
    """Return a choice with the first crawl where it names none."""
    if choice.crawl or not groups:
        return choice
    return choice.model_copy(update={"crawl": groups[0].crawl})


async def each_record(store: SQLStore, crawl: str) -> AsyncIterator[KeptRecord]:
    """Stream all records of a crawl, by key."""
    last = None
    while part := await store.records_after(crawl, _TOGETHER, last):
        for kept in part:
            yield kept
        last = part[-1].key


async def record_page(request: Request) -> Response:
    """Show a record: its values as printed, its origin, its history."""
    key, store = request.path_params["key"], site_of(request).store
    kept = existing(await store.record_of(key) if _KEY(key) else None)
    record = kept.record
    revisions = await store.record_revisions(key)
    earlier = [replace(record, values=revision.values) for revision in revisions]
    known = field_titles(record.template, templates_of(request))
    values = {
        "kept": kept,
        "titles": titles_of([record, *earlier], known),
        "versions": history_of(kept, revisions),
        "conflicts": conflicts_of(record),
        "seed": await store.seed_of(check_code(f"{record.crawl} {record.seed}")),
        "window": await store.get_state(f"window {record.crawl}") or {},
    }
    return marked_read(request, page(request, "records/record.html", values), key)


# Exports: CSV, JSON and workbook of what a page shows.

_NAME = "records"


async def export(request: Request) -> Response:
    """Return all records that a choice takes, as a file."""
    store, suffix = site_of(request).store, request.path_params["suffix"]
    if suffix not in ("csv", "json", "xlsx"):
        raise HTTPException(404)
    choice = query_of(request, RecordChoice)
    choice = with_crawl(choice, await store.record_groups())
    # Before the first byte: from then on, an error could only break off the answer.
    columns = await record_columns(_taken(store, choice), templates_of(request))
    rows = (record_row(record) async for record in _taken(store, choice))
    if suffix == "csv":
        return csv_response(rows, columns, f"{_NAME}.csv")
    if suffix == "json":
        return StreamingResponse(_json(columns, rows), media_type="application/json")
    listed = [row async for row in rows]
    return await workbook_response(request, listed, columns, f"{_NAME}.xlsx", _NAME)


async def _taken(store: SQLStore, choice: RecordChoice) -> AsyncIterator[TemplateRecord]:
    async for kept in each_record(store, choice.crawl):
        if choice.takes(kept):
            yield kept.record


async def _json(columns: Columns, rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    before = "[\n"
    async for row in rows:
        whole = {name: json_value(row.get(name)) for name in columns}
        yield before + json.dumps(whole, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


ROUTES = (
    PageRoute("/records.{suffix}", export, Permission.EXPORT),
    PageRoute("/records/{key}", record_page, Permission.READ),
)
