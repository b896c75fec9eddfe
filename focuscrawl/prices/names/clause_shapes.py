"""Shapes of clauses: lists of goods and prices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from focuscrawl.prices.tokens.figures import PRICE, PRICE_LIKE
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.search_limits import MOST_SUBJECTS

_GOODS = frozenset({"commodity", "variety"})
_NAMES = frozenset("place port zone brand name name_end actor".split())
_FEWEST_PAIRS = 3


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


def names_first(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with each name before its price, if they list prices before names.

    As in 1.06元/斤，老赵粮点；1.07元/斤，城东烘干塔；1.10元/斤，厚源.
    """
    parts: list[list[Token]] = [[]]
    for token in tokens:
        parts[-1].append(token)
        if token.kind in ("semi", "stop", "colon"):
            parts.append([])
    priced = [part for part in parts if any(t.kind == PRICE for t in part)]
    if len(priced) < _FEWEST_PAIRS:
        return tokens
    turned = {id(part): _turned(part) for part in priced}
    if not all(turned.values()):
        return tokens
    return [token for part in parts for token in turned.get(id(part), part)]


def _turned(part: Sequence[Token]) -> list[Token]:
    """Return a price, a comma and a name in the order name, comma, price; [] for anything else."""
    end = len(part) - (part[-1].kind in ("semi", "stop"))
    cut = max((i for i in range(end) if part[i].kind in ("comma", "dash")), default=0)
    name = part[cut + 1 : end]
    is_pair = cut > 0 and part[0].kind == PRICE and any(t.kind in _NAMES for t in name)
    if not is_pair or any(t.figure is not None for t in name):
        return []
    return [*name, part[cut], *part[:cut], *part[end:]]
