"""Tag weights: the evidence that a line belongs to the contact data of a page.

Tag-weight analysis: the weight of a line depends on the labels and values in it and in the lines
around it, on its tag, its place on the page, and its length; the heaviest lines are the region.
"""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.templates.extraction.lines.label_scopes import Row
from focuscrawl.templates.extraction.lines.page_blocks import Place

_PLACE = {
    Place.BODY: 1.0,
    Place.HEADER: 0.8,
    Place.FOOTER: 0.8,
    Place.NAVIGATION: 0.6,
    Place.HIDDEN: 0.3,
}
_TAG = {"address": 1.5, "td": 1.2, "th": 1.2, "dd": 1.2, "dt": 1.2, "li": 1.1}
_LABELLED, _VALUE, _LABEL = 1.0, 0.7, 0.2
_FULL = 2.0
_FADING = 0.75
_LONG = 120
_LONGEST_REGION = 20_000  # characters: readings travel with requests
_IN_REGION = 0.4


def weigh(rows: Sequence[Row]) -> list[float]:
    """Return the weight of each row, 0 to 1; 1 is that of the heaviest on a page with contact data."""
    own = [_own(row) for row in rows]
    forward = _faded(own)
    backward = _faded(own[::-1])[::-1]
    weights = [
        (before + after - self_) * _PLACE[row.line.block.place]
        for row, self_, before, after in zip(rows, own, forward, backward, strict=True)
    ]
    heaviest = max(weights, default=0.0)
    return [weight / max(heaviest, _FULL) for weight in weights]


def region(rows: Sequence[Row], weights: Sequence[float]) -> str:
    """Return the text of the lines with labels or values; of all lines if none has any.

    Neighbouring lines are excluded, however heavy: they contain news and counters, which change
    every day.
    """
    heavy = [
        row.line.text.strip()
        for row, weight in zip(rows, weights, strict=True)
        if row.labelled
        or row.values
        or (weight >= _IN_REGION and any(scope.fields for scope in row.scopes))
    ]
    return "\n".join(heavy or [row.line.text.strip() for row in rows])[:_LONGEST_REGION]


def _own(row: Row) -> float:
    labels = sum(bool(scope.fields) for scope in row.scopes)
    weight = _LABELLED * row.labelled + _VALUE * row.values + _LABEL * min(labels, 3)
    tag = _TAG.get(row.line.block.tag, 1.0)
    return weight * tag * min(1.0, _LONG * max(row.labelled, 1) / max(len(row.text), 1))


def _faded(weights: Sequence[float]) -> list[float]:
    sums, total = [], 0.0
    for weight in weights:
        total = total * _FADING + weight
        sums.append(total)
    return sums
