"""Values extracted from a page, by field, with their evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import NamedTuple, Self

from focuscrawl.templates.names.organisations import NameEvidence
from focuscrawl.templates.template_model import ExtractionField, FieldType


class Value(NamedTuple):
    """A value in normal form, as printed (``raw``), and its confidence (0 to 1)."""

    value: str
    raw: str
    confidence: float


@dataclass(frozen=True)
class PageValues:
    """Values of a page by field, the surest first.

    ``region`` is the text of the heaviest blocks: changes elsewhere on the page do not affect it.
    ``names`` is the evidence for the site's owner, to be weighed together with that of other pages.
    """

    title: str
    values: Mapping[str, tuple[Value, ...]]
    region: str
    names: tuple[NameEvidence, ...] = ()

    def to_json(self) -> str:
        """Return the reading as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the reading that :meth:`to_json` wrote."""
        data = json.loads(text)
        values = {
            field: tuple(Value(*value) for value in values)
            for field, values in data["values"].items()
        }
        names = tuple(NameEvidence(*name) for name in data["names"])
        return cls(data["title"], values, data["region"], names)


# Value found in a text, with its offsets and confidence.


class PlacedValue(NamedTuple):
    """A value at ``text[start:end]``; ``value`` is its normal form, ``sure`` is from 0 to 1.

    ``key`` is equal for two forms of one value.
    """

    start: int
    end: int
    value: str
    sure: float
    key: str


# Candidate values of a field, with their confidence.


class ValueCandidate(NamedTuple):
    """A value of ``field`` in row ``row`` of a page; ``sure`` (0 to 1) before weighting by the row."""

    field: str
    found: PlacedValue
    raw: str
    row: int
    sure: float


SAME_LINE = 1.0
OPEN_LABEL = 0.9
NEXT_CELL = 0.95
NEXT_LINE = 0.9
LINE_BEFORE = 0.8
GOES_ON = 0.8
"""Confidence that a value belongs to a label, by its position relative to the label."""


# Choice of the values of each field from all candidates.

_FLOOR = 0.45  # candidates with less confidence are dropped
_AGAIN = 0.03
_WITHOUT_ROW = 0.5
_ALIKE = 0.8
_MOST = 50
_NUMBER = re.compile(r"\d+")
_TEXTS = frozenset({FieldType.ADDRESS, FieldType.ORGANISATION})


def chosen(
    candidates: Sequence[ValueCandidate],
    weights: Sequence[float],
    fields: Mapping[str, ExtractionField],
) -> dict[str, tuple[Value, ...]]:
    """Return the values of each field that has any, the surest first.

    ``weights`` are those of the rows of the page; candidates with a negative row are in none.
    """
    best: dict[str, dict[str, Value]] = {name: {} for name in fields}
    for candidate in candidates:
        weight = weights[candidate.row] if candidate.row >= 0 else _WITHOUT_ROW
        sure = candidate.sure * (0.6 + 0.4 * weight)
        known = best[candidate.field].get(candidate.found.key)
        value = Value(candidate.found.value, candidate.raw, sure)
        if known:
            value = max(value, known, key=lambda v: v.confidence)
            value = value._replace(confidence=min(value.confidence + _AGAIN, 0.99))
        best[candidate.field][candidate.found.key] = value
    return {name: values for name, field in fields.items() if (values := _kept(best[name], field))}


def _kept(values: Mapping[str, Value], field: ExtractionField) -> tuple[Value, ...]:
    sure = [(key, value) for key, value in values.items() if value.confidence >= _FLOOR]
    ordered = sorted(sure, key=lambda item: -item[1].confidence)[:_MOST]
    kept = distinct(ordered, field)
    return tuple(
        value._replace(confidence=round(value.confidence, 3))
        for value in (kept if field.many else kept[:1])
    )


def distinct(ordered: Iterable[tuple[str, Value]], field: ExtractionField) -> list[Value]:
    """Return the values without other forms of the same; takes keys and values, the surest first."""
    kept: list[tuple[str, Value]] = []
    for key, value in ordered:
        at = next((at for at, (known, _) in enumerate(kept) if is_same(known, key, field.type)), -1)
        if at < 0:
            kept.append((key, value))
        elif len(key) > len(kept[at][0]) and field.type is FieldType.PHONE:
            # The longer form of a telephone number includes the area code.
            kept[at] = key, value._replace(confidence=kept[at][1].confidence)
    return [value for _, value in kept]


def is_same(one: str, other: str, type_: FieldType) -> bool:
    """Return whether two keys are forms of the same value."""
    if one == other:
        return True
    if type_ is FieldType.PHONE:
        short, long = sorted((one, other), key=len)
        return 7 <= len(short) <= 8 and long.startswith("0") and long.endswith(short)
    if type_ in _TEXTS:
        if one in other or other in one:
            return True
        if type_ is FieldType.ADDRESS and not one.isascii() and _are_neighbours(one, other):
            return False
        return _are_alike(SequenceMatcher(None, one, other, autojunk=False))
    return False


def _are_alike(texts: SequenceMatcher[str]) -> bool:
    # The ratio takes quadratic time; the others are quick upper bounds of it.
    bounds = (texts.real_quick_ratio, texts.quick_ratio, texts.ratio)
    return all(ratio() > _ALIKE for ratio in bounds)


def _are_neighbours(one: str, other: str) -> bool:
    """Return whether each of two addresses has a number that the other lacks: 文三路100号, 文三路102号."""
    first, second = (set(_NUMBER.findall(address)) for address in (one, other))
    return bool(first - second) and bool(second - first)
