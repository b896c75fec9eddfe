"""Quotes of the rules alone, written shortly."""

from __future__ import annotations

from focuscrawl.prices import read_quotes
from focuscrawl.prices.confidence.price_model import PriceModel

RULES = PriceModel(0.0, [], 0.0, 0.0)


def quotes(text: str, title: str = "玉米价格") -> list[str]:
    """Return the quotes of a text as ``mention low[-high] unit``."""
    found = read_quotes(text, title=title, threshold=0, model=RULES)
    return [
        f"{q.mention} {q.price_low:f}"
        + (f"-{q.price_high:f}" if q.price_high != q.price_low else "")
        + f" {q.unit.removeprefix('yuan/')}"
        for q in found
    ]
