"""Moisture and condition of a price, as printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .figures import BARE, OTHER, PERCENT, WATER
from .lexicon import Commodity, Lexicon
from .tokens import Token

_LIMITS = frozenset("以内 以下 以上 左右 之内 及以下 及以上 以里".split())
_BOUNDS = ("≤", "≥", "不超", "不高于", "不大于", "小于", "低于", "高于", "超过", "不低于", "<", ">")
_DEDUCTIONS = frozenset(
    "扣 扣款 扣价 折扣 扣罚 扣重 扣量 另扣 拒收 起扣 停收 加价 折价".split()
)
_GRADE_NUMBER = re.compile(r"[一二三四五]等$")
_SYNONYMS = frozenset("苞米 棒子 稻谷 黄豆 活猪 毛猪 普麦 商品猪 corn maize soybean soybeans wheat".split())
_PRICE_END = re.compile(r"(?:成交价|价格|价)$")


@dataclass(slots=True)
class Details:
    """What is said of a price beside its amount."""

    moisture: str = ""
    condition: list[str] = field(default_factory=list)


def is_deduction(clause: Iterable[Token]) -> bool:
    """Whether a clause is about what is taken off or refused, not about what is bought."""
    return any(t.kind == "not_price" and t.text in _DEDUCTIONS for t in clause)


def moisture_at(tokens: Sequence[Token], index: int, has_moisture: bool = False) -> str | None:
    """Return the moisture that the figure at ``index`` states, as printed, or None.

    ``has_moisture`` tells that the sentence spoke of moisture before: then a lone ``18%以内`` is one.
    """
    token = tokens[index]
    figure = token.figure
    if figure is None or figure.kind not in (PERCENT, WATER, BARE) or not 4 <= figure.high <= 50:
        return None
    start, text = index, token.text
    while start > 0 and (tokens[start - 1].text.startswith(_BOUNDS) or tokens[start - 1].kind == "bound"):
        start -= 1
        text = tokens[start].text + text
    named = start > 0 and tokens[start - 1].kind in ("filler", "price")
    before = start - 2 if named and len(tokens[start - 1].text) < 2 else start - 1
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    limit = after.text if after and after.text in _LIMITS and after.start == token.end else ""
    is_named = before >= 0 and tokens[before].kind == "moisture"
    is_followed = after is not None and after.kind == "moisture" and figure.kind == PERCENT
    lone = has_moisture and figure.kind == PERCENT and bool(limit)
    if not (is_named or is_followed or lone or figure.kind == WATER):
        return None
    if figure.kind == BARE and not is_named:
        return None
    return text + limit


def commodity_of(clause: Iterable[Token], words: Lexicon) -> Commodity | None:
    """Return the commodity that the last word for one in a clause means."""
    found: Commodity | None = None
    for token in clause:
        if token.kind == "commodity":
            found = words.commodity_of[token.text.lower()]
        elif token.kind == "grade" and token.text.endswith("玉米"):
            found = words.commodity_of["玉米"]
    return found


def conditions_of(clause: Sequence[Token]) -> list[str]:
    """Return the grades, origins, terms of delivery and lot sizes of a clause, in order."""
    found: list[str] = []
    index = 0
    while index < len(clause):
        index = _condition_at(clause, index, found)
    return found


def _condition_at(clause: Sequence[Token], index: int, found: list[str]) -> int:
    token = clause[index]
    following = clause[index + 1] if index + 1 < len(clause) else None
    if token.kind == "sale":
        found.append(_PRICE_END.sub("", token.text) or token.text)
    elif token.kind == "place" and following is not None and following.kind == "origin":
        return _phrase(clause, index, found)
    elif token.kind == "grade":
        return _phrase(clause, index, found)
    elif token.kind == "commodity" and token.text not in _SYNONYMS and _is_variety(token):
        found.append(token.text)
    elif token.kind == OTHER and "吨" in token.text and following and following.text in _LIMITS:
        found.append(token.text + following.text)
        return index + 2
    elif token.kind == OTHER and token.text.endswith(("度", "g/l", "g/L", "克/升")):
        found.append(token.text)
    elif token.kind == "quality":
        return _quality(clause, index, found)
    return index + 1


def _is_variety(token: Token) -> bool:
    return len(token.text) > 2 or token.text in ("混麦", "新糖", "陈糖", "红蛋", "粉蛋", "潮粮")


def _phrase(clause: Sequence[Token], index: int, found: list[str]) -> int:
    """Add a run such as 烘干东北玉米 or 河北产玉米; 三等玉米 is 三等."""
    end = index + 1
    while end < len(clause) and clause[end].kind in ("grade", "origin", "commodity"):
        if clause[end].start != clause[end - 1].end:
            break
        end += 1
    run = clause[index:end]
    if len(run) > 1 and run[-1].text in ("玉米", "小麦") and _GRADE_NUMBER.search(run[-2].text):
        run = run[:-1]
    found.append("".join(t.text for t in run))
    return end


def _quality(clause: Sequence[Token], index: int, found: list[str]) -> int:
    end = index + 1
    while end < len(clause) and (clause[end].figure or clause[end].text in _LIMITS):
        end += 1
    has_figure = any(t.figure and t.kind != BARE for t in clause[index + 1 : end])
    has_limit = clause[end - 1].text in _LIMITS
    if has_figure or has_limit or clause[index].text == "底扣":
        found.append("".join(t.text for t in clause[index:end]))
    return end
