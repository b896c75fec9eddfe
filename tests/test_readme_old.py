"""The README names all that a user can type."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl import addon
from focuscrawl.spider_arguments import LabelsArguments, MaizeArguments, TunnelArguments

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [path.stem for path in (ROOT / "focuscrawl/commands").glob("[a-z]*.py")]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"scrapy {command}" in README


@pytest.mark.parametrize(
    "argument",
    sorted(
        {
            name
            for arguments in (MaizeArguments, LabelsArguments, TunnelArguments)
            for name in arguments.model_fields
        }
    ),
)
def test_every_argument_is_documented_in_both_languages(argument: str) -> None:
    assert f"`{argument}`" in README
    assert f"`{argument}`" in CHINESE


@pytest.mark.parametrize(
    "setting", [name for name in addon.DEFAULTS if name.startswith("FOCUSCRAWL")]
)
def test_every_setting_is_documented(setting: str) -> None:
    assert f"`{setting}`" in README


def test_nothing_is_left_to_fill_in() -> None:
    assert not {"SESSION", "SCORES", "TODO"} & set(README.split())
