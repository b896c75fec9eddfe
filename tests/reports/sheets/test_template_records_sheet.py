"""The sheets of what templates found."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import openpyxl
import pytest

from focuscrawl.items import FoundValue, RecordChange
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.templates.template_model import load_template
from tests.stores.record_examples import template_record


def value(field: str, text: str, confidence: float = 0.8) -> FoundValue:
    return FoundValue(field=field, title=field.upper(), value=text, raw=text, confidence=confidence)


def test_every_template_has_a_sheet_with_its_fields_in_order(tmp_path: Path) -> None:
    records = [
        template_record(
            1, template="mine", values=[value("name", "=甲"), value("mail", "a@b.example", 0.4)]
        ),
        template_record(
            2,
            template="mine",
            values=[value("name", "乙"), value("phone", "1"), value("phone", "2")],
        ),
        template_record(3, template="buyers", values=[]),
    ]
    write_workbook(tmp_path / "x.xlsx", [], [], [], [], records)
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == ["mine", "buyers"]
    titles, first, second = loaded["mine"].iter_rows(values_only=True)
    assert dict(zip(titles, first, strict=True)) == {
        "变动": None,
        "NAME": "=甲",
        "PHONE": None,
        "MAIL": "a@b.example",
        "可信度": 0.4,
        "网页网址": "http://firm1.example/contact.html",
        "网站": "firm1.example",
        "网页标题": "联系我们",
        "种子网址": "http://firm1.example/",
        "任务": "template-contacts",
        "抓取时间（北京）": datetime(2026, 3, 5, 16, 30, 15),
    }
    assert second[1:4] == ("乙", "1；2", None)
    assert loaded["mine"]["B2"].data_type == "s"


def headers(path: Path, sheet: str) -> list[str]:
    return [cell.value for cell in openpyxl.load_workbook(path)[sheet][1]]


def test_all_fields_of_the_template_stand_in_its_order_and_changes_are_marked(
    tmp_path: Path,
) -> None:
    changes: list[RecordChange] = ["new", "changed", ""]
    records = [template_record(n, change=change) for n, change in enumerate(changes)]
    records[0].values = [value("qq", "1"), value("older", "x"), value("name", "甲")]
    write_workbook(tmp_path / "x.xlsx", [], [], [], [], records)
    fields = load_template("contacts").fields
    titles = [field.title for field in fields.values()]
    assert len(titles) > 5
    assert headers(tmp_path / "x.xlsx", "contacts")[: len(titles) + 2] == ["变动", *titles, "OLDER"]
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx")["contacts"]
    assert [sheet.cell(row, 1).value for row in (2, 3, 4)] == ["新增", "有变", None]
    rules = [rule for range_ in sheet.conditional_formatting for rule in range_.rules]
    assert [rule.formula for rule in rules] == [['$A2="新增"'], ['$A2="有变"']]
    assert len({rule.dxf.fill.bgColor.rgb for rule in rules}) == 2
    links = {cell.hyperlink.target for cell in sheet[3] if cell.hyperlink}
    assert links == {"http://firm1.example/contact.html", "http://firm1.example/"}


@pytest.mark.parametrize("content", [None, "fields: [", "name: mine"])
def test_a_template_that_is_gone_or_broken_leaves_the_fields_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    if content:
        (tmp_path / "templates").mkdir()
        (tmp_path / "templates" / "mine.yaml").write_text(content)
    record = template_record(1, template="mine", values=[value("name", "甲")])
    write_workbook(tmp_path / "x.xlsx", [], [], [], [], [record])
    assert headers(tmp_path / "x.xlsx", "mine")[:3] == ["变动", "NAME", "可信度"]


def test_a_template_named_like_a_sheet_that_excel_reserves_has_a_sheet(tmp_path: Path) -> None:
    records = [
        template_record(n, template=name, values=[value("name", "甲")])
        for n, name in enumerate(("history", "History", "data"))
    ]
    write_workbook(tmp_path / "x.xlsx", [], [], [], [], records)
    titles = openpyxl.load_workbook(tmp_path / "x.xlsx").sheetnames
    assert titles == ["history1", "History2", "data"]
