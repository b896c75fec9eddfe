"""Moisture and condition of a price, as printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from focuscrawl.prices.tokens.bulletin_words import (
    BulletinLexicon,
    Commodity,
    commodities_by_name,
    compact,
)
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.token_kinds import BUYERS, FIRM_NAMES, GRADED_GOODS, TokenKind

_ORIGINS = frozenset({TokenKind.PLACE, TokenKind.ZONE})
_OF_A_COMMODITY = GRADED_GOODS | {TokenKind.CONTRACT}
_LIMITS = frozenset("以内 以下 以上 左右 之内 及以下 及以上 以里 起步".split())
_BOUNDS = ("≤", "≥", "不超", "不高于", "不大于", "小于", "低于", "高于", "超过", "不低于", "<", ">")
_DEDUCTIONS = frozenset("扣 扣款 扣价 折扣 扣罚 扣重 扣量 另扣 拒收 起扣 停收 加价 折价".split())
_GRADE_NUMBER = re.compile(r"[一二三四五]等$")
_SYNONYMS = frozenset(
    "苞米 棒子 稻谷 黄豆 活猪 毛猪 普麦 商品猪 corn maize soybean soybeans wheat".split()
)
# Products in the names of grain buyers.
FIRM_PRODUCTS = frozenset("淀粉 酒精 面粉 乙醇 燃料乙醇 柠檬酸 玉米淀粉 赖氨酸".split())
_VARIETY_OF = {
    "蒜": "大蒜", "椒": "辣椒", "葱": "大葱", "姜": "生姜", "麦": "小麦", "稻": "水稻", "米": "大米",
    "粕": "豆粕", "糖": "白糖", "蛋": "鸡蛋", "猪": "生猪", "牛": "牛肉", "羊": "羊肉", "鸡": "毛鸡",
    "鸭": "毛鸭", "薯": "红薯", "菜": "蔬菜", "瓜": "蔬菜", "豆": "大豆", "茄": "蔬菜", "柿": "蔬菜",
}  # fmt: skip
# The exchanges' codes for the commodities of contracts.
FUTURES = {
    "C": "玉米", "CS": "玉米淀粉", "A": "豆一", "B": "豆二", "M": "豆粕", "Y": "豆油", "P": "棕榈油", "RM": "菜粕",
    "OI": "菜油", "CF": "棉花", "SR": "白糖", "AP": "苹果", "JD": "鸡蛋", "LH": "生猪", "PK": "花生", "UR": "尿素",
    "RU": "橡胶", "WH": "小麦", "PM": "小麦", "RI": "早籼稻", "ER": "早籼稻", "RR": "粳米", "NR": "橡胶", "RB": "螺纹钢",
    "HC": "热卷", "SS": "不锈钢", "I": "铁矿石", "J": "焦炭", "JM": "煤炭", "SF": "硅铁", "SM": "硅锰", "FG": "玻璃", "SA": "纯碱",
    "SH": "烧碱", "TA": "pta", "EG": "乙二醇", "MA": "甲醇", "V": "pvc", "L": "聚乙烯", "PP": "聚丙烯", "PF": "涤纶短纤", "BU": "沥青",
    "PG": "液化气", "SP": "木浆", "CU": "沪铜", "AL": "沪铝", "ZN": "沪锌", "PB": "沪铅", "NI": "沪镍", "SN": "沪锡", "LC": "碳酸锂",
    "SI": "工业硅", "PS": "多晶硅", "CY": "棉纱", "RS": "菜籽",
}  # fmt: skip
_NO_CODE = "0123456789合约"
_APART = frozenset("大车 小车 挂车 半挂 火车 高栏车 平板车 最高 最低 最高价 最低价 底价".split())
# Alone these say where somebody goes and with what: 送到厂里, 卖完粮.
_TOO_VAGUE = frozenset("粮 猪 送到".split())
_CONTENTS = frozenset("蛋白 衣分 面筋".split())  # behind their amount: 43%蛋白
_LEVELS = frozenset("袋装 散装 包装 袋 中等 优质".split())
_CROP_YEAR = re.compile(r"(?:19|20)\d\d年[度产]?")
PRICE_END = re.compile(r"(?:成交价|价格|价)$")


@dataclass(slots=True)
class Details:
    """Details of a price other than its amount."""

    moisture: str = ""
    condition: list[str] = field(default_factory=list)


def printed(text: str, start: int, end: int) -> str:
    """Return a slice of the text as printed, without whitespace except between Latin words."""
    return compact(text[start:end])


def is_deduction(clause: Iterable[Token]) -> bool:
    """Return whether a clause is about deductions or refusals, not about purchases."""
    return any(t.kind is TokenKind.NOT_PRICE and t.text in _DEDUCTIONS for t in clause)


def moisture_at(
    tokens: Sequence[Token], index: int, has_moisture: bool = False
) -> tuple[int, int] | None:
    """Return the span of the moisture that the figure at ``index`` states, None if it states none.

    ``has_moisture``: the sentence has mentioned moisture before, so that a lone ``18%以内`` is one.
    """
    token = tokens[index]
    figure = token.figure
    if (
        figure is None
        or figure.kind not in (TokenKind.PERCENT, TokenKind.WATER, TokenKind.BARE)
        or not 4 <= figure.high <= 50
    ):
        return None
    first = index
    while first > 0 and (
        tokens[first - 1].text.startswith(_BOUNDS) or tokens[first - 1].kind is TokenKind.BOUND
    ):
        first -= 1
    before = first - 1
    if (
        before >= 0
        and tokens[before].kind in (TokenKind.FILLER, TokenKind.PRICE_WORD)
        and len(tokens[before].text) < 2
    ):
        before -= 1
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    limit = after if after and after.text in _LIMITS and after.start == token.end else None
    is_named = before >= 0 and tokens[before].kind is TokenKind.MOISTURE
    is_followed = after is not None and after.kind is TokenKind.MOISTURE
    is_lone = has_moisture and limit is not None
    is_share = figure.kind is TokenKind.PERCENT and (is_followed or is_lone)
    if not (is_named or is_share or figure.kind is TokenKind.WATER):
        return None
    end = token.end - len("水分") if token.text.endswith(("水分", "水份")) else token.end
    return tokens[first].start, limit.end if limit else end


def moisture_in(tokens: Sequence[Token]) -> tuple[int, int] | None:
    """Return the span of the first moisture among the tokens, None if there is none."""
    return next((found for i in range(len(tokens)) if (found := moisture_at(tokens, i))), None)


def commodity_of(
    clause: Iterable[Token], words: BulletinLexicon, current: Commodity | None = None
) -> Commodity | None:
    """Return the commodity of the last commodity word in a clause.

    A word in no list (法麦, 精米) means the ``current`` commodity if that has words of this ending.
    """
    found: Commodity | None = None
    before: Token | None = None
    for token in clause:
        before, last = token, before
        if last is not None and last.kind is TokenKind.VARIETY and _ends_firm(last, token):
            found = None  # 石羊|饲料 is a firm
        if token.kind not in _OF_A_COMMODITY:
            continue
        if token.kind is TokenKind.COMMODITY:
            if _ends_name(last, token) or (found is not None and token.text == "潮粮"):
                continue
            found = words.commodity_of["-".join(token.text.lower().split())]
        elif token.kind is TokenKind.CONTRACT and (
            goods := FUTURES.get(token.text.rstrip(_NO_CODE))
        ):
            found = words.commodity_of[goods]
        elif token.kind is TokenKind.GRADE and token.text.endswith("玉米"):
            found = words.commodity_of["玉米"]
        elif token.kind is TokenKind.VARIETY:
            is_current = current is not None and token.text[-1] in words.endings[current.name]
            named = words.commodity_of.get(_VARIETY_OF.get(token.text[-1], ""))
            found = current if is_current else named
    return found


def is_local(descriptor: Sequence[Sequence[Token]]) -> bool:
    """Return whether a commodity is named after its buyer (某某面业收小麦), so that it is not the topic."""
    tokens = [t for clause in descriptor for t in clause]
    goods = max((i for i, t in enumerate(tokens) if t.kind is TokenKind.COMMODITY), default=-1)
    return any(t.kind in BUYERS for t in tokens[: max(goods, 0)])


def _ends_name(before: Token | None, token: Token) -> bool:
    """Return whether a word for goods is the end of a firm's name: 阜康酒精, 新丰淀粉."""
    if before is None or before.kind not in FIRM_NAMES:
        return False
    return token.start == before.end and token.text in FIRM_PRODUCTS


