"""Shapes of clauses: lists of goods and prices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from focuscrawl.prices.tokens.figures import PRICE_LIKE
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.search_limits import MOST_SUBJECTS

_GOODS = frozenset({"commodity", "variety"})


def follows_a_price(descriptor: Sequence[Sequence[Token]]) -> bool:
    """Return whether a price directly follows another one: 2.1元、3.2元."""
    return all(t.kind == "and" for clause in descriptor for t in clause)


def listed_goods(clause: Sequence[Token]) -> list[Token]:
    """Return the goods of a list with a price each, [] if there is no such list."""
    if not any(t.kind == "each" for t in clause):
        return []
    named = [t for t in clause if t.kind in _GOODS or t.kind in ("and", "name")]
    ends = [t for t, after in pairwise(named) if after.kind == "and"] + named[-1:]
    is_list = len(ends) > 1 and all(t.kind != "and" for t in ends)
    return ends[:MOST_SUBJECTS] if is_list and any(t.kind in _GOODS for t in ends) else []


def goods_in(descriptor: Sequence[Sequence[Token]]) -> str:
    """Return the last word for a commodity before a price, "" if there is none."""
    words = [t.text for clause in descriptor for t in clause if t.kind in ("commodity", "variety")]
    return words[-1] if words else ""


def are_in_order(tokens: Sequence[Token], index: int, clause: Sequence[Token]) -> bool:
    """Return whether as many prices as the clause lists names begin at ``index``: 兴贸、英轩2290、2300元."""
    names = 1 + sum(t.kind == "and" for t in clause)
    rest = tokens[index + 1 : index + 2 * names + 1]
    joined = takewhile(
        lambda pair: pair[0].kind == "and" and pair[1].kind in PRICE_LIKE,
        zip(rest[::2], rest[1::2], strict=False),
    )
    return names > 1 and clause[0].kind != "and" and sum(1 for _ in joined) == names - 1
