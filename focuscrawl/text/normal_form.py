"""Normal form of text, equal for equivalent spellings, and its simplified Chinese characters.

It is meant for features and lexicons, not for display.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from focuscrawl.text.seen_text import as_seen

if TYPE_CHECKING:
    from opencc import OpenCC

BETWEEN = "\x01"
"""Separator of texts that are normalised in one call: no conversion crosses it."""

_JOINER = "\u034f"  # the combining grapheme joiner, which nothing is reordered across
_FIRST_MARK, _BEHIND_LAST_MARK = 0x300, 0x20000
_MOST_PASSES = 8  # no character and no pair of Chinese ones needs more than four


def normal_form(text: str) -> str:
    """Return ``text`` as it is seen, in NFKC (half-width forms), lower case and simplified characters.

    Idempotent: ``normal_form(normal_form(text)) == normal_form(text)`` for any text. A lone
    surrogate, which is not a character, becomes a question mark.
    """
    # One step can undo another (a simplified character may itself be a variant): repeat until stable.
    text = as_seen(text)
    for _ in range(_MOST_PASSES):
        lowered = composed(text).lower()
        text = simplified(lowered)
        if text == lowered and unicodedata.is_normalized("NFKC", text):
            break
    return text


def composed(text: str) -> str:
    """Return ``text`` in NFKC, with long runs of combining marks split (UAX #15, section 13)."""
    # One rare character slows down the normalisation of a whole text.
    return BETWEEN.join([_composed(part) for part in text.split(BETWEEN)])


def _composed(text: str) -> str:
    if unicodedata.is_normalized("NFKC", text):
        return text
    # Ordering a run of marks takes time quadratic in its length.
    text = _long_runs_of_marks().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=1)
def _long_runs_of_marks() -> re.Pattern[str]:
    marks = filter(unicodedata.combining, map(chr, range(_FIRST_MARK, _BEHIND_LAST_MARK)))
    mark = f"[{''.join(marks)}]"
    return re.compile(f"{mark}{{30}}(?={mark})")


# Simplified and traditional characters, converted by OpenCC.


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
