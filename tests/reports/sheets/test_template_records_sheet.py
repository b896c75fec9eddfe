"""The sheets of what templates found."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import openpyxl

from focuscrawl.items import FoundValue
from focuscrawl.reports.workbook import write_workbook
from tests.stores.record_examples import template_record


def value(field: str, text: str, confidence: float = 0.8) -> FoundValue:
    return FoundValue(field=field, title=field.upper(), value=text, raw=text, confidence=confidence)


def test_every_template_has_a_sheet_with_its_fields_in_order(tmp_path: Path) -> None:
    records = [
        template_record(1, values=[value("name", "=甲"), value("mail", "a@b.example", 0.4)]),
        template_record(2, values=[value("name", "乙"), value("phone", "1"), value("phone", "2")]),
        template_record(3, template="buyers", values=[]),
    ]
    write_workbook(tmp_path / "x.xlsx", [], [], [], [], records)
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == ["contacts", "buyers"]
    titles, first, second = loaded["contacts"].iter_rows(values_only=True)
    assert dict(zip(titles, first, strict=True)) == {
        "NAME": "=甲",
        "PHONE": None,
        "MAIL": "a@b.example",
        "把握": 0.4,
        "网页网址": "http://firm1.example/contact.html",
        "网站": "firm1.example",
        "网页标题": "联系我们",
        "种子网址": "http://firm1.example/",
        "任务": "template-contacts",
        "抓取时间(北京)": datetime(2026, 3, 5, 16, 30, 15),
    }
    assert second[:3] == ("乙", "1；2", None)
    assert loaded["contacts"]["A2"].data_type == "s"
