from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.tokens.bulletin_words import latin_provinces, lexicon
from focuscrawl.prices.tokens.line_tokens import tokenise, with_whole_names

PLACES = [
    ("Changchun, Jilin", ["Jilin", "Changchun"]),
    ("Harbin (Heilongjiang)", ["Heilongjiang", "Harbin"]),
    ("Weifang in Shandong", ["Shandong", "Weifang"]),
    ("Weifang, in Shandong", ["Shandong", "Weifang"]),
    ("Shekou port, Guangdong", ["Guangdong", "Shekou", "port"]),
    ("Luhai Starch in Anhui", ["Anhui", "Luhai Starch"]),
    ("Luhai Starch (Fuyang, Anhui)", ["Anhui", "Fuyang", "Luhai Starch"]),
    ("Luhai Starch, Fuyang, Anhui", ["Anhui", "Fuyang", "Luhai Starch"]),
    ("Corn in Shandong", ["Corn", "in", "Shandong"]),
    ("Dalian, Tianjin", ["Dalian", ",", "Tianjin"]),
]
WORDS = [
    "Luhai",
    "Starch",
    "Weifang",
    "port",
    "in",
    "and",
    ",",
    "(",
    ")",
    ":",
    "2,300",
    *latin_provinces(),
]


@pytest.mark.parametrize(("text", "words"), PLACES)
def test_order(text: str, words: list[str]) -> None:
    tokens = with_whole_names(tokenise(text, 0, len(text), lexicon()))
    assert [token.text for token in tokens] == words


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_no_word_is_lost(words: list[str]) -> None:
    text = " ".join(words)
    before = tokenise(text, 0, len(text), lexicon())
    after = with_whole_names(list(before))
    links = {",", "(", ")", "in"}
    kept = sorted(word for token in after for word in token.text.split() if word not in links)
    assert kept == sorted(
        word for token in before for word in token.text.split() if word not in links
    )
