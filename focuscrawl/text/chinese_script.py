"""Simplified and traditional Chinese characters, converted by OpenCC."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC


def simplified(text: str) -> str:
    """Return ``text`` in simplified characters, converted by words: 乾 stays in 乾隆.

    A lone surrogate becomes a question mark.
    """
    return _converted(text, "t2s")


def traditional(text: str) -> str:
    """Return ``text`` in traditional characters; a lone surrogate becomes a question mark."""
    return _converted(text, "s2t")


def _converted(text: str, direction: str) -> str:
    if text.isascii():
        return text
    try:
        converted: str = _converter(direction).convert(text)
    except UnicodeEncodeError:
        converted = _converter(direction).convert(text.encode("utf-8", "replace").decode("utf-8"))
    return converted


@cache
def _converter(direction: str) -> OpenCC:
    # Imported late because most crawls convert nothing.
    from opencc import OpenCC

    return OpenCC(direction)
