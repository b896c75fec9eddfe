"""The texts of a link that have features."""

from __future__ import annotations

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.scoring.link_features import url_text

PIECES = [
    "%E4",
    "%BD%A0",
    "%41",
    "%ff",
    "%c3",
    "%F0%9F",
    "%0A",
    "%",
    "%2",
    "%zz",
    "a",
    "/",
    "?",
    "你",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_escapes_are_decoded_like_urllib_does(path: str) -> None:
    assert url_text(f"http://a.test/{path}") == unquote(f"/{path}")