def heading_in(clauses: Sequence[Sequence[Token]], words: BulletinLexicon) -> Commodity | None:
    """Return the commodity of a sentence that consists of nothing else: 三、玉米。"""
    tokens = [t for clause in clauses for t in clause]
    rest = [t for t in tokens if t.kind not in (TokenKind.COMMODITY, TokenKind.AND, TokenKind.DASH)]
    is_alone = all(t.kind is TokenKind.BARE or len(t.text) < 2 for t in rest)
    return commodity_of(tokens, words) if is_alone else None


def _ends_firm(before: Token, token: Token) -> bool:
    return token.kind in (TokenKind.NAME_END, TokenKind.ACTOR) and token.start == before.end


def conditions_of(clause: Sequence[Token], text: str, owner: str = "") -> list[str]:
    """Return the grades, origins, terms of delivery and lot sizes of a clause as printed in ``text``.

    ``owner`` is the mention and region of the price: places in it are not origins.
    """
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(clause):
        first, before, known = clause[index], clause[index - 1], len(found)
        index = _condition_at(clause, index, found, owner)
        is_apart = (
            first.kind is TokenKind.SALE or first.text in _APART or before.kind is TokenKind.DATE
        )
        if len(found) > known > 0 and not is_apart and found[-2][1] == found[-1][0]:
            found[-2:] = [(found[-2][0], found[-1][1])]  # 80#以上|统货, 三等以上|潮粮
    conditions = (printed(text, start, end) for start, end in found)
    return [condition for condition in conditions if condition not in _TOO_VAGUE]


