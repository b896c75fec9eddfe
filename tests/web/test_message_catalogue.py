"""Texts of the pages: each in both languages, none unused, none missing."""

from __future__ import annotations

import re
from pathlib import Path

from focuscrawl.web import message_catalogue
from focuscrawl.web.message_catalogue import best_language, catalogue

PACKAGE = Path(message_catalogue.__file__).parent


def test_each_text_has_both_languages_and_the_same_values() -> None:
    for key, texts in catalogue().items():
        assert set(texts) - {"stored"} == {"zh", "en"}, key
        assert len({frozenset(re.findall(r"{(\w+)", text)) for text in texts.values()}) == 1, key


def test_no_template_uses_a_text_that_does_not_exist() -> None:
    for path in PACKAGE.rglob("*.html"):
        for key in re.findall(r"""\bt\(\s*["']([\w.-]+)["']\s*[,)]""", path.read_text("utf-8")):
            assert key in catalogue(), (path.name, key)


def test_the_language_that_the_browser_prefers() -> None:
    assert best_language("zh-CN,zh;q=0.9,en;q=0.8") == "zh"
    assert best_language("en-GB,en;q=0.9,zh;q=0.1") == "en"
    assert best_language("fr,en;q=0.5") == "en"
    assert best_language("fr") == "zh"
    assert best_language("en;q=x, ;;q") == "zh"
