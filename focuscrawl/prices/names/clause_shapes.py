"""Shapes of clauses: lists of goods and prices, sources, counts, and places beside the subject."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from focuscrawl.prices.names.price_subjects import PLACES, Group
from focuscrawl.prices.tokens.figures import PRICE_LIKE
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.search_limits import MOST_SUBJECTS

_REPORTS = frozenset("监测 统计 数据 数据显示 显示 报道 发布 公布 消息 分析 讯 获悉".split())
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


def is_source(clause: Sequence[Token], group: Group) -> bool:
    """Return whether a name is that of the reporting source: 据某某网监测."""
    after = next((t for t in clause if t.start >= group[-1].end), None)
    return after is not None and after.text in _REPORTS


def _token_before(clause: Sequence[Token], group: Group) -> Token | None:
    return next((t for t in reversed(clause) if t.end <= group[0].start), None)


def is_count(clause: Sequence[Token], run: list[Group]) -> bool:
    """Return whether a run only counts the firms named before it: 三家企业."""
    before = _token_before(clause, run[0])
    counts = before is not None and before.text.endswith("家") and len(before.text) < 3
    return counts and all(t.kind == "actor" for group in run for t in group)


def is_whereabouts(clause: Sequence[Token], run: list[Group]) -> bool:
    """Return whether places are only where the firm before them buys: 中粮在锦州港的收购价."""
    before = _token_before(clause, run[0])
    after = next((t for t in clause if t.start >= run[-1][-1].end), None)
    is_bare = all(t.kind in PLACES for group in run for t in group)
    return (
        is_bare and after is not None and before is not None and before.text + after.text == "在的"
    )


def is_apposition(clause: Sequence[Token]) -> bool:
    """Return whether a clause is only the province after a town: At Jinzhou port, Liaoning, …"""
    return len(clause) == 1 and clause[0].kind in PLACES and clause[0].text.isascii()


def is_agency(clause: Sequence[Token], group: Group) -> bool:
    """Return whether a group is an office that reports prices, not a buyer."""
    is_office = group[-1].kind == "name_end" and not any(t.kind in PLACES for t in group)
    return is_office and is_source(clause, group)


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
