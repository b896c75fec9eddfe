"""Goods and units that the price of a figure may be of, and the signs of each, for learned choices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from focuscrawl.prices.figures.moisture_and_condition import commodity_of
from focuscrawl.prices.tokens.bulletin_words import (
    BulletinLexicon,
    Commodity,
    commodities_by_name,
)
from focuscrawl.prices.tokens.implied_unit import IMPLIED_UNITS, fits
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE, TokenKind

_FITS = ((1.25, "close to"), (1.6, "near"), (2.5, "far from"))
_NAMING = frozenset({TokenKind.COMMODITY, TokenKind.CONTRACT, TokenKind.GRADE, TokenKind.VARIETY})
_MOST_BETWEEN = 12  # tokens whose kinds are signs
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_BEGINNING = 800  # characters that tell what a text is about


class GoodsOption(NamedTuple):
    """Goods, or None for unknown ones, and the signs of them for one figure."""

    commodity: Commodity | None
    signs: tuple[str, ...]


def named_goods(tokens: Sequence[Token], words: BulletinLexicon) -> list[tuple[int, Commodity]]:
    """Return the goods that a line names, with the index of their token."""
    found = (
        (at, commodity_of(tokens[max(0, at - 1) : at + 1], words))
        for at, token in enumerate(tokens)
        if token.kind in _NAMING
    )
    return [(at, goods) for at, goods in found if goods is not None]


def goods_options(
    tokens: Sequence[Token],
    index: int,
    segment: tuple[int, int],
    named: Sequence[tuple[int, Commodity]],
    elsewhere: Mapping[str, Commodity | None],
    price: Decimal,
    by_rule: tuple[Commodity | None, str],
) -> list[GoodsOption]:
    """Return the goods that the figure ``tokens[index]`` may be the price of.

    ``segment`` is the first token of the piece with the figure and the one behind it, ``named`` are
    the goods of the line, ``elsewhere`` those of other places, ``price`` is in yuan per ton. ``by_rule`` are
    those of the rules, and how these found them.
    """
    rule, how = by_rule
    signs: dict[Commodity | None, list[str]] = {
        rule: ["by rule", *([f"by rule, {how}"] if how else [])]
    }
    before = [(at, goods) for at, goods in named if at < index]
    seen: set[Commodity] = set()
    for order, (at, goods) in enumerate(reversed(before)):
        if goods not in seen:
            seen.add(goods)
            own = _signs_before(tokens, at, index, segment, order)
            signs.setdefault(goods, []).extend(own)
    for at, goods in named:
        if index < at < segment[1]:
            signs.setdefault(goods, []).append("goods behind")
    if before:
        signs[before[0][1]].append("first goods of the line")
    for where, found in elsewhere.items():
        if found is not None:
            signs.setdefault(found, []).append(f"goods of {where}")
    shared = [f"{min(len(signs), 4)} possible goods", *(["goods in line"] if before else [])]
    return [
        GoodsOption(goods, (*own, *shared, *_fit(price, goods))) for goods, own in signs.items()
    ]


_STEPS = (-4, -3, -2, -1, 0, 1)


def text_words(title: str, plain: str) -> frozenset[str]:
    """Return the pairs of Chinese characters in a title and at the beginning of its text."""
    words = _CHINESE.findall(title) + _CHINESE.findall(plain[:_BEGINNING])
    return frozenset(a + b for word in words for a, b in pairwise(word))


def with_text_words(
    options: Sequence[GoodsOption], odds: Mapping[str, float], price: Decimal
) -> list[GoodsOption]:
    """Return goods with signs of what the words of the text say, and the ones that these tell best.

    ``odds`` are the log-odds of some goods by the text's words.
    """
    if not odds:
        return list(options)
    best = max(odds, key=odds.__getitem__)
    found = commodities_by_name().get(best)  # None if the model is of another list of goods
    if found is not None and all(option.commodity != found for option in options):
        options = [*options, GoodsOption(found, ("only by text words", *_fit(price, found)))]
    return [
        option._replace(signs=(*option.signs, *_of_words(option.commodity, odds, best)))
        for option in options
    ]


def _of_words(goods: Commodity | None, odds: Mapping[str, float], best: str) -> list[str]:
    if goods is None or goods.name not in odds:
        return ["no text words", f"best text words {_step(odds[best])}"]
    own = odds[goods.name]
    signs = [f"text words, {step} or more" for step in _STEPS if own >= step]
    return [*signs, *(["best text words"] if goods.name == best else [])]


def _step(odds: float) -> int:
    return max((step for step in _STEPS if odds >= step), default=_STEPS[0] - 1)


def _signs_before(
    tokens: Sequence[Token], at: int, index: int, segment: tuple[int, int], order: int
) -> list[str]:
    between = tokens[at + 1 : index]
    prices = sum(token.kind in PRICE_LIKE for token in between)
    is_own = at >= segment[0]
    return [
        f"goods back {min(order, 3)}",
        "goods in own segment" if is_own else "goods in another segment",
        f"{min(prices, 3)} prices behind the goods",
        f"goods are {tokens[at].kind}",
        f"goods followed by {between[0].kind if between else 'the figure'}",
        *(f"goods preceded by {token.kind}" for token in tokens[at - 1 : at] if at),
        *sorted({f"goods, then {token.kind}" for token in between[:_MOST_BETWEEN]}),
    ]


def _fit(price: Decimal, goods: Commodity | None) -> list[str]:
    """Return how a price is to the usual one of the goods."""
    if goods is None:
        return ["no goods"]
    is_possible = goods.low <= price <= goods.high
    near = f"price {_nearness(price, goods.usual)} the usual one"
    return [near, *([] if is_possible else ["impossible price"])]


def _nearness(price: Decimal, other: Decimal) -> str:
    ratio = price / other if price > other else other / max(price, Decimal(1))
    return next((word for most, word in _FITS if ratio < most), "unlike")


class UnitOption(NamedTuple):
    """A unit of yuan per weight, and the signs of it for one figure."""

    unit: Unit
    signs: tuple[str, ...]


def unit_options(
    amount: Decimal,
    by_rule: Unit,
    source: str,
    offered: Iterable[tuple[str, Unit | None]],
    goods: Commodity | None,
    middle: Decimal | None,
) -> list[UnitOption]:
    """Return the units that a figure of so many yuan may be in: the one of the rules first.

    ``source`` tells where the rules have it from, ``offered`` are units of other places by what they
    are called, ``middle`` is the median price of the text in yuan per ton. A printed unit is the only one.
    """
    signs: dict[Unit, list[str]] = {by_rule: ["by rule", f"by rule, {source}"]}
    if source != "printed":
        for unit in IMPLIED_UNITS:
            if fits(amount * unit.yuan_per_ton, goods):
                signs.setdefault(unit, []).append("fits the goods")
        for where, other in offered:
            if other is not None:
                signs.setdefault(other, []).append(where)
    shared = [f"{min(len(signs), 4)} possible units", *_size(amount)]
    found = []
    for unit, own in signs.items():
        price = amount * unit.yuan_per_ton
        near = [] if middle is None else [f"price {_nearness(price, middle)} the others"]
        found.append(
            UnitOption(unit, (*own, *near, *shared, *_fit(price, goods), f"unit {unit.name}"))
        )
    return found


def _size(amount: Decimal) -> list[str]:
    return [f"amount of {at} or more" for at in (1, 3, 10, 30, 100, 300, 1000) if amount >= at]
