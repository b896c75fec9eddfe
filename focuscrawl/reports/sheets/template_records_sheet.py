"""The sheets of template records, one per template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openpyxl import Workbook

from focuscrawl.items import TemplateRecord
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import Column, Table
from focuscrawl.reports.sheets.topical_pages_sheet import BEIJING
from focuscrawl.reports.sheets.worksheets import TIME_FORMAT, Sheet, add_sheet

SEPARATOR = "；"
"""Separator between the values of a field with several."""
_LAST_COLUMNS = (
    Column("把握", "0%"),
    # Not 网址, which is the home page in the template contacts.
    Column("网页网址", min_width=40),
    Column("网站"),
    Column("网页标题", min_width=30),
    Column("种子网址", min_width=30),
    Column("任务"),
    Column("抓取时间(北京)", TIME_FORMAT),
)


def write_records(
    workbook: Workbook, faults: SheetFaults, records: Iterable[TemplateRecord]
) -> None:
    """Add a sheet for every template, with its records in the order given.

    Columns: the template's fields in their order, then the lowest confidence of the values, and the
    origin of the record.
    """
    by_template: dict[str, list[TemplateRecord]] = {}
    for record in records:
        by_template.setdefault(record.template, []).append(record)
    for template, found in by_template.items():
        sheet = add_sheet(workbook, template)
        faults.guard(sheet).run(_write_template, sheet, found)


def _write_template(sheet: Sheet, records: Sequence[TemplateRecord]) -> None:
    fields = _fields(records)
    columns = [Column(title, min_width=20) for title in fields.values()]
    table = Table(sheet, [*columns, *_LAST_COLUMNS], frozen_columns=1)
    for record in records:
        table.append(record_row(record, list(fields)))
    table.close()


def record_row(record: TemplateRecord, fields: Sequence[str]) -> list[Value]:
    """Return the values of a record by field, and its origin."""
    texts = {name: [v.value for v in record.values if v.field == name] for name in fields}
    return [
        *(SEPARATOR.join(texts[name]) for name in fields),
        min((value.confidence for value in record.values), default=None),
        record.url,
        record.site,
        record.title,
        record.seed,
        record.crawl,
        record.fetched_at.astimezone(BEIJING),
    ]


def _fields(records: Sequence[TemplateRecord]) -> dict[str, str]:
    """Return the titles of all fields by name, each after the field it follows in some record."""
    order: list[str] = []
    titles: dict[str, str] = {}
    for record in records:
        place = 0
        for value in record.values:
            titles[value.field] = value.title or value.field
            if value.field not in order:
                order.insert(place, value.field)
            place = order.index(value.field) + 1
    return {name: titles[name] for name in order}
