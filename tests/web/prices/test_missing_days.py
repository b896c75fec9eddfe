"""Reasons why days have no price."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from focuscrawl.items import CrawlRun
from focuscrawl.web.prices.daily_prices import QuotedDays
from focuscrawl.web.prices.missing_days import (
    Cause,
    MissingDayEvidence,
)
from focuscrawl.web.prices.price_table import day_number
from tests.web.prices.price_tables import article_row, quote_row, table_of

FIRST = date(2026, 3, 1)


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def run(number: int, **fields: Any) -> CrawlRun:
    began = datetime(2026, 3, 1, 2, tzinfo=UTC) + timedelta(days=number)
    plain: dict[str, Any] = {
        "key": str(number),
        "crawl": "maize-demo",
        "spider": "maize",
        "machine": "",
        "began_at": began,
        "updated_at": began,
        "ended_at": began,
        "reason": "finished",
        "exit_code": 0,
        "details": {"rules": {"name": "demo"}},
    }
    return CrawlRun(**(plain | fields))


RENAMED = {"rules": {"kind": "profile", "name": "x"}, "start_hosts": ["www.demo.example"]}
LISTED = {"rules": {"kind": "profile", "name": "x"}, "start_hosts": ["lists.example"]}
FOUND = LISTED | {"hosts": {"demo.example": [3, 0.5, 2, 0, 3], "lists.example": [1, 0.1, 0, 0, 1]}}
OLDER = LISTED | {"hosts": {"lists.example": [2189, 2.764]}}
DOWN: dict[str, Any] = {"reason": "finished", "exit_code": 2}


def causes(*runs: CrawlRun) -> list[Cause]:
    """Return the reasons of six days: with a price, flagged, incomplete, unquoted, and two without articles."""
    articles = [
        article_row("0", day(0)),
        article_row("1", day(1)),
        article_row("2", day(2), is_complete=False),
        article_row("3", day(3)),
        article_row("other", day(4), site="other"),
        article_row("gone", day(5), gone_at=datetime(2026, 3, 9)),
    ]
    quotes = [
        quote_row(articles[0], 0, day(0), "甲", 2000),
        quote_row(articles[1], 0, day(1), "甲", 9000, flag="odd"),
    ]
    table = table_of(articles, quotes, runs)
    has_price = np.arange(6) == 0
    return MissingDayEvidence(table, QuotedDays.of(table, np.arange(2))).causes(
        has_price, day_number(FIRST)
    )


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], ["unknown", "unknown"]),
        ([run(9)], ["unpublished", "unpublished"]),
        ([run(9, exit_code=3)], ["unpublished", "unpublished"]),
        ([run(5)], ["unpublished", "unknown"]),
        ([run(2)], ["uncrawled", "uncrawled"]),
        ([run(2), run(9, **DOWN)], ["down", "down"]),
        ([run(5), run(9, **DOWN)], ["unpublished", "unknown"]),
        ([run(9, reason="shutdown")], ["down", "down"]),
        # One that goes on says nothing so far, and another site's neither.
        ([run(2), run(9, ended_at=None)], ["uncrawled", "uncrawled"]),
        ([run(9, details={"rules": {"name": "other"}})], ["unknown", "unknown"]),
        ([run(9, details={})], ["unknown", "unknown"]),
        # Profiles of another name for the same host: since renamed, or their lists are elsewhere.
        ([run(2, details=RENAMED), run(9, **DOWN, details=RENAMED)], ["down", "down"]),
        ([run(9, details=LISTED), run(2, details=FOUND)], ["unpublished", "unpublished"]),
        ([run(9, details=LISTED)], ["unknown", "unknown"]),
        ([run(9, details=OLDER)], ["unknown", "unknown"]),
        ([run(9, details=RENAMED), run(2)], ["uncrawled", "uncrawled"]),
        ([run(9, details=RENAMED | {"rules": {"kind": "template", "name": "x"}})], ["unknown"] * 2),
    ],
)
def test_reasons(runs: list[CrawlRun], expected: list[Cause]) -> None:
    assert causes(*runs) == ["", "flagged", "incomplete", "unquoted", *expected]
