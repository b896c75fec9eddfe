"""Character-by-character foldings, which keep offsets valid in the original text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from focuscrawl.text.normal_form import normal_form

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
