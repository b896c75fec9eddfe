"""Index terms: those of a substring are in the text, and no engine splits them."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.search.search_index import required_terms, search_terms

SCRIPTS = st.characters(codec="utf-8")
CHINESE = st.text(st.sampled_from("机器学习谷歌的一二三，。 ab1"), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("谷歌", ["h谷歌"]),
        ("机器学习", ["h机器", "h器学", "h学习"]),
        ("猫，狗", ["hh猫", "hh狗"]),
        ("機器", ["h机器"]),
        ("ＧＩＴ", ["qgit", "pgi", "pit", "zzg", "zzi", "zzt"]),
        ("Go a", ["xxgo", "xxa", "pgo", "zzg", "zzo", "zza"]),
        ("15年", ["xx15", "hh年", "m5年", "p15", "zz1", "zz5"]),
        ("A股3 月", ["xxa", "xx3", "hh股", "hh月", "ma股", "m股3", "m3月", "zza", "zz3"]),
        ("C++ a_b", ["xxc", "xxa", "xxb", "zzc", "zza", "zzb"]),
        ("あい", ["hu3042u3044"]),
        ("é", ["hhue9"]),
        ("猫猫猫 猫猫", ["h猫猫"]),
        ("，%_'\"😀\0", []),
    ],
)
def test_the_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert search_terms(text).split() == terms


def test_a_headline_has_its_terms_twice() -> None:
    assert search_terms("谷歌", is_headline=True) == "h谷歌 tth谷歌"


def test_a_long_text_has_a_bounded_number_of_terms() -> None:
    text = "".join(map(chr, range(0x4E00, 0x9FA0))) + "".join(map(chr, range(0x9FA0, 0x4DFF, -1)))
    assert len(search_terms(text).split()) == 40_000
    assert len(search_terms(text, is_headline=True).split()) == 5_000


def test_an_encoded_image_does_not_displace_chinese_terms() -> None:
    chance = random.Random(1)
    picture = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=900_000))
    terms = search_terms(f"{picture} 谷歌").split()
    assert (len(terms), "h谷歌" in terms) == (40_000, True)


@given(st.text(SCRIPTS, max_size=60))
def test_terms_are_letters_and_digits_of_three_characters_and_more(text: str) -> None:
    for term in search_terms(text).split():
        assert re.fullmatch("[a-z0-9\u3400-\u4dbf\u4e00-\u9fff]{3,84}", term)


@given(CHINESE, st.data())
def test_required_terms_of_a_substring_are_in_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    assert set(required_terms(part)) <= set(search_terms(text).split())
