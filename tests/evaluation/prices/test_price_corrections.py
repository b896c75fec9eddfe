"""Adaptation of the model to a user's corrections."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.prices.price_corrections import adapted
from focuscrawl.prices import read_quotes
from focuscrawl.prices.confidence.price_model import load_model
from tests.evaluation.prices.invented_texts import write_texts


def test_corrections_teach_what_is_no_quote(tmp_path: Path) -> None:
    texts, labels = write_texts(tmp_path)
    found = adapted(load_model(), texts, labels)
    assert (found.texts, found.quotes, found.right_after) == (64, 64, 64)
    assert found.doubtful_after >= found.doubtful_before
    text = "桦甸玉米1720元/吨。市场人士介绍，前些时候大家议论，1650元/吨就有人动心。"
    before = read_quotes(text, title="玉米价格", threshold=0)
    after = read_quotes(text, title="玉米价格", threshold=0, model=found.model)
    assert after[0].confidence is not None
    assert after[-1].confidence is not None
    assert before[-1].confidence is not None
    assert after[-1].confidence < before[-1].confidence
    assert after[0].confidence > after[-1].confidence


HEAD = "source_id,mention,price_yuan_per_ton_low,price_yuan_per_ton_high,span\n"


def files(folder: Path, texts: str, labels: str) -> tuple[Path, Path]:
    (folder / "t.jsonl").write_text(texts, "utf-8")
    (folder / "l.csv").write_text(labels, "utf-8")
    return folder / "t.jsonl", folder / "l.csv"


def test_a_name_that_no_list_has_becomes_known(tmp_path: Path) -> None:
    text = '{"source_id": "a", "title": "玉米价格", "text": "惠丰园1.105，五里堡1.1元/斤。"}'
    rows = "a,惠丰园,2210,2210,惠丰园1.105\na,五里堡,2200,2200,五里堡1.1元/斤\n"
    found = adapted(load_model(), *files(tmp_path, text, HEAD + rows))
    assert {"惠丰园", "五里堡"} <= found.model.names


def test_a_text_that_has_changed_is_left_out(tmp_path: Path) -> None:
    line = '{"source_id": "a", "text": "长春玉米1690元/吨"}\n'
    both = line + line.replace('"a"', '"b"')
    right, changed = (
        "a,长春,1690,1690,长春玉米1690元/吨\n", "b,四平,1700,1700,四平玉米1700元/吨\n",
    )  # fmt: skip
    found = adapted(load_model(), *files(tmp_path, both, HEAD + right + changed))
    assert (found.texts, found.changed) == (1, ["b"])
    with pytest.raises(ArgumentError, match="has no row that stands in a text of"):
        adapted(load_model(), *files(tmp_path, both, HEAD + changed))


@pytest.mark.parametrize("columns", [("printed",), ("per_ton",), ("printed", "per_ton")])
def test_a_price_may_be_corrected_as_printed_or_per_ton(
    tmp_path: Path, columns: tuple[str, ...]
) -> None:
    text = '{"source_id": "a", "text": "长春玉米1.14元/斤，四平1.15元/斤"}\n'
    printed = "1.04" if "printed" in columns else "1.14"
    per_ton = "2080" if "per_ton" in columns else "2280"
    rows = (
        "source_id,mention,price_low,price_high,unit,price_yuan_per_ton_low,price_yuan_per_ton_high,span\n"
        f"a,长春,{printed},{printed},yuan/jin,{per_ton},{per_ton},长春玉米1.14元/斤\n"
        "a,四平,1.15,1.15,yuan/jin,2300,2300,四平1.15元/斤\n"
    )
    found = adapted(load_model(), *files(tmp_path, text, rows))
    assert (found.quotes, found.right_before) == (2, 1)
