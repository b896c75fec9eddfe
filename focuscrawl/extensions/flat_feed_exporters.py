"""Exporters of Scrapy's feeds (``-O FILE``) that write records as flat rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from scrapy.crawler import Crawler
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)

from focuscrawl.exports.flat_records import RECORD_COLUMNS, field_column, flat_rows
from focuscrawl.exports.row_files import csv_cell, json_value
from focuscrawl.items import Record
from focuscrawl.templates.template_model import Template


class FlatItems(BaseItemExporter):
    """Exporter of which each record gives the rows of ``scrapy export``; other items stay as they are.

    Articles of a spider that reads prices give a row for each quote.
    """

    usual_encoding: ClassVar[str] = "utf-8"
    with_prices = True

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> Self:
        """Build the exporter of a feed."""
        options["encoding"] = options.get("encoding") or cls.usual_encoding
        exporter = cls(file, **options)  # type: ignore[call-arg]
        exporter.with_prices = getattr(crawler.spider, "reads_prices", True)
        template = getattr(crawler.spider, "template", None)
        if isinstance(template, Template) and not exporter.fields_to_export:
            # Not every record has all fields; CSV has the columns of the first row.
            exporter.fields_to_export = [*RECORD_COLUMNS, *map(field_column, template.fields)]
        return exporter

    def export_item(self, item: Any) -> None:
        """Write the rows of an item."""
        if not isinstance(item, Record):
            super().export_item(item)  # type: ignore[safe-super]
            return
        for row in flat_rows(item, with_prices=self.with_prices):
            super().export_item(row)  # type: ignore[safe-super]

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return a value as JSON has it."""
        return json_value(super().serialize_field(field, name, value))


class FlatCsv(FlatItems, CsvItemExporter):
    """CSV with a byte order mark, without which Excel misreads Chinese."""

    usual_encoding = "utf-8-sig"

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return the text of a cell."""
        return csv_cell(CsvItemExporter.serialize_field(self, field, name, value))


class FlatJson(FlatItems, JsonItemExporter):
    """A JSON array of rows."""


class FlatJsonLines(FlatItems, JsonLinesItemExporter):
    """One JSON object a line."""


class FlatXml(FlatItems, XmlItemExporter):
    """XML with an element for each row."""
