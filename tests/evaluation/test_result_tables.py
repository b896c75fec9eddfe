"""Tables as text and CSV, and pictures."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Interval
from focuscrawl.evaluation.links import evaluation_report as plots
from focuscrawl.evaluation.result_tables import ResultTable

TABLE = ResultTable(
    "quality",
    "Two classifiers",
    ("classifier", "links", "F1", "AUC"),
    [("nb", 50856, Interval(0.71234, 0.6, 0.8), 0.9), ("long name", 7, float("nan"), float("nan"))],
    "Measured by hand.",
)


def test_text_is_aligned() -> None:
    assert TABLE.as_text().splitlines() == [
        "Two classifiers",
        "-----------------------------------------------",
        "classifier   links                    F1    AUC",
        "-----------------------------------------------",
        "nb          50,856  0.712 [0.600, 0.800]  0.900",
        "long name        7                     -      -",
        "Measured by hand.",
    ]


def test_csv_keeps_all_digits(tmp_path: Path) -> None:
    path = TABLE.write(tmp_path)
    assert path.name == "quality.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert rows[0]["F1"] == "0.71234"
    assert rows[0]["F1 high"] == "0.8"
    assert rows[0]["links"] == "50856"
    assert rows[1]["F1"] == rows[1]["F1 low"] == rows[1]["AUC"] == ""


def test_a_folder_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"cannot write .*; name a folder"):
        TABLE.write(tmp_path / "none")
    with pytest.raises(ArgumentError, match=r"cannot write .*; name a folder"):
        plots.bars(tmp_path / "none" / "x.png", "Bars", "F1", [plots.Bar("a", Interval(1, 0, 2))])
