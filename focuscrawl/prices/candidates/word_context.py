"""Words around figures and in names, by which a learned model tells prices and owners from the rest."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_CLAUSE_END = re.compile(r"[,，;；。:：!?]")
_BEFORE, _AFTER = 40, 15  # characters of the line around a figure
_OWN, _NEXT = 16, 10  # characters of its clause before and behind it
_FURTHEST = 300  # characters from a name to its figure
_BETWEEN = 14  # characters behind a name
_BEGINNING = 800  # characters that tell what a text is about
_RAW = 8 * _BETWEEN  # the same with numbers as printed


def figure_words(plain: str, start: int, end: int) -> frozenset[str]:
    """Return the pieces of text around a figure, each with a letter that tells where it stands.

    Numbers count as one digit. What directly touches the figure has up to four characters, what else
    its line and its clause have, two.
    """
    begin = max(plain.rfind("\n", 0, start) + 1, start - _BEFORE)
    stop = plain.find("\n", end)
    stop = min(len(plain) if stop < 0 else stop, end + _AFTER)
    before, after = _NUMBER.sub("9", plain[begin:start]), _NUMBER.sub("9", plain[end:stop])
    return frozenset([
        *("b" + before[-size:] for size in (1, 2, 3, 4)),
        *("a" + after[:size] for size in (1, 2, 3)),
        *_pairs("c", _CLAUSE_END.split(before)[-1][-_OWN:]),
        *_pairs("s", before),
        *_pairs("d", _CLAUSE_END.split(after)[0][:_NEXT]),
        *_pairs("e", after),
    ])  # fmt: skip


def name_words(plain: str, name: str, start: int) -> frozenset[str]:
    """Return the pieces of a name, and of the text around the last place of it before ``start``."""
    at = plain.rfind(name, max(0, start - _FURTHEST), start)
    if at < 0:
        return _words_of(name, "", "", "", False)
    end = at + len(name)
    between = _NUMBER.sub("9", plain[end : min(start, end + _RAW)])[:_BETWEEN]
    return _words_of(name, plain[max(0, at - 3) : at], plain[end : end + 4], between, True)


@lru_cache(maxsize=500)  # a text offers the same names for many figures
def _words_of(name: str, before: str, behind: str, between: str, is_there: bool) -> frozenset[str]:
    found = [
        f"k{len(name)}", "f" + name[:1], "f" + name[:2], "l" + name[-1:], "l" + name[-2:],
        *_pairs("n", name),
    ]  # fmt: skip
    if not is_there:
        return frozenset([*found, "p?"])
    before, behind = _NUMBER.sub("9", before), _NUMBER.sub("9", behind)
    found += ["p" + before[-size:] for size in (1, 2)] + ["q" + behind[:size] for size in (1, 2)]
    return frozenset([*found, *_pairs("m", between)])


def text_words(title: str, plain: str) -> frozenset[str]:
    """Return the pairs of Chinese characters in a title and at the beginning of its text."""
    words = _CHINESE.findall(title) + _CHINESE.findall(plain[:_BEGINNING])
    return frozenset(pair for word in words for pair in _pairs("", word))


def _pairs(where: str, text: str) -> list[str]:
    return [where + a + b for a, b in pairwise(text)]
