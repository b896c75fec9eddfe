"""Quotes of the rules alone, written shortly."""

from __future__ import annotations

from focuscrawl.prices import read_quotes
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.reading_models import SignModel

_TREE = [["by rule", 1, 2, 0.0], ["", 0, 0, -9.0], ["", 0, 0, 9.0]]
# A model that takes what the rules have read, and no figure that they leave out.
RULES = PriceModel(
    0.0, [_TREE], 0.0, 0.01, goods=SignModel(0.0, [_TREE]), units=SignModel(0.0, [_TREE])
)


def quotes(text: str, title: str = "玉米价格") -> list[str]:
    """Return the quotes of a text as ``mention low[-high] unit``."""
    found = read_quotes(text, title=title, threshold=0, model=RULES)
    return [
        f"{q.mention} {q.price_low:f}"
        + (f"-{q.price_high:f}" if q.price_high != q.price_low else "")
        + f" {q.unit.removeprefix('yuan/')}"
        for q in found
    ]
