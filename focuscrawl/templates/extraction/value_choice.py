"""Choice of the values of each field from all candidates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from focuscrawl.templates.extraction.page_values import Value
from focuscrawl.templates.extraction.value_candidates import Candidate
from focuscrawl.templates.template_model import ExtractionField, FieldType

_FLOOR = 0.45  # candidates with less confidence are dropped
_AGAIN = 0.03
_WITHOUT_ROW = 0.5
_ALIKE = 0.8
_MOST = 50
_NUMBER = re.compile(r"\d+")
_TEXTS = frozenset({FieldType.ADDRESS, FieldType.ORGANISATION})


def chosen(
    candidates: Sequence[Candidate],
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
