"""Explanation of each quote of a text: what speaks for it and against it."""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.quote_confidence import confident
from focuscrawl.prices.names.firm_aliases import AliasTable
from focuscrawl.prices.quote_checks import plain
from focuscrawl.prices.quote_reader import read_document

_MOST = 8  # signs of one quote


def explained(
    source_id: str, text: str, title: str, aliases: AliasTable, model: PriceModel
) -> Iterator[str]:
    """Yield the lines about each figure that the rules or the model take for a quote.

    The shares of the signs are in log-odds; +0.7 doubles the odds that the reading is right.
    """
    document = read_document(text, title, aliases.names | model.names)
    for draft in confident(document, model):
        confidence = draft.confidence or 0.0
        low, high = plain(draft.figure.low), plain(draft.figure.high)
        price = f"{low:f}" if low == high else f"{low:f}-{high:f}"
        verdict = (
            "left out"
            if confidence < model.least
            else "not trusted"
            if confidence < model.threshold
            else "trusted"
        )
        yield f"{source_id}: {draft.subject.mention} {price} {draft.unit.name}, {confidence:.2f}, {verdict}\n"
        span = " ".join(document.text[draft.span_start : draft.end].split())
        yield f"  {span}\n"
        reasons = [*model.reasons_of(draft.context), *model.reasons(draft.signs)]
        reasons.sort(key=lambda reason: -abs(reason[1]))
        yield from (f"  {share:+.2f} {sign}\n" for sign, share in reasons[:_MOST])
