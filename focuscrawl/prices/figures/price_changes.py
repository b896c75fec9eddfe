"""Price changes: their assignment to quotes, and their amounts in the unit of the quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from focuscrawl.prices.figures.figure_roles import change_sign
from focuscrawl.prices.quote_drafts import Draft, Subject
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.line_tokens import Token, has_kind, last_unit
from focuscrawl.prices.tokens.price_units import JIN, TON, Unit
from focuscrawl.prices.tokens.token_kinds import TokenKind

_FARTHEST = 4  # divisor of the price: larger differences are to another time or place
_FROM = frozenset("由 从 自 原 原来 原价".split())
_ALL = frozenset("均 都 普遍 全线 全部 一致 统一 双双 同步 集体".split())
_NOT_OF_TODAY = re.compile(
    "以来|年内|年底|年度|年前|半年|[半一两三四五六]个?多?月|[三四五六七八九十]天|月初|年初|上月|[最历前].{0,3}[高低]点?"
    "|明[日天起]|下周|后市|后期|或将"
)
_OF_FUTURES = re.compile("期货|期[螺价]|盘面|连[粕玉豆盘]|郑[棉糖油]|沪[铜铝锌铅镍锡胶]|美[豆玉棉]")
_OF_WEEKS = re.compile("[周月旬]")
_PER_PIECE = re.compile("[每一][箱件袋头只枚羽筐桶盒亩]")
_GRAIN = frozenset("玉米 小麦 水稻 大豆 高粱 大麦".split())
_CENTS = 5  # bare moves below it, beside a price per jin, are 分; others are yuan per ton


class _Pending(NamedTuple):
    """A change stated before its price: whose it is, and whether it is one of futures."""

    figure: Figure
    sign: int
    owner: Subject | None
    is_of_futures: bool


class ChangeBook:
    """Changes in a line; a change stated before its price is kept for it."""

    def __init__(self) -> None:
        self._pending: _Pending | None = None
        self._start: Figure | None = None
        # Prices, by their place, with a change of a week or a month.
        self._of_weeks: set[int] = set()

    def forget(self) -> None:
        """Drop a change without a price in its part of the sentence."""
        self._pending = None

    def add(
        self, clause: Sequence[Token], token: Token, drafts: list[Draft], subjects: list[Subject]
    ) -> None:
        """Assign a change to the preceding quotes of the current subjects, or keep it for later ones."""
        figure, sign = token.figure, change_sign(clause, token)
        said = "".join(t.text for t in clause)
        if figure is None or not sign or not _is_of_price_and_day(clause, said):
            return
        unit = last_unit(clause)
        if unit and figure.unit is None:
            figure = replace(figure, unit=unit, kind=TokenKind.AMOUNT)  # 每斤涨1毛
        is_of_futures = _OF_FUTURES.search(said) is not None
        if is_of_futures:
            drafts = [d for d in drafts if _is_futures(d.subject, said)]
        mentions = {s.mention for s in subjects} or {d.subject.mention for d in drafts[-1:]}
        targets = [d for d in drafts if d.subject.mention in mentions]
        targets = [d for d in targets if d.commodity == targets[-1].commodity]
        # 均上涨10元, 下跌10-20元
        is_for_all = figure.low != figure.high or any(t.text in _ALL for t in clause)
        if is_for_all and not any(d.change for d in drafts):
            targets = drafts
        if not targets and (self._pending is None or self._pending.owner not in subjects):
            owner = subjects[0] if subjects else None
            self._pending = _Pending(figure, sign, owner, is_of_futures)
        is_of_weeks = _OF_WEEKS.search(said) is not None
        for draft in targets:
            if draft.start in self._of_weeks and not is_of_weeks:
                draft.change = None  # 周涨30，日跌10
                self._of_weeks.remove(draft.start)
            elif draft.change is None and is_of_weeks:
                self._of_weeks.add(draft.start)
        give_change(figure, sign, targets)

    def note_start(self, figure: Figure, clause: Sequence[Token]) -> None:
        """Remember the old price of the next one, unless it dates from long ago."""
        is_long_ago = any(
            t.kind in (TokenKind.YEARLY, TokenKind.DATE, TokenKind.TOTAL)
            or (t.kind is TokenKind.OLD and t.text not in _FROM)
            for t in clause
        )
        self._start = None if is_long_ago else figure

    def apply_pending(self, drafts: list[Draft]) -> None:
        """Assign a change stated earlier to the prices just read."""
        if self._start is not None:
            for draft in drafts:
                draft.change = draft.change or _step(self._start, draft)
            self._start = None
        if self._pending is None:
            return
        own = [draft for draft in drafts if _is_of(draft.subject, self._pending.owner)]
        if self._pending.is_of_futures:
            own = [draft for draft in own if _is_futures(draft.subject, "")]
        give_change(self._pending.figure, self._pending.sign, own)


def _is_of_price_and_day(clause: Sequence[Token], said: str) -> bool:
    """Return whether a clause is about the move of a price since the day or the week before."""
    is_other = has_kind(clause, TokenKind.NOT_PRICE, TokenKind.EACH) or _PER_PIECE.search(said)
    is_rule = has_kind(clause, TokenKind.MOISTURE) and has_kind(clause, TokenKind.PERCENT)
    is_old = has_kind(clause, TokenKind.RECENT) and not has_kind(
        clause, TokenKind.THAN, TokenKind.TODAY
    )
    return not (is_other or is_rule or is_old or _NOT_OF_TODAY.search(said))


def _is_futures(subject: Subject, said: str) -> bool:
    name = subject.mention
    return subject.kind == "contract" or name in said or _OF_FUTURES.search(name) is not None


def _is_of(subject: Subject, owner: Subject | None) -> bool:
    """Return whether a change of an owner may be one of a subject: of itself, or of what is part of it."""
    if owner is None or owner.kind in ("nation", "goods"):
        return True
    return subject.mention == owner.mention or owner.mention in subject.region


def _step(start: Figure, draft: Draft) -> tuple[Decimal, Decimal] | None:
    """Return the change from the old price, if neither is a range and they are close enough."""
    end = draft.figure
    is_plain = start.low == start.high and end.low == end.high
    if not is_plain or start.unit not in (None, draft.unit):
        return None
    moved = end.low - start.low
    return (moved, moved) if moved and abs(moved) <= end.low / _FARTHEST else None


def give_change(figure: Figure, sign: int, drafts: Sequence[Draft]) -> None:
    """Assign a change of known sign, such as +10 or (跌5), to the drafts that have none."""
    for draft in drafts:
        if draft.change is None:
            draft.change = change_in(figure, sign, draft.unit, draft.figure.low, draft.commodity)


def change_in(
    figure: Figure, sign: int, unit: Unit, price: Decimal, goods: Commodity | None
) -> tuple[Decimal, Decimal]:
    """Return a change, low and high, signed and in the unit of its quote.

    厘 and 分 are per jin; a bare number is in the unit of the quote, or per ton if too large for it. Beside
    grain per jin it is in 分 if it is small: 玉米1.19元/斤 +0.5.
    """
    worth = unit.yuan_per_ton
    is_grain = figure.kind is TokenKind.BARE and goods is not None and goods.name in _GRAIN
    if figure.kind is TokenKind.AMOUNT and figure.unit is not None:
        factor = figure.unit.yuan_per_ton / worth
        if figure.high * factor > price / 2:  # 上涨10-20元/斤: a misprint of per ton
            factor = TON.yuan_per_ton / worth
    elif figure.kind is TokenKind.SMALL and unit == TON:
        factor = JIN.yuan_per_ton / worth
    elif is_grain and unit == JIN and price / 10 < figure.high < _CENTS:
        factor = Decimal("0.01")
    elif figure.kind is not TokenKind.SMALL and figure.high > price / (10 if is_grain else 2):
        factor = TON.yuan_per_ton / worth
    else:
        factor = Decimal(1)
    ends = sorted((sign * figure.low * factor, sign * figure.high * factor))
    return ends[0], ends[1]
