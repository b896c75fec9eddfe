"""Columns of the tables of all records of a kind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from focuscrawl.exports.flat_records import RECORD_COLUMNS
from focuscrawl.exports.record_streams import columns_of
from focuscrawl.items import FoundValue, TemplateRecord
from focuscrawl.templates.template_model import load_template, new_template
from tests.stores.record_examples import template_record


class Records:
    """Source of records of templates only; each entry is the template and the fields of a record."""

    def __init__(self, *records: tuple[str, str]) -> None:
        self._records = records

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} is not needed")

    async def template_records(self) -> AsyncIterator[TemplateRecord]:
        for template, fields in self._records:
            values = [
                FoundValue(field=name, title=name, value="1", raw="1", confidence=1)
                for name in fields.split()
            ]
            yield template_record(template=template, values=values)


def field_columns(source: Records, folder: Path) -> list[str]:
    columns = list(asyncio.run(columns_of("records", source, folder)))
    assert columns[: len(RECORD_COLUMNS)] == list(RECORD_COLUMNS)
    return columns[len(RECORD_COLUMNS) :]


def test_the_columns_of_records_follow_the_template(tmp_path: Path) -> None:
    found = field_columns(Records(("contacts", "qq older name"), ("contacts", "phone")), tmp_path)
    assert found == [*load_template("contacts").fields, "older"]


def test_the_fields_of_several_templates_stand_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(new_template("mine"), "utf-8")
    mine = list(load_template("mine", tmp_path).fields)
    contacts = list(load_template("contacts").fields)
    found = field_columns(Records(("gone", "x"), ("mine", ""), ("contacts", "")), tmp_path)
    assert found == [*mine, *(name for name in contacts if name not in mine), "x"]


def test_the_fields_of_a_template_that_is_gone_follow_the_records(tmp_path: Path) -> None:
    assert field_columns(Records(("gone", "b a"), ("gone", "c a")), tmp_path) == ["b", "a", "c"]
