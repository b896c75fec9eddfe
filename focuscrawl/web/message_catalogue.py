"""Texts of the pages in Chinese and English."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
FOLDER = Path(__file__).with_name("messages")


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return the texts by key, which begins with the name of its file, and language."""
    return {
        f"{path.stem}.{key}": texts
        for path in sorted(FOLDER.glob("*.yaml"))
        for key, texts in yaml.safe_load(path.read_text("utf-8")).items()
    }


def message(key: str, language: Language, **values: Any) -> str:
    """Return a text with its values filled in; raises KeyError for an unknown key."""
    return catalogue()[key][language].format(**values)


def best_language(accepted: str) -> Language:
    """Return the language of an ``Accept-Language`` header (RFC 9110, 12.5.4); Chinese by default."""
    ranked = sorted(map(_weighted, accepted.split(",")), key=lambda entry: -entry[1])
    for name, weight in ranked:
        for language in LANGUAGES:
            if weight > 0 and name.startswith(language):
                return language
    return "zh"


def _weighted(entry: str) -> tuple[str, float]:
    name, _, weight = entry.partition(";")
    try:
        return name.strip().lower(), float(weight.strip().removeprefix("q=") or 1)
    except ValueError:
        return "", 0
