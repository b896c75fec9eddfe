"""The words that names of organisations are known by, compiled to patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from .spans import HAN

LEGAL, INSTITUTION, EVENT, WEAK = "legal", "institution", "event", "weak"


@dataclass(frozen=True)
class NameWords:
    """Patterns over the form of :class:`~.spans.View`.

    ``ending`` has a group for each class of ending; ``part`` is a part of an organisation,
    ``generic`` matches words that make no name by themselves, ``lead`` what ends before a name
    begins, ``maybe_lead`` what does so before a place name, ``never`` what no name holds, ``prose``
    what hardly any but a firm's name holds.
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
    """Read ``name_words.yaml`` once."""
    text = (files(__package__) / "name_words.yaml").read_text("utf-8")
    lists: dict[str, list[str]] = {
        name: words.split() for name, words in yaml.safe_load(text).items()
    }
    name_ends = rf"(?=[^{HAN}\w]|$|{_any(lists['follows'])})"
    return NameWords(
        ending=re.compile(
            "|".join(
                [
                    f"(?P<{LEGAL}>{_any(lists[LEGAL])})",
                    f"(?P<{INSTITUTION}>{_any(lists[INSTITUTION])})(?![生习卡员])",
                ]
                + [f"(?P<{kind}>{_any(lists[kind])}){name_ends}" for kind in (EVENT, WEAK)]
            )
        ),
        part=re.compile(rf"[{HAN}]{{0,6}}?{_any(lists['part'])}{name_ends}"),
        generic=re.compile(f"(?:{_any(lists['generic'])})*"),
        lead=re.compile(_any(lists["lead"])),
        prose=re.compile(_any(lists["prose"])),
        never=re.compile(_any(lists["never"])),
        maybe_lead=re.compile(f"(?={_any(lists['lead_before_place'])})."),
    )


def _any(words: list[str]) -> str:
    """Return an expression for any of the words, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(set(words), key=lambda w: (-len(w), w))))})"
