"""The sheets of template records, one per template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.formatting.rule import Rule
from openpyxl.styles import PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter

from focuscrawl.items import OwnItem, RecordChange, TemplateRecord
from focuscrawl.reports.item_columns import ITEM_COLUMNS, item_row
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import BEIJING, LINK_FORMAT, TIME_FORMAT, Sheet, add_sheet

ITEMS_TITLE = "自有条目"
_FIXED = {
    "crawl": SheetColumn("任务"),
    "class_name": SheetColumn("类别"),
    "url": SheetColumn("网址", LINK_FORMAT, min_width=40),
    "fetched_at": SheetColumn("抓取时间（北京）", TIME_FORMAT),
}


def write_items(sheet: Sheet, columns: Sequence[str], items: Iterable[OwnItem]) -> None:
    """Fill the sheet with items, in the order given: their fields by name, then their origin."""
    fields = [name for name in columns if name not in ITEM_COLUMNS]
    table = Table(sheet, [*map(SheetColumn, fields), *_FIXED.values()], frozen_columns=1)
    for item in items:
        row = item_row(item) | {"fetched_at": item.fetched_at.astimezone(BEIJING)}
        table.append([row.get(name) for name in (*fields, *_FIXED)])
    table.close()


SEPARATOR = "；"
"""Separator between the values of a field with several."""
CHANGES: dict[RecordChange, str] = {"new": "新增", "changed": "有变", "": ""}
"""Words for what the last window did to a record."""
_CHANGE_COLOURS: dict[RecordChange, str] = {"new": "FFE2EFDA", "changed": "FFFFF2CC"}
_CHANGE_COLUMN = SheetColumn("变动", min_width=8)
_LAST_COLUMNS = (
    SheetColumn("可信度", "0%"),
    # Not 网址, which is the home page in the template contacts.
    SheetColumn("网页网址", LINK_FORMAT, min_width=40),
    SheetColumn("网站"),
    SheetColumn("网页标题", min_width=30),
    SheetColumn("种子网址", LINK_FORMAT, min_width=30),
    SheetColumn("任务"),
    SheetColumn("抓取时间（北京）", TIME_FORMAT),
)


def write_records(
    workbook: Workbook, faults: SheetFaults, records: Iterable[TemplateRecord]
) -> None:
    """Add a sheet for every template, with its records in the order given.

    Columns: what the last window did to the record, the template's fields in their order (all of
    them, if the template is still there), then the lowest confidence of the values, and the origin of
    the record.
    """
    by_template: dict[str, list[TemplateRecord]] = {}
    for record in records:
        by_template.setdefault(record.template, []).append(record)
    for template, found in by_template.items():
        sheet = add_sheet(workbook, template)
        faults.guard(sheet).run(_write_template, sheet, template, found)


def _write_template(sheet: Sheet, template: str, records: Sequence[TemplateRecord]) -> None:
    fields = _fields(template, records)
    columns = [SheetColumn(title, min_width=20, max_width=40) for title in fields.values()]
    all_columns = [_CHANGE_COLUMN, *columns, *_LAST_COLUMNS]
    printed = 1 + len(columns)
    table = Table(sheet, all_columns, frozen_columns=2, printed_columns=printed)
    for record in records:
        table.append(record_row(record, list(fields)))
    table.close()
    last = get_column_letter(printed)
    for change, colour in _CHANGE_COLOURS.items():
        style = DifferentialStyle(fill=PatternFill(bgColor=colour))
        rule = Rule(type="expression", formula=[f'$A2="{CHANGES[change]}"'], dxf=style)
        sheet.conditional_formatting.add(f"A2:{last}{table.rows + 1}", rule)


def record_row(record: TemplateRecord, fields: Sequence[str]) -> list[Value]:
    """Return the change of a record, its values by field, and its origin."""
    texts = {name: [v.value for v in record.values if v.field == name] for name in fields}
    return [
        CHANGES[record.change],
        *(SEPARATOR.join(texts[name]) for name in fields),
        min((value.confidence for value in record.values), default=None),
        record.url,
        record.site,
        record.title,
        record.seed,
        record.crawl,
        record.fetched_at.astimezone(BEIJING),
    ]


def _fields(template: str, records: Sequence[TemplateRecord]) -> dict[str, str]:
    """Return the titles of all fields by name: those of the template in its order, then others.

    Others are those of an older template, each after the field it follows in some record.
    """
    # 20 MB that a workbook of prices does without.
    from focuscrawl.templates.template_model import field_titles

    titles = field_titles(template)
    order = list(titles)
    for record in records:
        place = 0
        for value in record.values:
            titles.setdefault(value.field, value.title or value.field)
            if value.field not in order:
                order.insert(place, value.field)
            place = order.index(value.field) + 1
    return {name: titles[name] for name in order}
