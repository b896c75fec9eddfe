"""The normal form of a text character by character, so that places in it are places in the text."""

from __future__ import annotations

from focuscrawl.text.normal_form import normal_form


class _Folded(dict[int, str]):
    """From a character's number to its normal form, if that is one character too."""

    def __missing__(self, number: int) -> str:
        folded = normal_form(chr(number))
        self[number] = folded if len(folded) == 1 else chr(number)
        return self[number]


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Return a text of the same length in half-width, lower case, simplified characters.

    It differs from the normal form of the whole text where that depends on neighbours (乾 in 乾隆)
    or changes the length (½).
    """
    return text.translate(_FOLDED)