def _condition_at(
    clause: Sequence[Token], index: int, found: list[tuple[int, int]], owner: str
) -> int:
    token = clause[index]
    following = clause[index + 1] if index + 1 < len(clause) else None
    if token.kind is TokenKind.SALE:
        cut = PRICE_END.search(token.text)
        found.append((token.start, token.end - (len(cut.group()) if cut and cut.start() else 0)))
    elif token.kind is TokenKind.GRADE or _is_origin(clause, index, owner):
        return _phrase(clause, index, found)
    elif token.kind is TokenKind.VARIETY or (
        token.kind is TokenKind.COMMODITY and is_variety(token)
    ):
        if following is None or following.kind not in (TokenKind.NAME_END, TokenKind.ACTOR):
            found.append((token.start, token.end))
    elif token.kind is TokenKind.OTHER and token.text.endswith(("吨", "#")):
        is_limit = following is not None and following.text in _LIMITS
        if is_limit or token.text.endswith("#"):
            found.append((token.start, clause[index + is_limit].end))
        return index + 1 + is_limit
    elif token.kind is TokenKind.OTHER and token.text.endswith(
        ("度", "大卡", "g/l", "g/L", "克/升")
    ):
        found.append((token.start, token.end))
    elif (
        token.kind in (TokenKind.PERCENT, TokenKind.BARE)
        and following is not None
        and following.text in _CONTENTS
    ):
        found.append((token.start, following.end))
        return index + 2
    elif (
        token.kind is TokenKind.DATE
        and _CROP_YEAR.fullmatch(token.text)
        and following is not None
        and following.kind in GRADED_GOODS
        and following.start == token.end
    ):
        found.append((token.start, token.start + len("2012年")))
    elif token.kind is TokenKind.QUALITY:
        return _quality(clause, index, found)
    return index + 1


def _is_origin(clause: Sequence[Token], index: int, owner: str) -> bool:
    """Return whether a place is the origin of the goods: 东北玉米."""
    token = clause[index]
    if token.kind not in _ORIGINS or index + 1 == len(clause):
        return False
    following = clause[index + 1]
    if not owner or token.text in owner:
        return False
    return (
        following.kind in (TokenKind.GRADE, TokenKind.COMMODITY, TokenKind.ZONE)
        and following.start == token.end
    )


def is_variety(token: Token) -> bool:
    """Return whether a commodity word is more specific than the commodity: 外三元, 混麦, 一级豆油."""
    if token.text.lower() in _SYNONYMS or token.text in commodities_by_name():
        return False
    return len(token.text) > 2 or token.text in ("混麦", "新糖", "陈糖", "红蛋", "粉蛋", "潮粮")


def _phrase(clause: Sequence[Token], index: int, found: list[tuple[int, int]]) -> int:
    """Add a phrase such as 烘干东北玉米 or 河北产玉米; of 三等玉米 only 三等."""
    end = index + 1
    while (
        end + 1 < len(clause)
        and clause[end].kind is TokenKind.AND
        and clause[index].kind is TokenKind.PLACE
    ):
        end += 2
    while end < len(clause) and clause[end].kind in (
        TokenKind.GRADE,
        TokenKind.ORIGIN,
        TokenKind.COMMODITY,
        TokenKind.ZONE,
    ):
        if clause[end].start != clause[end - 1].end or clause[end].text in _APART:
            break
        end += 1
    run = clause[index:end]
    is_graded = len(run) > 1 and run[-1].text in ("玉米", "小麦")
    is_level = len(run) == 2 and run[0].text in _LEVELS
    if is_graded and (_GRADE_NUMBER.search(run[-2].text) or is_level):
        run = run[:-1]
    limit = clause[end] if end < len(clause) and clause[end].text in _LIMITS else None
    is_price = run[-1].text in ("最高价", "最低价")
    found.append((run[0].start, run[-1].end - is_price if limit is None else limit.end))
    return end + (limit is not None)


def _quality(clause: Sequence[Token], index: int, found: list[tuple[int, int]]) -> int:
    end = index + 1
    while end < len(clause) and (
        clause[end].figure or clause[end].text in _LIMITS or clause[end].kind is TokenKind.BOUND
    ):
        end += 1
    has_figure = any(t.figure and t.kind is not TokenKind.BARE for t in clause[index + 1 : end])
    has_limit = clause[end - 1].text in _LIMITS
    if has_figure or has_limit or clause[index].text == "底扣":
        found.append((clause[index].start, clause[end - 1].end))
    return end
