"""Half-width forms of texts, of the same length so that offsets stay valid."""

from __future__ import annotations

import re

from focuscrawl.text.character_folding import DASHES, CharacterFolding
from focuscrawl.text.normal_form import composed

# 0571一8800: Chinese input methods produce the character for one instead of a dash.
_ONE_AS_DASH = re.compile(r"(?<=\d)[一ー](?=\d)")
_half_width = CharacterFolding(
    composed, signs=dict.fromkeys(DASHES + "─~", "-") | dict.fromkeys("﹕∶︰", ":")
)


def fold(text: str) -> str:
    """Return ``text`` in half-width forms with plain dashes and colons, of the same length."""
    return text if text.isascii() else _ONE_AS_DASH.sub("-", _half_width(text))
