"""Half-width forms of a text, character by character, so that places in it stay the same."""

from __future__ import annotations

import re
import unicodedata

_DASHES = "‐‑‒–—―－─﹣−~～"
# 0571一8800: typed with an input method for Chinese, one is a dash.
_ONE_AS_DASH = re.compile(r"(?<=\d)[一ー](?=\d)")
# What NFKC leaves, and pages put where a plain sign belongs.
_SIGNS = dict.fromkeys(_DASHES, "-") | {"﹕": ":", "∶": ":", "︰": ":", "；": ";", "，": ","}


class _HalfWidth(dict[int, str]):
    """The half-width form of each character that has been met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = _SIGNS.get(character) or unicodedata.normalize("NFKC", character)
        self[code] = plain if len(plain) == 1 else character
        return self[code]


_half_width = _HalfWidth()


def fold(text: str) -> str:
    """Return ``text`` in half-width forms with plain dashes and colons, of the same length."""
    return text if text.isascii() else _ONE_AS_DASH.sub("-", text.translate(_half_width))
