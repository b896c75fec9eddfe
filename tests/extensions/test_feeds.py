from __future__ import annotations

import csv
import errno
import io
import json
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import INCOMPLETE_STAT
from focuscrawl.extensions.feeds import (
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


OTHERS = {"name": "x=1", "note": "5", "price": Decimal("1E+3"), "many": ["a", "b"]}


@pytest.mark.parametrize(
    ("ours", "scrapys"), [(FlatCsv, CsvItemExporter), (FlatJsonLines, JsonLinesItemExporter)]
)
def test_items_of_others_look_as_scrapy_writes_them(ours: type[Any], scrapys: type[Any]) -> None:
    assert exported(ours, OTHERS) == exported(scrapys, OTHERS)


def test_items_of_others_are_safe_in_every_format() -> None:
    odd = {"name": "=1", "many": [{"a": 1}], "raw": b"\xff", "not": float("nan"), "bad": "\ud800\0"}
    assert exported(FlatCsv, odd).splitlines()[1] == (
        b'\'=1,"[{""a"": 1}]","data:;base64,/w==",NaN,\xef\xbf\xbd\0'
    )
    assert json.loads(exported(FlatJsonLines, odd)) == odd | {
        "raw": "data:;base64,/w==", "not": "NaN", "bad": "\ufffd\0"
    }  # fmt: skip
    assert len(ElementTree.fromstring(exported(FlatXml, odd | {"in": ["\0"]}))[0]) == 6


def test_a_disk_that_is_full_for_a_while_makes_the_run_incomplete() -> None:
    class FullDisk(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    crawler = get_crawler()
    feed = FlatJsonLines.from_crawler(crawler, FullDisk())
    with pytest.raises(OSError, match="No space"):
        feed.export_item(ODD)
    (reason,) = crawler.stats.get_value(INCOMPLETE_STAT)
    assert reason.startswith("items are not in the file of -O or FEEDS: [Errno 28] No space left")
