"""The matching of quotes with labels."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.evaluation.prices.labelled_texts import LabelledQuote, read_labelled
from focuscrawl.evaluation.prices.price_evaluation import judge
from focuscrawl.evaluation.prices.price_tables import quality_row
from focuscrawl.evaluation.prices.quote_matching import are_goods, matching
from focuscrawl.evaluation.result_tables import Interval
from focuscrawl.prices import read_quotes
from tests.prices.test_labelled_prices import LABELS

TEXT = "长春玉米1690元/吨，四平玉米1700元/吨。"


def label(name: str, price: float, *, is_scored: bool = True) -> LabelledQuote:
    return LabelledQuote((name,), price, price, is_scored, "玉米", {})


def test_a_quote_needs_the_price_and_a_part_of_the_name() -> None:
    quotes = read_quotes(TEXT)
    found = matching(quotes, [label("吉林长春", 1690.4), label("四平", 1710)])
    assert [(reading.name, at.names) for reading, at in found.pairs] == [("长春", ("吉林长春",))]
    assert [reading.name for reading in found.wrong] == ["四平"]
    assert [missed.names for missed in found.missed] == [("四平",)]


def test_what_is_not_scored_is_neither_missed_nor_wrong() -> None:
    quotes = read_quotes(TEXT)
    found = matching(
        quotes, [label("长春", 1690, is_scored=False), label("四平", 9, is_scored=False)]
    )
    assert (len(found.pairs), len(found.missed), len(found.ignored)) == (0, 0, 1)
    assert [reading.name for reading in found.spurious] == ["四平"]


def test_other_goods_are_a_wrong_quote_and_kinds_of_them_a_right_one() -> None:
    quotes = read_quotes("长春玉米1690元/吨。")
    wheat, maize = (replace(label("长春", 1690), commodity=goods) for goods in ("小麦", "苞米"))
    found = matching(quotes, [wheat])
    assert (len(found.pairs), len(found.wrong), found.missed) == (0, 1, [wheat])
    assert len(matching(quotes, [maize]).pairs) == 1
    assert are_goods("蔬菜", "大蒜")
    assert are_goods("大蒜", "蔬菜")
    assert are_goods("草甘膦", "农药")
    assert not are_goods("大葱", "大蒜")
    assert are_goods("水果", "梨")
    assert not are_goods("", "玉米")


def test_a_second_quote_of_one_label_is_ignored_and_the_largest_matching_is_found() -> None:
    quotes = read_quotes("长春玉米1690元/吨。\n长春市玉米1690元/吨。\n长春玉米1690元/吨。")
    found = matching(quotes, [label("长春", 1690), label("长春市", 1690)])
    assert (len(found.pairs), len(found.ignored), found.missed) == (2, 1, [])


@pytest.mark.skipif(
    not LABELS.is_dir(), reason="the hand-made labels are not beside the repository"
)
@pytest.mark.parametrize("name", ["web", "web2"])
def test_it_agrees_with_the_scorer_of_the_labels(name: str, tmp_path: Path) -> None:
    texts = read_labelled(LABELS / f"{name}_texts.jsonl", LABELS / f"truth_{name}.csv")
    # That scorer does not look at goods.
    bare = [replace(t, labels=[replace(x, commodity="") for x in t.labels]) for t in texts]
    judged = judge(bare)
    predictions = tmp_path / "predictions.csv"
    with predictions.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        first = judged[0].outcome.pairs[0][0]
        prices = ["price_yuan_per_ton_low", "price_yuan_per_ton_high"]
        writer.writerow(["source_id", "mention", *prices, *first.fields])
        for each in judged:
            out = each.outcome
            readings = [pair[0] for pair in out.pairs] + out.wrong + out.spurious + out.ignored
            for r in readings:
                writer.writerow([each.text.source_id, r.name, r.low, r.high, *r.fields.values()])
    command = [
        sys.executable,
        LABELS / "score.py",
        LABELS / f"truth_{name}.csv",
        predictions,
        "--json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout)
    quotes, _, _, f1, *errors = quality_row(judged)
    assert isinstance(f1, Interval)
    assert quotes == theirs["truth_rows"]
    assert f1.estimate == pytest.approx(theirs["all"]["f1"], abs=1e-4)
    assert errors == [theirs["wrong_price"], theirs["spurious"], theirs["all"]["fn"]]
