"""Accuracy of the types of entities on quotes that were judged by hand before the rules read them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from focuscrawl.prices import read_quotes
from tests.prices.test_labelled_prices import LABELS, Text, web_texts, yz88_texts

JUDGED = Path(__file__).with_name("judged_entities.csv")

pytestmark = pytest.mark.skipif(
    not LABELS.is_dir(), reason=f"the hand-made labels are not beside the repository ({LABELS})"
)


def web2_texts() -> Iterator[Text]:
    with (LABELS / "web2_texts.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield row["source_id"], row["title"], row["text"]


@lru_cache(maxsize=1)
def types_read() -> dict[tuple[str, str, str], str]:
    texts = [*web_texts(), *web2_texts(), *yz88_texts()]
    return {
        (identity, str(quote.text_start), quote.mention): quote.entity_type
        for identity, title, text in texts
        for quote in read_quotes(text, title=title, threshold=0)
    }


# The rules were written with the sites of "tuned" in view only: 164 of 164 and 117 of 120 are right.
@pytest.mark.slow
@pytest.mark.parametrize(("split", "least"), [("tuned", 0.98), ("held_out", 0.95)])
def test_share_of_right_types(split: str, least: float) -> None:
    with JUDGED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == split]
    found = types_read()
    pairs = [
        (found[key], row)
        for row in rows
        if (key := (row["text"], row["text_start"], row["mention"])) in found
    ]
    right = [row for read, row in pairs if read in (row["type"], row["also_right"])]
    # Names that the choice has read otherwise have no judged type.
    assert len(pairs) >= 0.8 * len(rows)
    assert len(right) >= least * len(pairs)
