"""Contents of brackets: the details of a price, or its change."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.figures.moisture_and_condition import (
    Details,
    conditions_of,
    is_deduction,
    moisture_in,
    printed,
)
from focuscrawl.prices.tokens.figures import BARE, POINTS, PRICE, SMALL, UNIT, YUAN, Figure
from focuscrawl.prices.tokens.line_tokens import Token

_ABOUT_ALL = frozenset("以上 均为 均 都为 都是 均是 上述".split())
_MOVED_BY = frozenset({BARE, YUAN, PRICE, SMALL, POINTS})


def bracket_details(inner: Sequence[Token], text: str) -> Details:
    """Return the details in a bracket, except for pieces about deductions."""
    details = Details()
    piece: list[Token] = []
    for token in (*inner, Token("comma", 0, 0, ",")):
        if token.kind not in ("comma", "semi", "and"):
            piece.append(token)
            continue
        if piece and not is_deduction(piece):
            found = moisture_in(piece)
            if found is not None:
                details.moisture = details.moisture or printed(text, *found)
            details.condition += conditions_of(piece, text)
        piece = []
    return details


def move_in(inner: Sequence[Token]) -> tuple[Figure, int] | None:
    """Return the change in a bracket such as (+10), (涨1分), (-5), and its sign."""
    sign = 0
    for token in inner:
        if token.kind in ("up", "down"):
            sign = 1 if token.kind == "up" else -1
        elif token.figure is not None:
            sign = token.figure.sign or sign
            return (token.figure, sign) if sign and token.kind in _MOVED_BY else None
        elif token.kind not in ("filler", "than", "recent"):
            return None
    return None


def is_about_all(piece: Sequence[Token]) -> bool:
    """Return whether a note applies to all prices before it: 以上均为14水, 均为15水, (元/吨,14%水分)."""
    return bool(piece) and (piece[0].text in _ABOUT_ALL or any(t.kind == UNIT for t in piece))


def is_narrower(before: Sequence[Token], inner: Sequence[Token]) -> bool:
    """Return whether a bracket names the place within that before it: 山东(潍坊), 中部(泰安)."""
    is_place = len(inner) == 1 and inner[0].kind == "place"
    return is_place and bool(before) and before[-1].kind in ("place", "mod")
