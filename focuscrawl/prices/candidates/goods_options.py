"""Goods that the price of a figure may be of, and the signs of each, for a learned choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from focuscrawl.prices.figures.moisture_and_condition import commodity_of
from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon, Commodity
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE, TokenKind

_FITS = ((1.25, "close to"), (1.6, "near"), (2.5, "far from"))
_NAMING = frozenset({TokenKind.COMMODITY, TokenKind.CONTRACT, TokenKind.GRADE, TokenKind.VARIETY})
_MOST_BETWEEN = 12  # tokens whose kinds are signs


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
    by_rule: Commodity | None,
) -> list[GoodsOption]:
    """Return the goods that the figure ``tokens[index]`` may be the price of.

    ``segment`` is the first token of the piece with the figure and the one behind it, ``named`` are
    the goods of the line, ``elsewhere`` those of other places, ``price`` is in yuan per ton.
    """
    signs: dict[Commodity | None, list[str]] = {by_rule: ["by rule"]}
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
    ratio = price / goods.usual if price > goods.usual else goods.usual / max(price, Decimal(1))
    how = next((word for most, word in _FITS if ratio < most), "unlike")
    is_possible = goods.low <= price <= goods.high
    return [f"price {how} the usual one", *([] if is_possible else ["impossible price"])]
