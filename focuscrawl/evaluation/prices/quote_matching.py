"""Matching of the quotes that were read with those that were labelled.

A quote matches a label if its goods and its price agree, within half a yuan per ton, and its mention contains one
of the label's names or is contained in it; a contained name has two characters or more, and a mention
may be at most 20 characters longer than the name. Matching is one to one and of maximum size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.evaluation.prices.labelled_texts import FIELDS, LabelledQuote, normal
from focuscrawl.items import Quote
from focuscrawl.prices.tokens.bulletin_words import commodities

_TOLERANCE = 0.5  # yuan per ton
_LONGER = 20
_SHORTEST = 2


class ComparedQuote(NamedTuple):
    """A quote as it is compared: its name, its price and its fields as text."""

    quote: Quote
    name: str
    low: float
    high: float
    fields: dict[str, str]


@dataclass(slots=True)
class Matching:
    """Outcome for one text. ``wrong`` prices have a name of the text, ``spurious`` ones have none.

    ``ignored`` are those that hit a label that is not scored, or one that is matched already.
    """

    pairs: list[tuple[ComparedQuote, LabelledQuote]] = field(default_factory=list)
    missed: list[LabelledQuote] = field(default_factory=list)
    wrong: list[ComparedQuote] = field(default_factory=list)
    spurious: list[ComparedQuote] = field(default_factory=list)
    ignored: list[ComparedQuote] = field(default_factory=list)


def reading_of(quote: Quote) -> ComparedQuote:
    """Return a quote as it is compared."""
    low, high = float(quote.price_yuan_per_ton_low), float(quote.price_yuan_per_ton_high)
    return ComparedQuote(quote, normal(quote.mention), low, high, {
        "primary": "1" if quote.is_primary else "0",
        "change": stated_change(quote),
        "moisture": quote.moisture,
        "region": quote.region,
        "condition": quote.goods_condition,
        "unit": quote.unit,
    })  # fmt: skip


def stated_change(quote: Quote) -> str:
    """Return the change as labels have it: ``+0.01``, ``-22..-6``, or nothing."""
    low, high = quote.price_change, quote.price_change_high
    if low is None:
        return ""
    return f"{low:+f}" if high is None else f"{low:+f}..{high:+f}"


def matching(quotes: Sequence[Quote], labels: Sequence[LabelledQuote]) -> Matching:
    """Return which quotes of one text match which labels."""
    readings = [reading_of(quote) for quote in quotes]
    scored = [label for label in labels if label.is_scored]
    others = [label for label in labels if not label.is_scored]
    edges = [
        sorted(
            (j for j, label in enumerate(scored) if _matches(reading, label)),
            key=lambda j, reading=reading: _distance(reading, scored[j]),  # type: ignore[misc]
        )
        for reading in readings
    ]
    owner = _largest(edges, len(scored))
    taken = {i: j for j, i in enumerate(owner) if i >= 0}
    found = Matching(
        pairs=[(readings[i], scored[j]) for i, j in sorted(taken.items())],
        missed=[label for label, i in zip(scored, owner, strict=True) if i < 0],
    )
    for i, reading in enumerate(readings):
        if i in taken:
            continue
        if edges[i] or any(_matches(reading, label) for label in others):
            found.ignored.append(reading)
        elif any(is_named(reading.name, label) for label in scored):
            found.wrong.append(reading)
        else:
            found.spurious.append(reading)
    return found


def _matches(reading: ComparedQuote, label: LabelledQuote) -> bool:
    low, high = abs(reading.low - label.low), abs(reading.high - label.high)
    is_price = low <= _TOLERANCE and high <= _TOLERANCE
    has_goods = not label.commodity or are_goods(reading.quote.commodity, label.commodity)
    return is_price and is_named(reading.name, label) and has_goods


_KINDS = {
    "蔬菜": "马铃薯 大葱 大蒜 辣椒 生姜 红薯", "水果": "苹果", "禽肉": "毛鸡 鸡肉 毛鸭 鸭肉", "牛羊肉": "牛肉 羊肉",
    "化肥": "尿素 二铵 一铵 复合肥 钾肥 氯化铵 硫酸铵", "农药": "草甘膦 草铵膦 莠去津 百草枯",
}  # fmt: skip
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}


def are_goods(commodity: str, named: str) -> bool:
    """Return whether goods of the reader's list are what a label names, or one is a kind of the other.

    Vegetables are right for a label of garlic, and garlic for one of vegetables.
    """
    table = commodities()
    label = normal(named)
    known = table.get(label)
    if known is not None or label in _KINDS:
        name = known.name if known else label
        return name in (commodity, _KIND_OF.get(commodity)) or _KIND_OF.get(name) == commodity
    own = [commodity, *(word for word, goods in table.items() if goods.name == commodity)]
    return bool(commodity) and any(label in word or word in label for word in own)


def is_named(name: str, label: LabelledQuote) -> bool:
    """Return whether a name, as compared, is one of a label's."""
    return any(
        (len(n) >= _SHORTEST and n in name and len(name) - len(n) <= _LONGER)
        or (len(name) >= _SHORTEST and name in n)
        for n in label.names
    )


def _distance(reading: ComparedQuote, label: LabelledQuote) -> tuple[bool, int, int]:
    """Return a key by which the label that is most like a reading comes first."""
    unlike = sum(normal(reading.fields[f]) != normal(label.fields.get(f)) for f in FIELDS)
    return reading.name not in label.names, unlike, -len(label.names[0] if label.names else "")


def _largest(edges: Sequence[Sequence[int]], count: int) -> list[int]:
    """Return the left node of each of ``count`` right nodes, -1 for none, in a largest matching.

    Augmenting paths (Kuhn 1955), with a stack of their own in place of recursion.
    """
    owner = [-1] * count
    for left in range(len(edges)):
        seen: set[int] = set()
        path: list[tuple[int, int]] = []
        stack = [(left, iter(edges[left]))]
        while stack:
            node, right_ones = stack[-1]
            right = next((r for r in right_ones if r not in seen), -1)
            if right < 0:
                stack.pop()
                path = path[:-1]
                continue
            seen.add(right)
            path.append((node, right))
            if owner[right] < 0:
                for giver, taken in path:
                    owner[taken] = giver
                break
            stack.append((owner[right], iter(edges[owner[right]])))
    return owner
