"""Texts read with a least confidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.prices import READERS, reading_task
from focuscrawl.prices.reading_task import ReaderSettings, read_text

TEXT = (
    "2月8日山东寿光金玉米收购价0.81元/斤，诸城兴贸0.80元/斤，西王糖业0.82元/斤，滨州金汇0.79元/斤。"
)
CONFIDENCES = (None, 0.4, 0.6, 0.2)


@pytest.fixture
def sure_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that gives the confidences above, and a flag to the last quote."""

    def read(text: str, **options: Any) -> list[Any]:
        found = rules(text, **options)
        quotes = [replace(q, confidence=c) for q, c in zip(found, CONFIDENCES, strict=True)]
        return [*quotes[:3], replace(quotes[3], flag="区间过宽")]

    rules = READERS["rules"]
    monkeypatch.setattr(reading_task, "READERS", {"rules": read})


@pytest.mark.usefixtures("sure_reader")
def test_quotes_below_the_least_confidence_get_a_flag() -> None:
    quotes = read_text(ReaderSettings("rules", None, 0.5), TEXT, "", date(2017, 2, 8))
    assert [quote.flag for quote in quotes] == ["", "可信度 0.40", "", "区间过宽"]


@pytest.mark.usefixtures("sure_reader")
def test_no_quote_is_flagged_where_none_has_to_be_sure() -> None:
    quotes = read_text(ReaderSettings("rules", None, 0), TEXT, "", date(2017, 2, 8))
    assert [quote.flag for quote in quotes] == ["", "", "", "区间过宽"]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (ReaderSettings("gold", None, 0.5), "FOCUSCRAWL_READER"),
        (ReaderSettings("rules", None, 1.5), "FOCUSCRAWL_PRICE_CONFIDENCE"),
        (ReaderSettings("rules", None, float("nan")), "FOCUSCRAWL_PRICE_CONFIDENCE"),
    ],
)
def test_values_that_cannot_be_used_are_named(settings: ReaderSettings, name: str) -> None:
    with pytest.raises(ArgumentError, match=name):
        settings.check()
