"""Types of command-line options."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.command_support.option_types import (
    day,
    names_of,
    numbers,
    past_day,
    recordings,
    seconds,
    whole_number,
    whole_numbers,
)


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (whole_number(0, 20), "0", 0),
        (whole_number(0, 20), "20", 20),
        (seconds, "0.5", 0.5),
        (day, "2020-02-29", date(2020, 2, 29)),
        (past_day, f"{date.today()}", date.today()),
        (names_of(("nb", "svm")), "svm, nb", ("svm", "nb")),
        (numbers(0, 1), "0.5, 1,.5", (0.5, 1)),
        (whole_numbers(1, 16), "16, 1,16", (16, 1)),
        (
            recordings,
            f"{__file__}, {Path(__file__).parent},",
            [Path(__file__), Path(__file__).parent],
        ),
    ],
)
def test_what_is_right_is_converted(parse: Callable[[str], Any], text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (whole_number(2, 20), "1", "'1' is not a whole number from 2 to 20"),
        (whole_number(2, 20), "-3", "'-3' is not"),
        (whole_number(2, 20), "三", "'三' is not"),
        (whole_number(2, 20), "²", "'²' is not"),
        (whole_number(2, 20), "9" * 5000, "is not a whole number"),
        (whole_numbers(1, 16), "1,17", "'17' is not a whole number from 1 to 16"),
        (numbers(0, 1), "nan", "'nan' is not a comma-separated list of numbers from 0 to 1"),
        (numbers(0, 1), "0,1.5", "'0,1.5' is not"),
        (numbers(0, 1), "", "'' is not"),
        (recordings, " ,", "no recording is named; give WARC files, comma-separated"),
        (recordings, f"{__file__},w", "there is no file w; give WARC files, comma-separated"),
        (recordings, "w" * 5000, "there is no file ww"),
        (seconds, "nan", "'nan' is not a number of at least 0"),
        (seconds, "inf", "'inf' is not"),
        (seconds, "-1", "'-1' is not"),
        (seconds, "半", "'半' is not"),
        (day, "20260302", "'20260302' is not a date; write it as 2026-03-05"),
        (day, "2026/03/02", "is not a date"),
        (day, "2021-02-29", "is not a date"),
        (day, "", "'' is not a date"),
        (past_day, f"{date.today() + timedelta(days=1)}", "is in the future; today is"),
        (
            names_of(("nb", "svm")),
            "nb,树",
            "'树' is not allowed; choose from nb,svm, each at most once",
        ),
        (names_of(("nb", "svm")), "nb,nb", "'nb,nb' is not allowed"),
        (names_of(("nb", "svm")), " ,", "' ,' is not allowed"),
    ],
)
def test_what_is_wrong_is_named(parse: Callable[[str], Any], text: str, said: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        parse(text)
    assert said in str(caught.value)
