"""Role of a figure in its line: a price, a change, an old price, or none of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from focuscrawl.prices.names.price_subjects import UNMOVED
from focuscrawl.prices.tokens.line_tokens import Token, has_kind
from focuscrawl.prices.tokens.token_kinds import (
    MOVE_LIKE,
    MOVES,
    PLACES,
    PRICE_LIKE,
    SENTENCE_ENDS,
    SIGN_OF,
    TokenKind,
)

IS_PRICE, IS_CHANGE, IS_OLD, IS_NOTHING = "price", "change", "old", "nothing"

_A_PRICE = Decimal("0.3")
_COPULAS = frozenset(
    "为 是 在 约 约为 达 达到 均 均为 都为 都是 均是 多为 大约 大致 基本 左右 均在 都在 仍 约在 about around".split()
)
_EXPECTATIONS = frozenset("预计 预期 预测 预估 有望 或将 将达 或达".split())
_COMPARATORS = _EXPECTATIONS | frozenset(
    "高于 低于 多于 少于 不足 不到 超过 跌破 突破 失守 站上 逼近 关口 倒挂".split()
)
_FORECASTS = _EXPECTATIONS | frozenset("目标 目标价 心理价位 forecast expected".split())
_ENTITY_LIKE = PLACES | {
    TokenKind.BRAND, TokenKind.ACTOR, TokenKind.NAME_END, TokenKind.CONTRACT, TokenKind.GRADE,
    TokenKind.SALE, TokenKind.COMMODITY, TokenKind.MOD, TokenKind.MOISTURE,
}  # fmt: skip
_LONGEST_MOVE = 7
_BEFORE_A_MOVE = frozenset(
    {TokenKind.FILLER, TokenKind.COMMA, TokenKind.TODAY, TokenKind.RECENT, TokenKind.DATE}
)
_ADVERB = re.compile(
    r"[就又便才已]$|没几天|很快|不久|一路|悄悄|逐步|随后|后来|接着|[点时]$|^[上下]午$|午后|午间|傍晚|尾盘|盘后"
)
_BARE_AFTER = SENTENCE_ENDS | MOVES | {
    TokenKind.COMMA, TokenKind.AND, TokenKind.CLOSE, TokenKind.OPEN, TokenKind.TAB, TokenKind.SALE,
}  # fmt: skip
_BEHIND_A_PRICE = UNMOVED | frozenset("左右 上下 不等 附近 一线 无变化 不动 没动 没变".split())


def role_of(tokens: Sequence[Token], index: int, clause: Sequence[Token]) -> str:
    """Return the role of the figure ``tokens[index]``; ``clause`` are the tokens before it."""
    figure = tokens[index].figure
    if figure is None or figure.kind not in MOVE_LIKE:
        return IS_NOTHING
    role = _nearest_role(clause)
    if role == IS_PRICE and _is_expected(tokens, index, clause):
        return IS_NOTHING
    # → marks the price before a change as such even after ↑ or 跌.
    is_arrow = role == IS_CHANGE and any(t.text == "→" for t in tokens[index + 1 : index + 2])
    if figure.kind in PRICE_LIKE and (role == IS_PRICE or is_arrow) and moves_on(tokens, index):
        return IS_OLD
    is_apart = index > 0 and tokens[index - 1].kind is TokenKind.COMMA  # 2310元/吨，-9元/吨
    if figure.sign and (figure.kind is not TokenKind.AMOUNT or is_apart):
        is_than_old = role == IS_OLD and has_kind(clause, TokenKind.THAN)  # 较昨+35
        if role == IS_PRICE or is_than_old:
            return IS_CHANGE
    if role == IS_PRICE and figure.kind is TokenKind.SMALL:
        is_paid = clause[-1:] and clause[-1].kind is TokenKind.PRICE_WORD and figure.low >= _A_PRICE
        return IS_PRICE if is_paid else IS_NOTHING  # 收八毛
    return IS_NOTHING if role == IS_PRICE and figure.kind is TokenKind.POINTS else role


def _nearest_role(clause: Sequence[Token]) -> str:
    """Return the role by the nearest decisive word, which must not precede an earlier figure."""
    has_copula = False
    for near in reversed(clause):
        if near.text in _COPULAS:
            has_copula = True
        elif near.kind is TokenKind.TO:
            return IS_PRICE
        elif near.kind in MOVES or near.kind is TokenKind.UP_OR_DOWN:
            return IS_PRICE if has_copula and not near.text.endswith("了") else IS_CHANGE
        elif near.kind is TokenKind.NOT_PRICE:
            return IS_NOTHING
        elif near.kind is TokenKind.PRICE_WORD or near.kind in _ENTITY_LIKE:
            break
    return IS_OLD if _is_old(clause) else IS_PRICE


def _is_expected(tokens: Sequence[Token], index: int, clause: Sequence[Token]) -> bool:
    """Return whether the price is a forecast, or converted from a foreign currency."""
    if any(t.text in _FORECASTS for t in clause):
        return True
    if not has_kind(clause, TokenKind.CONVERTED):
        return False
    earlier = (t for t in reversed(tokens[max(0, index - 12) : index]) if t.figure is not None)
    return next((t.kind is TokenKind.FOREIGN for t in earlier), False)


def _is_old(clause: Sequence[Token]) -> bool:
    for token in reversed(clause):
        if token.text in UNMOVED:
            return False
        if (
            token.kind in (TokenKind.OLD, TokenKind.YEARLY, TokenKind.THAN)
            or token.text in _COMPARATORS
        ):
            return True
        if token.figure is not None and token.figure.kind in PRICE_LIKE:
            return False
    return False


def is_recent(clause: Sequence[Token]) -> bool:
    """Return whether the price is stated to be of yesterday or last week."""
    kinds = {token.kind for token in clause}
    return TokenKind.RECENT in kinds and TokenKind.TODAY not in kinds


def is_past(clause: Sequence[Token]) -> bool:
    """Return whether a clause says nothing but that what follows is of an earlier year: 去年同期，"""
    past = [
        t
        for t in clause
        if t.kind is TokenKind.YEARLY or (t.kind is TokenKind.OLD and "年" in t.text)
    ]
    return bool(past) and all(t in past or t.kind is TokenKind.FILLER for t in clause)


def moves_on(tokens: Sequence[Token], index: int) -> bool:
    """Return whether 涨至, 调整为 or → and another price follow, so that this one is the old price.

    That may be in the next clause, if it names nothing else: 开秤时2.1元，很快就跌到1.9元.
    """
    for position in range(index + 1, min(index + _LONGEST_MOVE, len(tokens))):
        token = tokens[position]
        if token.kind in MOVES or (token.figure and tokens[position - 1].kind in MOVES):
            continue  # 2300元/吨，午后下调20元至2280元/吨
        if token.kind is TokenKind.TO or token.text.startswith(("调整为", "调整后")):
            after = tokens[position + 1 : position + 3]
            return any(t.figure and t.kind in PRICE_LIKE for t in after)
        is_adverb = (
            token.kind in (TokenKind.NAME, TokenKind.GRADE)
            and _ADVERB.search(token.text) is not None
        )
        if token.kind not in _BEFORE_A_MOVE and not is_adverb:
            return False
    return False


def change_sign(clause: Sequence[Token], token: Token) -> int:
    """Return 1 or -1 for a stated change, 0 if the figure is no change of this price."""
    figure = token.figure
    if figure is None or has_kind(clause, TokenKind.YEARLY, TokenKind.TOTAL):
        return 0
    if _is_spread(clause):
        return 0
    for near in reversed(clause):
        if near.kind in MOVES:
            return SIGN_OF[near.kind]
    return figure.sign


def _is_spread(clause: Sequence[Token]) -> bool:
    """Return whether the comparison is with another place or grade, not with another day."""
    start = next((i for i, t in enumerate(clause) if t.kind is TokenKind.THAN), None)
    if start is None:
        return False
    compared = clause[start + 1 :]
    if has_kind(compared, TokenKind.RECENT, TokenKind.TODAY, TokenKind.DATE, TokenKind.OLD):
        return False
    return any(t.kind in _ENTITY_LIKE - {TokenKind.MOISTURE} for t in compared)


def can_be_bare_price(tokens: Sequence[Token], index: int, clause: Sequence[Token]) -> bool:
    """Return whether a figure without a unit is where prices stand in a clause."""
    figure = tokens[index].figure
    if figure is None or figure.sign:
        return False
    if not clause and not (
        index and tokens[index - 1].kind in (TokenKind.COLON, TokenKind.AND, TokenKind.COMMA)
    ):
        return False
    if has_kind(clause, TokenKind.FACT, TokenKind.QUALITY, TokenKind.NOT_PRICE):
        return False
    if index + 1 == len(tokens):
        return True
    after = tokens[index + 1]
    if after.start > tokens[index].end and not after.text[0].isascii():
        return True
    is_move = after.figure is not None and bool(after.figure.sign)
    return is_move or after.kind in _BARE_AFTER or after.text in _BEHIND_A_PRICE
