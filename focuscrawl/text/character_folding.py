"""Foldings that replace each character by one other, so that offsets stay valid in the text as printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from focuscrawl.text.normal_form import normal_form

DASHES = "‐‑‒–—―－﹣−～"
"""Signs that pages print where a plain hyphen belongs."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class CharacterFolding(dict[int, str]):
    """A function from a text to one of the same length, such as ``CharacterFolding(normal_form)``.

    ``forms`` are applied to each character in turn; where a form is longer than one character, the
    character stays. ``signs`` come first: a character that is one of them becomes what it maps to.
    Read a whole text with :func:`~focuscrawl.text.normal_form.normal_form` where offsets do not
    matter: it also sees neighbours (乾 in 乾隆) and forms of several characters (½).
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
            # 薴 becomes 苧, which has a simplified form of its own.
            self[code] = self[ord(character)]
        return self[code]


def half_width(text: str) -> str:
    """Return ``text`` with full-width ASCII in half width, and nothing else changed: ① is no 1."""
    return text.translate(_HALF_WIDTH)


normal_characters = CharacterFolding(normal_form)
"""The normal form of a text, character by character."""
