"""Texts of the pages in Chinese and English."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
FOLDER = Path(__file__).with_name("messages")
GLOSSARY = Path(__file__).with_name("glossary.yaml")


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


_SAID = "said."
_COUNTED = re.compile(r"(\d+) ([^,\d][^,]*)")
_BLANK = re.compile(r"\\{(\w+)\\}")


def said(text: str, language: Language) -> str:
    """Return a sentence of a crawl, a check or a price in a language; one that is not known stays as it is.

    >>> said("crawl 7 has ended already", "zh")
    '采集 7 已经结束'
    """
    for pattern, key in _patterns(language):
        if found := pattern.fullmatch(text):
            parts = {name: _part(value, language) for name, value in found.groupdict().items()}
            return message(key, language, **parts)
    return text


def _part(text: str, language: Language) -> str:
    if (whole := said(text, language)) != text:
        return whole
    if language == "zh":
        # Counts of reasons: 3 timeout, 2 HTTP 404.
        return _COUNTED.sub(lambda one: f"{one[1]} {said(one[2], language)}", text)
    return ", ".join(said(part, language) for part in text.split("、"))


@cache
def _patterns(language: Language) -> list[tuple[re.Pattern[str], str]]:
    """Return what a text of the page's language may stand in the stores as, with its key."""
    known = [
        (re.escape(text), key)
        for key, texts in catalogue().items()
        for form, text in texts.items()
        if key.startswith(_SAID) and form != language
    ]
    # Those with more words of their own come first.
    known.sort(key=lambda entry: -len(_BLANK.sub("", entry[0])))
    return [(re.compile(_BLANK.sub(r"(?P<\1>.+?)", text), re.DOTALL), key) for text, key in known]


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Return the explanations by the key of the text that they explain, and language."""
    found: dict[str, dict[str, str]] = yaml.safe_load(GLOSSARY.read_text("utf-8"))
    return found


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
