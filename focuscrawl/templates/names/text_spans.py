"""Spans of a text, and a normalised view of the text that maps back to them."""

from __future__ import annotations

import re
from typing import NamedTuple

from focuscrawl.text.character_folding import CharacterFolding
from focuscrawl.text.chinese_script import simplified
from focuscrawl.text.normal_form import composed, normal_form

HAN = "\u3400-\u9fff\uf900-\ufaff〇々"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
# Spaced-out headings: single Chinese characters separated by spaces.
_SET_WIDE = re.compile(rf"(?<![{HAN}])[{HAN}](?:[ \t]{{1,4}}[{HAN}](?![{HAN}])){{3,}}")
_WIDE_ASCII = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF5B))}
_FOLDED = re.compile(r"[^\W_]+")
# Capitals are kept: they mark the beginning of a name.
_level = CharacterFolding(composed, simplified, signs={"\t": " "})


class Span(NamedTuple):
    """A value in a text at offsets ``start`` to ``end``; ``text`` is its readable form.

    ``confidence`` is from 0 to 1.
    """

    start: int
    end: int
    text: str
    confidence: float


class View:
    """A text in normal form: half-width, simplified, without invisible characters.

    ``text`` is that form, without the matches of ``gap``; ``span`` maps back to the characters as
    printed.
    """

    def __init__(self, printed: str, gap: re.Pattern[str] | None = None) -> None:
        level = _level(printed)
        gaps = {match.start() for match in _INVISIBLE.finditer(level)}
        for match in gap.finditer(level) if gap else ():
            gaps.update(range(*match.span()))
        for match in _SET_WIDE.finditer(level):
            gaps.update(at for at in range(*match.span()) if level[at].isspace())
        self._printed = printed
        self._places = [at for at in range(len(level)) if at not in gaps] if gaps else None
        self.text = "".join(level[at] for at in self._places) if self._places else level
        if gaps and not self._places:
            self.text = ""

    def span(self, start: int, end: int, confidence: float) -> Span:
        """Return the span of ``text[start:end]`` in the text as printed."""
        first = self._places[start] if self._places else start
        last = (self._places[end - 1] if self._places else end - 1) + 1
        return Span(first, last, readable(self._printed[first:last]), round(confidence, 3))


def readable(printed: str) -> str:
    """Return a value for display: no invisible characters, single spaces, half-width letters."""
    text = _INVISIBLE.sub("", printed).translate(_WIDE_ASCII)
    text = _SET_WIDE.sub(lambda match: "".join(match[0].split()), " ".join(text.split()))
    return text.strip()


def folded(text: str) -> str:
    """Return the key shared by spellings of a name: its letters, digits and Chinese characters."""
    return "".join(_FOLDED.findall(normal_form(text)))
