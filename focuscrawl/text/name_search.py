"""Search among names by their parts, simplified or traditional, and by the initials of their pinyin."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from heapq import nsmallest

from focuscrawl.text.normal_form import normal_form

_MOST_PARTS = 8


def folded_name(name: str) -> str:
    """Return a name as names are compared: simplified, in lower case, without spaces.

    >>> folded_name("青島 港"), folded_name("Ａ厂")
    ('青岛港', 'a厂')
    """
    return "".join(normal_form(name).split())


@cache
def _initials(character: str) -> str:
    """Return the initials of all readings of a character, and the character itself if it has none."""
    # Words would tell which reading is meant, but take 45 MB; here each one counts.
    os.environ.setdefault("PYPINYIN_NO_PHRASES", "true")
    from pypinyin import Style, pinyin

    return "".join(pinyin(character, style=Style.FIRST_LETTER, heteronym=True)[0])


class NameSearch:
    """Names that are found by the parts of a text, each of which they must have."""

    def __init__(self, names: Sequence[str]) -> None:
        self._folded = [folded_name(name) for name in names]

    def __len__(self) -> int:
        return len(self._folded)

    def find(self, text: str, most: int | None = None) -> list[int]:
        """Return the positions of the names that a text means, the nearest first: equal ones, those
        that begin with it, those that have it, and those whose pinyin has such initials.

        >>> NameSearch(["长春港", "长春", "青島港"]).find("长春")
        [1, 0]
        >>> NameSearch(["长春港", "长春", "青島港"]).find("qdg")
        [2]
        """
        parts = [folded_name(part) for part in text.split()[:_MOST_PARTS]]
        if not parts:
            return list(range(len(self._folded)))[:most]
        found = []
        for position, name in enumerate(self._folded):
            ranks = [_rank(name, part) for part in parts]
            if None not in ranks:
                found.append((max(filter(None, ranks), default=0), len(name), position))
        return [position for *_, position in nsmallest(most or len(found), found)]


def _rank(name: str, part: str) -> int | None:
    if part in name:
        return 0 if part == name else 1 if name.startswith(part) else 2
    if not (part.isascii() and part.isalpha()):
        return None
    letters = [_initials(character) for character in name]
    starts = range(len(letters) - len(part) + 1)
    pairs = (zip(part, letters[start:], strict=False) for start in starts)
    return 3 if any(all(one in own for one, own in pair) for pair in pairs) else None
