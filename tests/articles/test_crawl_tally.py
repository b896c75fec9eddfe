"""What is said of a run."""

from __future__ import annotations

from collections import Counter

import pytest

from focuscrawl.articles.article_series import ArticleTally

FIRST = "http://host.test/1.htm"


def test_lines_name_what_there_was_only() -> None:
    assert ArticleTally().lines(0) == []
    tally = ArticleTally(3, Counter({"HTTP 404": 1, "soft 404": 2}), Counter({"HTTP 500": 4}))
    assert tally.lines(5) == [
        ("missing", "2 soft 404, 1 HTTP 404"),
        ("retried", "5 numbers that were missing before"),
        ("failed", "4 HTTP 500; the next run retries them"),
    ]


@pytest.mark.parametrize(
    ("tally", "has_held", "said"),
    [
        (ArticleTally(1, failures=Counter(a=1), is_forbidden=True), False, ""),
        (ArticleTally(), False, ""),
        (ArticleTally(is_forbidden=True), True, f"robots.txt forbids {FIRST}; on your own site"),
        (
            ArticleTally(failures=Counter({"HTTP 503": 3})),
            True,
            "all requests failed (3 HTTP 503); run",
        ),
        (ArticleTally(reasons=Counter(a=1), failures=Counter(b=1)), False, ""),
        (ArticleTally(no_body=FIRST, reasons=Counter(a=1)), True, ""),
        (
            ArticleTally(no_body=FIRST, reasons=Counter(a=1)),
            False,
            "profile p: article.body selects nothing",
        ),
        (ArticleTally(reasons=Counter({"soft 404": 9})), False, "all pages from "),
        (ArticleTally(reasons=Counter({"soft 404": 9})), True, ""),
        (ArticleTally(reasons=Counter({"soft 404": 9, "HTTP 404": 1})), False, ""),
    ],
)
def test_who_finds_nothing_is_told_why(tally: ArticleTally, has_held: bool, said: str) -> None:
    sentence = tally.why_nothing("p", FIRST, has_held=has_held)
    assert bool(sentence) is bool(said)
    assert said in sentence
