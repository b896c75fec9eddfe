from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.normal_form import BETWEEN, normal_form, simplified, traditional

ANY = st.text(st.characters(exclude_categories=()))  # including lone surrogates
CHINESE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF))
MIXED = st.text(
    st.sampled_from(
        "乾坤隆圖打壞坏薴佈布瞭著藉覆ＡａＺzİßΣς①㈱℃ｶﾞé\u0301\u0338\u030cJﬁ½　 \x00漢字〇"
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("機器學習與資訊安全", "机器学习与资讯安全"),
        ("ＡＢＣ１２３，（）", "abc123,()"),
        ("Python", "python"),
        ("ｶﾞ", "ガ"),
        ("J\u030c", "\u01f0"),  # composed form exists in lower case only
        ("①②", "12"),
        ("乾隆", "乾隆"),
        ("餅乾", "饼干"),
        ("", ""),
        ("a\x00漢", "a\x00汉"),
        ("漢\ud800字", "汉?字"),
    ],
)
def test_normal_forms(text: str, expected: str) -> None:
    assert normal_form(text) == expected


@given(ANY | CHINESE | MIXED)
def test_normal_form_is_idempotent(text: str) -> None:
    plain = normal_form(text)
    assert normal_form(plain) == plain
    assert unicodedata.is_normalized("NFKC", plain)


@pytest.mark.slow
def test_one_call_is_enough_for_every_character() -> None:
    every = BETWEEN.join(chr(point) for point in range(0x110000))
    plain = normal_form(every)
    assert normal_form(plain) == plain
    assert len(plain.split(BETWEEN)) == 0x110000 + 1  # BETWEEN itself is one of them


@given(st.lists((ANY | CHINESE | MIXED).filter(lambda text: BETWEEN not in text), min_size=1))
def test_texts_are_normalised_together_as_separately(texts: list[str]) -> None:
    together = normal_form(BETWEEN.join(texts)).split(BETWEEN)
    assert together == [normal_form(text) for text in texts]


def test_a_long_run_of_marks_does_not_depend_on_its_neighbours() -> None:
    run = "q" + "\u0301" * 40
    assert normal_form(f"{run}{BETWEEN}Ａ") == f"{normal_form(run)}{BETWEEN}a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("壽光澱粉廠", "寿光淀粉厂"),
        ("乾隆年間的餅乾", "乾隆年间的饼干"),
        ("Ａｂ１，①", "Ａｂ１，①"),  # widths are unchanged
        ("麥\ud800麥", "麦?麦"),
        ("", ""),
    ],
)
def test_traditional_text_in_simplified_characters(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("寿光淀粉厂", "壽光澱粉廠"), ("饼干", "餅乾"), ("a\ud800麦", "a?麥")]
)
def test_simplified_text_in_traditional_characters(text: str, expected: str) -> None:
    assert traditional(text) == expected
