from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.tokens.bulletin_words import normalise
from focuscrawl.templates.keywords import fold
from focuscrawl.text.character_folding import CharacterFolding, half_width, normal_characters
from focuscrawl.text.normal_form import composed, simplified

EVERY = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
FOLDINGS = {
    "search": normal_characters,
    "prices": normalise,
    "names": CharacterFolding(composed, simplified, signs={"\t": " "}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDINGS)
def test_folding_every_character_is_idempotent(name: str) -> None:
    folding = FOLDINGS[name]
    folded = folding("".join(EVERY))
    assert len(folded) == len(EVERY)
    # A character that is its own form needs no second look.
    forms = "".join({form for form, one in zip(folded, EVERY, strict=True) if form != one})
    assert folding(forms) == forms


@given(st.text(st.characters(exclude_categories=())))  # including lone surrogates
def test_offsets_stay_valid(text: str) -> None:
    assert len(fold(text)) == len(text)
    for folding in FOLDINGS.values():
        folded = folding(text)
        assert [folding(character) for character in text] == list(folded)


@pytest.mark.parametrize(
    ("text", "search", "prices", "names"),
    [
        ("ＡＢｃ１２，％", "abc12,%", "ABc12,%", "ABc12,%"),
        ("壽光澱粉廠", "寿光淀粉厂", "寿光淀粉厂", "寿光淀粉厂"),
        ("乾隆", "干隆", "干隆", "干隆"),  # without context
        ("薴", "苎", "苎", "苎"),  # via 苧
        ("½㈱", "½㈱", "½㈱", "½㈱"),  # their forms are longer
        ("①²", "12", " ²", "12"),  # numbers of lists separate items of bulletins
        ("–〇▲｜", "–〇▲|", "-零↑\t", "–〇▲|"),
        ("a\tb\u3000", "a\tb ", "a\tb ", "a b "),
    ],
)
def test_differences_between_the_foldings(text: str, search: str, prices: str, names: str) -> None:
    folded = {name: folding(text) for name, folding in FOLDINGS.items()}
    assert folded == {"search": search, "prices": prices, "names": names}


def test_signs_take_precedence_over_forms() -> None:
    folding = CharacterFolding(half_width, signs={"～": "-", "（": "["})
    assert folding("（１～２）") == "[1-2)"
