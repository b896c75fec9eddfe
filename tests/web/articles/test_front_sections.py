"""Sections from a setting."""

from __future__ import annotations

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.web.articles.front_sections import read_sections


def test_keywords_between_commas() -> None:
    assert read_sections(" 玉米，Python ,, 玉米") == ("玉米", "Python")
    assert read_sections("") == ()


def test_a_keyword_without_letters_is_refused() -> None:
    with pytest.raises(ArgumentError, match="FOCUSCRAWL_WEB_SECTIONS: there is no word"):
        read_sections("玉米, ???")
