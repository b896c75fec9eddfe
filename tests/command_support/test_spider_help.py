"""Arguments of spiders as commands and the documentation show them."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from scrapy import Spider

from focuscrawl.command_support.spider_help import (
    arguments_of,
    first_sentence,
    model_arguments,
    print_help,
)
from focuscrawl.spider_arguments import Address, Day


class _Model(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)

    plain: str = ""
    """Some
    words."""
    needed: str
    choice: Literal["a", "b"] = "a"
    maybe: Annotated[int, Field(ge=2)] | None = None
    both: Annotated[int, Field(ge=0, le=9)] = 3
    either: int | Literal["all"] = 0
    flag: bool | None = None
    off: bool = False
    day: Day | None = None
    start: Address | None = None
    seeds: list[str] | None = None


@pytest.mark.parametrize(
    ("name", "values", "default"),
    [
        ("plain", "text", ""),
        ("needed", "text", "required"),
        ("choice", "`a`, `b`", "`a`"),
        ("maybe", "number, 2 or more", ""),
        ("both", "number from 0 to 9", "`3`"),
        ("either", "number or `all`", "`0`"),
        ("flag", "true or false", ""),
        ("off", "true or false", "`false`"),
        ("day", "date", ""),
        ("start", "URL", ""),
        ("seeds", "list", ""),
    ],
)
def test_values_and_defaults_come_from_the_model(name: str, values: str, default: str) -> None:
    found = {one.name: one for one in model_arguments(_Model, "`")}[name]
    assert (found.values, found.default) == (values, default)


class _Explained(Spider):
    """Does ``this``
    and that.

    Not shown.
    """

    name = "explained"
    argument_model = _Model


class _Own(Spider):
    name = "own"

    def __init__(self, category: str, day: date | None = None, pages: int = 3, **more: Any) -> None:
        super().__init__(**more)


class _Silent(Spider):
    name = "silent"


def test_a_spider_without_a_model_has_the_arguments_of_its_constructor() -> None:
    assert [(one.name, one.default) for one in arguments_of(_Own)] == [
        ("category", "required"), ("day", ""), ("pages", "3"),
    ]  # fmt: skip
    assert arguments_of(_Silent) == []


def test_a_sentence_is_the_first_of_the_docstring() -> None:
    assert first_sentence(_Explained) == "Does `this` and that."
    assert first_sentence(_Own) == ""


@pytest.mark.parametrize("columns", ["60", "200"])
def test_the_help_is_as_wide_as_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    print_help(_Explained)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "scrapy crawl explained [-a NAME=VALUE]..."
    assert max(map(len, lines)) <= int(columns)
    assert [line.split()[0] for line in lines[4:]] == list(_Model.model_fields)
    assert "Some words." in lines[4]
