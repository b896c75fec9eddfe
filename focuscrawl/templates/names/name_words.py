"""Words by which names of organisations are recognised, compiled to patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from focuscrawl.text.character_folding import CharacterFolding
from focuscrawl.text.normal_form import composed, normal_form, simplified

# Spans of a text, and a normalised view of the text that maps back to them.

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


LEGAL, INSTITUTION, EVENT, WEAK = "legal", "institution", "event", "weak"


@dataclass(frozen=True)
class NameWords:
    """Patterns over the text form of :class:`~focuscrawl.templates.names.name_words.View`.

    ``ending`` has a group for each class of ending; ``part`` matches parts of an organisation,
    ``generic`` words that are not a name by themselves, ``lead`` words that end before a name
    begins, ``maybe_lead`` words that do so before a place name, ``never`` words that no name
    contains, ``prose`` words that hardly any name except a firm's contains.
    """

    ending: re.Pattern[str]
    part: re.Pattern[str]
    generic: re.Pattern[str]
    lead: re.Pattern[str]
    maybe_lead: re.Pattern[str]
    never: re.Pattern[str]
    prose: re.Pattern[str]


@lru_cache(maxsize=1)
def name_words() -> NameWords:
    """Return the patterns of ``name_words.yaml``, compiled once."""
    lists = word_lists()
    name_ends = rf"(?=[^{HAN}\w]|$|{any_of(lists['follows'])})"
    return NameWords(
        ending=re.compile(
            "|".join(
                [
                    f"(?P<{LEGAL}>{any_of(lists[LEGAL])})",
                    f"(?P<{INSTITUTION}>{any_of(lists[INSTITUTION])})(?![生习卡员])",
                ]
                + [f"(?P<{kind}>{any_of(lists[kind])}){name_ends}" for kind in (EVENT, WEAK)]
            )
        ),
        part=re.compile(rf"[{HAN}]{{0,6}}?{any_of(lists['part'])}{name_ends}"),
        generic=re.compile(f"(?:{any_of(lists['generic'])})*"),
        lead=re.compile(any_of(lists["lead"])),
        prose=re.compile(any_of(lists["prose"])),
        never=re.compile(any_of(lists["never"])),
        maybe_lead=re.compile(f"(?={any_of(lists['lead_before_place'])})."),
    )


@lru_cache(maxsize=1)
def word_lists() -> dict[str, list[str]]:
    """Return the lists of ``name_words.yaml`` by name."""
    text = (files(__package__) / "name_words.yaml").read_text("utf-8")
    return {name: words.split() for name, words in yaml.safe_load(text).items()}


def any_of(words: list[str]) -> str:
    """Return a regular expression for any of the words, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(set(words), key=lambda w: (-len(w), w))))})"
