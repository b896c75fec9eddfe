"""Implied units of prices printed without one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.line_tokens import Token, last_unit
from focuscrawl.prices.tokens.price_units import JIN, KG, RMB_PER_WEIGHT, TON, Unit, unit_named
from focuscrawl.prices.tokens.token_kinds import MOVES, TokenKind

# 1。14元/斤 for 1.14元/斤; the second number of a range may be mistyped, too.
_MISTYPED = re.compile(
    r"(?<![\d.A-Za-z])(?<!\d,)(?P<whole>\d{1,2})(?P<mark>[。,、;:' ]|\s\.|\.\s)(?P<part>\d{2,4})(?![\d.])"
    rf"(?=\s?(?:-\s?\d{{1,2}}[。,、;:'. ]{{1,2}}\d{{2,4}}\s?)?(?P<unit>{RMB_PER_WEIGHT}|[,。;、)\t\n-]|$))",
    re.IGNORECASE,
)
_TWO_MARKS = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,3}\.\d{1,3}(?=\s?(?:元|块|/))")
_STOP = "。"  # which nobody types behind a figure by intention, if a figure follows
_BEFORE_A_MOVE = MOVES | {TokenKind.NOT_PRICE, TokenKind.THAN}
_WITH_UNIT = frozenset({TokenKind.AMOUNT, TokenKind.UNIT})
_GENERIC_LOW, _GENERIC_HIGH = Decimal(200), Decimal(200_000)
_NEAR_LOW, _NEAR_HIGH = Decimal("0.55"), Decimal("1.8")
_LOOSE_LOW, _LOOSE_HIGH = Decimal("0.25"), Decimal(4)


IMPLIED_UNITS = (JIN, KG, TON)


def fits(low: Decimal, commodity: Commodity | None) -> bool:
    """Return whether a price in yuan per ton is in the commodity's range; for None in a generic one."""
    if commodity is None:
        return _GENERIC_LOW <= low <= _GENERIC_HIGH
    return commodity.low <= low <= commodity.high


def times_apart(one: Decimal, other: Decimal) -> Decimal:
    """Return how many times the lower of two prices the higher one is."""
    return max(one, other) / min(one, other)


def with_decimal_marks(plain: str, commodity: Commodity | None) -> tuple[str, set[int]]:
    """Return a normalised text of the same length with mistyped decimal marks corrected: 1。14元/斤.

    Only what is a price of the commodity with the mark and none without it. The offsets of the figures
    that are one with it and without it are returned for a flag.
    """
    doubtful = {at for match in _TWO_MARKS.finditer(plain) for at in range(*match.span())}

    def corrected(match: re.Match[str]) -> str:
        whole, part, printed = match["whole"], match["part"], match["unit"]
        has_unit = len(printed) > 1
        is_cell = plain[max(0, match.start() - 1)] in "\t\n" and printed in ("", "\t", "\n")
        is_marked = match["mark"] == _STOP or is_cell
        if not has_unit and (not is_marked or len(whole) > 1 or len(part) > 3):
            return match[0]
        unit = unit_named(printed) if has_unit else JIN
        amount = Decimal(f"{whole}.{part}")
        is_price = fits(amount * unit.yuan_per_ton, commodity)
        is_other = has_unit and fits(Decimal(part) * unit.yuan_per_ton, commodity)
        is_small = has_unit and whole == "0" and unit in (JIN, KG)  # 涨0。005元/斤
        if (is_price and not is_other) or is_small:
            # A mark of two characters leaves room for a zero in front.
            return f"{whole}.{part}".rjust(len(match[0]), "0")
        if is_price or (is_other and match["mark"] == _STOP):
            doubtful.update(range(*match.span()))
        return match[0]

    return _MISTYPED.sub(corrected, plain), doubtful


def guess_unit(amount: Decimal, commodity: Commodity | None) -> Unit | None:
    """Return the unit in which ``amount`` yuan is nearest to the commodity's usual price."""
    if commodity is None or amount <= 0:
        return None
    usual = commodity.usual
    candidates = [u for u in IMPLIED_UNITS if fits(amount * u.yuan_per_ton, commodity)]
    return min(candidates, key=lambda u: times_apart(amount * u.yuan_per_ton, usual), default=None)


def _unit_of_the_same(figure: Figure, other: Figure | None) -> Unit | None:
    """Return the unit in which a figure is the same price as another one: 4.6 of 4.6(2.3元/斤)."""
    if other is None or other.unit is None:
        return None
    worth = other.low * other.unit.yuan_per_ton
    units = (u for u in IMPLIED_UNITS if u != other.unit)
    return next((u for u in units if figure.low * u.yuan_per_ton == worth), None)


class LineUnits:
    """Printed units of a line, for prices without one to use their neighbour's."""

    def __init__(self, tokens: Sequence[Token], declared: Unit | None) -> None:
        self.declared = last_unit(tokens) or declared
        self._after: list[Figure | None] = [None] * len(tokens)
        self._before: list[Figure | None] = [None] * len(tokens)
        self._moves = {
            id(token.figure) for before, token in pairwise(tokens) if before.kind in _BEFORE_A_MOVE
        }
        self._converted = {
            id(one.figure): other.figure
            for one, mark, other in zip(tokens, tokens[1:], tokens[2:], strict=False)
            if mark.kind is TokenKind.OPEN and other.kind is TokenKind.AMOUNT
        }
        last: Figure | None = None
        for index, token in enumerate(tokens):
            self._before[index] = last
            if token.kind in _WITH_UNIT:
                last = token.figure
        last = None
        for index in range(len(tokens) - 1, -1, -1):
            self._after[index] = last
            token = tokens[index]
            if token.kind is TokenKind.AMOUNT:
                last = token.figure
            elif token.kind is TokenKind.STOP:
                last = None

    def unit_for(
        self, index: int, figure: Figure, clause: Sequence[Token], commodity: Commodity | None
    ) -> Unit | None:
        """Return the unit of a figure printed without one, or None if it is not a price."""
        if converted := _unit_of_the_same(figure, self._converted.get(id(figure))):
            return converted
        is_bare = figure.kind is TokenKind.BARE
        low, high = (_NEAR_LOW, _NEAR_HIGH) if is_bare else (_LOOSE_LOW, _LOOSE_HIGH)
        if unit := last_unit(clause):
            return unit
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
