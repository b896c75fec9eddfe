from __future__ import annotations

import pytest

from focuscrawl.text.term_finder import TermFinder, term_key, term_spelling

FINDER = TermFinder(["AI", "支持", "支持向量", "deep learning", "web安全", "安全漏洞", "poc", "- "])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ai email ais ai助手 用ai", ["ai", "ai", "ai"]),
        ("支持向量机器学习支持", ["支持向量", "支持"]),
        ("deep-learning deep_learning deeplearning deep  learning", ["deeplearning"] * 3),
        ("web安全漏洞", ["web安全"]),
        ("安全漏洞poc", ["poc", "安全漏洞"]),
        ("支\n持", []),
        ("", []),
    ],
)
def test_terms_are_found(text: str, found: list[str]) -> None:
    assert FINDER.find(text) == found


def test_terms_are_replaced() -> None:
    assert (
        FINDER.replace("ai支持web安全漏洞!", lambda key: f"<{key}>") == "<ai><支持><web安全>漏洞!"
    )


def test_without_terms_nothing_is_found() -> None:
    finder = TermFinder(["", " - "])
    assert finder.find("a -") == []
    assert finder.replace("a -", str.upper) == "a -"


def test_a_term_has_one_spelling_and_one_key() -> None:
    assert term_spelling(" Ｍachine\n Learning-") == "machine-learning"
    assert term_key("machine-learning") == term_key("machine_learning") == "machinelearning"
