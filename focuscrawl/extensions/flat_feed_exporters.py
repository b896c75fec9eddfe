"""Exporters of Scrapy's feeds (``-O FILE``) that write records as flat rows."""

from __future__ import annotations

import re
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)

from focuscrawl.exports.flat_records import RECORD_COLUMNS, Cell, field_column, flat_rows
from focuscrawl.exports.row_files import csv_cell, json_value
from focuscrawl.items import Record
from focuscrawl.templates.template_model import Template

_NO_CHARACTERS = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FlatItems(BaseItemExporter):
    """Exporter of which each record gives the rows of ``scrapy export``; other items stay as they are.

    Articles of a spider that reads prices give a row for each quote.
    """

    with_prices = True

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> Self:
        """Build the exporter of a feed."""
        if hasattr(crawler.spider, "crawl_name"):  # one of ours
            options["encoding"] = options.get("encoding") or cls.record_encoding()
        exporter = cls(file, **options)  # type: ignore[call-arg]
        exporter.with_prices = getattr(crawler.spider, "reads_prices", True)
        template = getattr(crawler.spider, "template", None)
        if isinstance(template, Template) and not exporter.fields_to_export:
            # Not every record has all fields; CSV has the columns of the first row.
            exporter.fields_to_export = [*RECORD_COLUMNS, *map(field_column, template.fields)]
        return exporter

    @classmethod
    def record_encoding(cls) -> str:
        """Return the encoding of feeds of records for which none is set."""
        return "utf-8"

    def export_item(self, item: Any) -> None:
        """Write the rows of an item."""
        if not isinstance(item, Record):
            super().export_item(item)  # type: ignore[safe-super]
            return
        for row in flat_rows(item, with_prices=self.with_prices):
            plain = {name: self.record_value(value) for name, value in row.items()}
            super().export_item(plain)  # type: ignore[safe-super]

    def record_value(self, value: Cell) -> Any:
        """Return a value of a record as the format has it."""
        return _NO_CHARACTERS.sub("\ufffd", value) if isinstance(value, str) else json_value(value)


class FlatCsv(FlatItems, CsvItemExporter):
    """CSV with a byte order mark, without which Excel misreads Chinese."""

    @classmethod
    def record_encoding(cls) -> str:
        """Return the encoding with a byte order mark."""
        return "utf-8-sig"

    def record_value(self, value: Cell) -> str:
        """Return the text of a cell."""
        return _NO_CHARACTERS.sub("\ufffd", csv_cell(value))


class FlatJson(FlatItems, JsonItemExporter):
    """A JSON array of rows."""


class FlatJsonLines(FlatItems, JsonLinesItemExporter):
    """One JSON object a line."""


class FlatXml(FlatItems, XmlItemExporter):
    """XML with an element for each row, without characters that XML forbids."""

    def record_value(self, value: Cell) -> Any:
        """Return a value that XML can contain."""
        plain = super().record_value(value)
        return _NOT_XML.sub("\ufffd", plain) if isinstance(plain, str) else plain
