"""Scrapy's feeds: files that one crawl writes at a time, and flat rows in all formats."""

from __future__ import annotations

import fcntl
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.extensions.feedexport import FileFeedStorage

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import AlreadyRunningError, StoreError
from focuscrawl.exports.flat_records import RECORD_COLUMNS, field_column, flat_rows
from focuscrawl.exports.row_files import csv_cell, json_value
from focuscrawl.reports.item_columns import fields_row
from focuscrawl.stores.records.own_items import known_record, own_fields, plain_value
from focuscrawl.templates.template_model import Template


class FeedFile(FileFeedStorage):
    """Storage of a feed in a file; stops a crawl whose file another one writes, for their rows would mix."""

    run: RunningCrawl
    _refusal: AlreadyRunningError | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, uri: str, **options: Any) -> Self:
        """Build the storage of a feed."""
        storage = cls(uri, **options)
        storage.run = RunningCrawl.of(crawler)
        return storage

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file, locked until it is closed; it is not emptied before it is locked."""
        path = Path(self.path)
        if path.exists() and not path.is_file():
            # Pipes and devices may have several writers.
            return super().open(spider)
        # Scrapy tries again for each item and at the end, when the other crawl may have finished.
        if self._refusal:
            raise self._refusal
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        file = path.open("ab" if self.write_mode == "ab" else "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            self._refusal = AlreadyRunningError(
                f"another crawl is writing the feed {path}; wait until it has finished, or name another"
                " file (-o, -O or FEEDS)"
            )
            self.run.fail(self._refusal)
            raise self._refusal from None
        except OSError:
            pass  # some network folders have no locks
        if self.write_mode != "ab":
            file.truncate()
        return file


_NO_CHARACTERS = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FlatItems(BaseItemExporter):
    """Exporter of which each record gives the rows of ``scrapy export``, and each other item one of its own.

    Articles of a spider that reads prices give a row for each quote.
    """

    with_prices = True
    run: RunningCrawl | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> Self:
        """Build the exporter of a feed."""
        if hasattr(crawler.spider, "crawl_name"):  # one of ours
            options["encoding"] = options.get("encoding") or cls.record_encoding()
        exporter = cls(file, **options)  # type: ignore[call-arg]
        exporter.run = RunningCrawl.of(crawler)
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
        try:
            self._export(item)
        except (TypeError, ValueError, AttributeError, OSError, StoreError) as error:
            # Scrapy would only log it.
            if self.run:
                self.run.mark_incomplete(f"items are not in the file of -O or FEEDS: {error}")
            raise

    def _export(self, item: Any) -> None:
        record = known_record(item)
        if record is None:
            # A dict has no serializers of its own, but perhaps names that are no texts.
            super().export_item(own_fields(item) if isinstance(item, dict) else item)  # type: ignore[safe-super]
            return
        own = own_fields(item)
        for row in flat_rows(record, with_prices=self.with_prices):
            whole = row | fields_row(own, row)
            plain = {name: self.record_value(value) for name, value in whole.items()}
            super().export_item(plain)  # type: ignore[safe-super]

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return a value of an item as the format has it, after the field's own serializer."""
        return self.record_value(plain_value(super().serialize_field(field, name, value)))

    def record_value(self, value: Any) -> Any:
        """Return a value of a record as the format has it."""
        return _NO_CHARACTERS.sub("\ufffd", value) if isinstance(value, str) else json_value(value)


class FlatCsv(FlatItems, CsvItemExporter):
    """CSV with a byte order mark, without which Excel misreads Chinese."""

    @classmethod
    def record_encoding(cls) -> str:
        """Return the encoding with a byte order mark."""
        return "utf-8-sig"

    def _build_row(self, values: Iterable[Any]) -> Iterator[Any]:
        # The names of columns as well.
        yield from map(self.record_value, super()._build_row(values))

    def record_value(self, value: Any) -> str:
        """Return the text of a cell."""
        if isinstance(value, (list, dict)):
            return json.dumps(value, ensure_ascii=False)
        return _NO_CHARACTERS.sub("\ufffd", csv_cell(value))


class FlatJson(FlatItems, JsonItemExporter):
    """A JSON array of rows."""


class FlatJsonLines(FlatItems, JsonLinesItemExporter):
    """One JSON object a line."""


class FlatXml(FlatItems, XmlItemExporter):
    """XML with an element for each row, without characters that XML forbids."""

    def record_value(self, value: Any) -> Any:
        """Return a value that XML can contain."""
        if isinstance(value, list):
            return [self.record_value(one) for one in value]
        if isinstance(value, dict):
            return {name: self.record_value(one) for name, one in value.items()}
        plain = super().record_value(value)
        return _NOT_XML.sub("\ufffd", plain) if isinstance(plain, str) else plain
