from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter

from focuscrawl.extensions.flat_feed_exporters import (
    FlatCsv,
    FlatItems,
    FlatJson,
    FlatJsonLines,
    FlatXml,
)
from tests.stores.record_examples import article, gone, quote

ODD = article(1, title="=1\ud800\x0b", quotes=[quote(span="a\ud800\x0b")])


def exported(exporter: type[Any], *items: Any) -> bytes:
    out = io.BytesIO()
    feed = exporter(out)
    feed.start_exporting()
    for item in items:
        feed.export_item(item)
    feed.finish_exporting()
    return out.getvalue()


@pytest.mark.parametrize("exporter", [FlatCsv, FlatJson, FlatJsonLines, FlatXml])
def test_records_with_text_that_no_file_can_hold(exporter: type[FlatItems]) -> None:
    text = exported(exporter, ODD, gone(2)).decode("utf-8")
    assert "\ufffd" in text or "\\ufffd" in text
    if exporter is FlatCsv:
        (row,) = csv.DictReader(io.StringIO(text))
        assert row["article_title"] == "'=1\ufffd\x0b"
    if exporter is FlatXml:
        assert len(ElementTree.fromstring(text)) == 1
    if exporter is FlatJsonLines:
        assert json.loads(text)["price_low"] == 0.815


@pytest.mark.parametrize(
    ("ours", "scrapys"), [(FlatCsv, CsvItemExporter), (FlatJsonLines, JsonLinesItemExporter)]
)
def test_items_of_others_stay_as_they_are(ours: type[Any], scrapys: type[Any]) -> None:
    items = [{"name": "=1", "note": "-5", "price": Decimal("1E+3"), "many": ["a", "b"]}]
    assert exported(ours, *items) == exported(scrapys, *items)
