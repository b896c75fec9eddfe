"""Normal form of text, equal for equivalent spellings: for features and lexicons, not for display."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from focuscrawl.text.seen_text import as_seen

if TYPE_CHECKING:
    from opencc import OpenCC


# Simplified and traditional Chinese characters, converted by OpenCC.


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


# Character-by-character foldings, which keep offsets valid in the original text.

DASHES = "‐‑‒–—―－﹣−～"
"""Characters that pages use in place of a hyphen."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class CharacterFolding(dict[int, str]):
    """Function from a text to one of the same length, such as ``CharacterFolding(normal_form)``.

    ``forms`` are applied to each character in turn; a form longer than one character is ignored.
    ``signs`` take precedence: they map characters to their replacements. If offsets do not matter,
    use :func:`~focuscrawl.text.normal_form.normal_form` on the whole text: it also considers context
    (乾 in 乾隆) and forms of several characters (½).
    """

    def __init__(
        self, *forms: Callable[[str], str], signs: Mapping[str, str] | None = None
    ) -> None:
        super().__init__({ord(sign): plain for sign, plain in (signs or {}).items()})
        self._forms = forms

    def __call__(self, text: str) -> str:
        """Return ``text`` with each character replaced; ``len`` is the same."""
        return text.translate(self)

    def __missing__(self, code: int) -> str:
        character = chr(code)
        for form in self._forms:
            folded = form(character)
            character = folded if len(folded) == 1 else character
        self[code] = character
        if ord(character) != code:
            # 薴 becomes 苧, which itself has a simplified form.
            self[code] = self[ord(character)]
        return self[code]


def half_width(text: str) -> str:
    """Return ``text`` with full-width ASCII in half width; other characters such as ① stay."""
    return text.translate(_HALF_WIDTH)


normal_characters = CharacterFolding(normal_form)
"""Folding to the normal form, character by character."""
