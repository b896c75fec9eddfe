"""Patterns of synonymous keywords in any spelling that pages use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from focuscrawl.text.character_folding import DASHES, CharacterFolding
from focuscrawl.text.normal_form import composed, simplified

# Half-width forms of texts, of the same length so that offsets stay valid.

# 0571一8800: Chinese input methods produce the character for one instead of a dash.
_ONE_AS_DASH = re.compile(r"(?<=\d)[一ー](?=\d)")
_half_width = CharacterFolding(
    composed, signs=dict.fromkeys(DASHES + "─~", "-") | dict.fromkeys("﹕∶︰", ":")
)


def fold(text: str) -> str:
    """Return ``text`` in half-width forms with plain dashes and colons, of the same length."""
    return text if text.isascii() else _ONE_AS_DASH.sub("-", _half_width(text))


# Pages pad 地　　址 to the width of 联系电话, and put each letter of a word into a separate element.
# The patent's 邮.{0,50}箱 also finds 邮局在路口的文化信箱: only meaningless characters are allowed between.
_GAP_IN_HAN = r"[^\S\n]{0,12}[·.・*|]?[^\S\n]{0,12}"
_GAP_IN_LATIN = r"[^\S\n]{0,3}[-_.‐－]?[^\S\n]{0,3}"
_LATIN = "A-Za-zＡ-Ｚａ-ｚ"
_TO_FULL_WIDTH = 0xFEE0
_HAN = 0x4E00, 0xA000


def keyword_pattern(keywords: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern that finds any of ``keywords``, the longest first.

    Spaces and light punctuation are allowed between the characters of a word; simplified and
    traditional characters, half and full width, upper and lower case are equal. A word of Latin
    letters matches as a whole word only. Characters of a keyword other than letters and digits are
    ignored: ``E-mail`` also matches ``Email``. Without keywords the pattern never matches.
    """
    return _compiled(tuple(keywords))


@lru_cache(maxsize=256)
def _compiled(keywords: tuple[str, ...]) -> re.Pattern[str]:
    words = {"".join(filter(str.isalnum, keyword)) for keyword in keywords} - {""}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_word, longest_first)) or r"(?!)", re.IGNORECASE)


def _word(word: str) -> str:
    spelled = _spellings(word[0])
    for before, letter in pairwise(word):
        gap = _GAP_IN_LATIN if before.isascii() and letter.isascii() else _GAP_IN_HAN
        spelled += gap + _spellings(letter)
    before = rf"(?<![{_LATIN}])" if word[0].isascii() else ""
    after = rf"(?![{_LATIN}])" if word[-1].isascii() else ""
    return before + spelled + after


@lru_cache(maxsize=4096)
def _spellings(letter: str) -> str:
    if letter.isascii():
        return f"[{re.escape(letter)}{chr(ord(letter) + _TO_FULL_WIDTH)}]"
    simple = _simplified().get(letter, letter)
    forms = {letter, simple, *_traditional().get(simple, ())}
    return f"[{''.join(sorted(forms))}]" if len(forms) > 1 else re.escape(letter)


@lru_cache(maxsize=1)
def _simplified() -> dict[str, str]:
    # 系 is 系, 係 or 繫 in traditional texts: only the conversion to simplified yields all of them.
    letters = [chr(code) for code in range(*_HAN)]
    simple = simplified("\n".join(letters)).split("\n")
    return dict(zip(letters, simple, strict=True))


@lru_cache(maxsize=1)
def _traditional() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for letter, simple in _simplified().items():
        forms.setdefault(simple, []).append(letter)
    return forms
