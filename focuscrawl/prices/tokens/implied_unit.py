"""Implied units of prices printed without one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, PRICE, UNIT, Figure
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import JIN, KG, TON, Unit

_GENERIC_LOW, _GENERIC_HIGH = Decimal(200), Decimal(200_000)
_NEAR_LOW, _NEAR_HIGH = Decimal("0.55"), Decimal("1.8")
_LOOSE_LOW, _LOOSE_HIGH = Decimal("0.25"), Decimal(4)


def fits(low: Decimal, commodity: Commodity | None) -> bool:
    """Return whether a price in yuan per ton is in the commodity's range; for None in a generic one."""
    if commodity is None:
        return _GENERIC_LOW <= low <= _GENERIC_HIGH
    return commodity.low <= low <= commodity.high


def guess_unit(amount: Decimal, commodity: Commodity | None) -> Unit | None:
    """Return the unit in which ``amount`` yuan is nearest to the commodity's usual price."""
    if commodity is None or amount <= 0:
        return None
    usual = commodity.usual
    candidates = [u for u in (JIN, KG, TON) if fits(amount * u.yuan_per_ton, commodity)]

    def distance(unit: Unit) -> Decimal:
        price = amount * unit.yuan_per_ton
        return max(price, usual) / min(price, usual)

    return min(candidates, key=distance, default=None)


class LineUnits:
    """Printed units of a line, for prices without one to use their neighbour's."""

    def __init__(self, tokens: Sequence[Token], declared: Unit | None) -> None:
        self.declared = declared
        self._after: list[Figure | None] = [None] * len(tokens)
        self._before: list[Figure | None] = [None] * len(tokens)
        self._moves = {
            id(token.figure)
            for before, token in pairwise(tokens)
            if before.kind in ("up", "down", "not_price", "than")
        }
        last: Figure | None = None
        for index, token in enumerate(tokens):
            self._before[index] = last
            if token.kind in (PRICE, UNIT):
                last = token.figure
            if token.kind == UNIT and token.figure:
                self.declared = token.figure.unit
        last = None
        for index in range(len(tokens) - 1, -1, -1):
            self._after[index] = last
            token = tokens[index]
            if token.kind == PRICE:
                last = token.figure
            elif token.kind == "stop":
                last = None

    def unit_for(
        self, index: int, figure: Figure, clause: Sequence[Token], commodity: Commodity | None
    ) -> Unit | None:
        """Return the unit of a figure printed without one, or None if it is not a price."""
        is_bare = figure.kind == BARE
        low, high = (_NEAR_LOW, _NEAR_HIGH) if is_bare else (_LOOSE_LOW, _LOOSE_HIGH)
        for token in reversed(clause):
            if token.kind == UNIT and token.figure is not None and token.figure.unit is not None:
                return token.figure.unit
        for neighbour in (self._after[index], self._before[index]):
            if neighbour is None or neighbour.unit is None:
                continue
            is_price = neighbour.low > 0 and id(neighbour) not in self._moves
            if is_price and low <= figure.low / neighbour.low <= high:
                return neighbour.unit
            worth = figure.low * neighbour.unit.yuan_per_ton
            if commodity and not is_price and fits(worth, commodity):
                return neighbour.unit
        if self.declared and fits(figure.low * self.declared.yuan_per_ton, commodity):
            return self.declared
        if figure.is_spoken and fits(figure.low * JIN.yuan_per_ton, commodity):
            return JIN
        return guess_unit(figure.low, commodity)
