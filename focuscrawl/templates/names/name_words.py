"""Words by which names of organisations are recognised, compiled to patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from focuscrawl.templates.names.text_spans import HAN

LEGAL, INSTITUTION, EVENT, WEAK = "legal", "institution", "event", "weak"


@dataclass(frozen=True)
class NameWords:
    """Patterns over the text form of :class:`~focuscrawl.templates.names.text_spans.View`.

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
