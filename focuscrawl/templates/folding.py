"""Half-width forms of a text, character by character, so that places in it stay the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DASHES = "‐‑‒–—―－─﹣−~～"
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f\u4e00-\u9fff]")
# 0571一8800: typed with an input method for Chinese, one is a dash.
_ONE_AS_DASH = re.compile(r"(?<=\d)[一ー](?=\d)")
# What NFKC leaves, and pages put where a plain sign belongs.
_SIGNS = dict.fromkeys(_DASHES, "-") | {"﹕": ":", "∶": ":", "︰": ":", "；": ";", "，": ","}


def fold(text: str) -> str:
    """Return ``text`` in half-width forms with plain dashes and colons, of the same length."""
    if text.isascii():
        return text
    return _ONE_AS_DASH.sub("-", _BEYOND_ASCII.sub(_folded, text))


def _folded(match: re.Match[str]) -> str:
    return _half_width(match[0])


@lru_cache(maxsize=8192)
def _half_width(character: str) -> str:
    if sign := _SIGNS.get(character):
        return sign
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character
