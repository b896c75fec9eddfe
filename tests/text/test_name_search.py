"""Names found by their parts, in either script, and by the initials of their pinyin."""

from __future__ import annotations

import pytest

from focuscrawl.text.name_search import NameSearch, folded_name

NAMES = ["青島港", "长春", "长春大成生化", "重庆粮油市场", "寿光 金玉米", "ＡＢ饲料", "日照港"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("青岛港", ["青島港"]),
        ("qdg", ["青島港"]),
        # A name that is a prefix of another is first, the shorter of two that begin so next.
        ("长春", ["长春", "长春大成生化"]),
        ("长", ["长春", "长春大成生化"]),
        # All readings of a character count, for a word may be read either way.
        ("cq", ["重庆粮油市场"]),
        ("zq", ["重庆粮油市场"]),
        ("gjym", ["寿光 金玉米"]),
        ("金玉米 寿", ["寿光 金玉米"]),
        ("ab", ["ＡＢ饲料"]),
        ("港", ["青島港", "日照港"]),
        ("qqq", []),
        ("🌽", []),
        ("", NAMES),
        ("  ", NAMES),
    ],
)
def test_finds(text: str, found: list[str]) -> None:
    assert [NAMES[position] for position in NameSearch(NAMES).find(text)] == found


def test_any_text_is_searched_for() -> None:
    search = NameSearch(["", "\ud800", "a" * 300])
    assert len(search.find("a")) == 1
    assert search.find("b" * 500) == []
    assert folded_name("Ａ 港\u3000口") == "a港口"
