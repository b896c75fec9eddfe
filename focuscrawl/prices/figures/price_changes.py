"""Price changes: their assignment to quotes, and their amounts in the unit of the quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from focuscrawl.prices.figures.figure_roles import change_sign
from focuscrawl.prices.quote_drafts import Draft, Subject
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.line_tokens import Token, has_kind
from focuscrawl.prices.tokens.price_units import JIN, TON, Unit
from focuscrawl.prices.tokens.token_kinds import TokenKind

_FARTHEST = 4  # divisor of the price: larger differences are to another time or place
_FROM = frozenset("由 从 自 原 原来 原价".split())
_LONG_AGO = frozenset("年初 去年底 上年度 年前的".split())
_ALL = frozenset("均 都 普遍 全线 全部 一致 统一 双双 同步 集体".split())
_LONG_TIME = re.compile("[半一两三四五六]个?多?月|本月以来|年内|今年以来|半年")


class ChangeBook:
    """Changes in a line; a change stated before its price is kept for it."""

    def __init__(self) -> None:
        self._pending: tuple[Figure, int, Subject | None] | None = None
        self._start: Figure | None = None

    def forget(self) -> None:
        """Drop a change without a price in its part of the sentence."""
        self._pending = None

    def add(
        self, clause: Sequence[Token], token: Token, drafts: list[Draft], subjects: list[Subject]
    ) -> None:
        """Assign a change to the preceding quotes of the current subjects, or keep it for later ones."""
        figure, sign = token.figure, change_sign(clause, token)
        if figure is None or not sign:
            return
        if has_kind(clause, TokenKind.EACH):
            return  # 分别上调10元、14元
        said = "".join(t.text for t in clause)
        if any(t.text in _LONG_AGO for t in clause) or _LONG_TIME.search(said):
            return
        mentions = {s.mention for s in subjects} or {d.subject.mention for d in drafts[-1:]}
        targets = [d for d in drafts if d.subject.mention in mentions]
        targets = [d for d in targets if d.commodity == targets[-1].commodity]
        # 均上涨10元, 下跌10-20元
        is_for_all = figure.low != figure.high or any(t.text in _ALL for t in clause)
        if is_for_all and not any(d.change for d in drafts):
            targets = drafts
        if not targets and (self._pending is None or self._pending[2] not in subjects):
            self._pending = (figure, sign, subjects[0] if subjects else None)
        _give(figure, sign, targets)

    def add_signed(self, figure: Figure, sign: int, drafts: list[Draft]) -> None:
        """Assign a change of known sign, printed as +10 or (跌5), to ``drafts``."""
        _give(figure, sign, drafts)

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
        figure, sign, owner = self._pending
        _give(figure, sign, [draft for draft in drafts if _is_of(draft.subject, owner)])


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


def _give(figure: Figure, sign: int, drafts: Sequence[Draft]) -> None:
    for draft in drafts:
        if draft.change is None:
            draft.change = change_in(figure, sign, draft.unit, draft.figure.low)


def change_in(figure: Figure, sign: int, unit: Unit, price: Decimal) -> tuple[Decimal, Decimal]:
    """Return a change, low and high, signed and in the unit of its quote.

    厘 and 分 are per jin; a bare number is in the unit of the quote, or per ton if too large for it.
    """
    worth = unit.yuan_per_ton
    if figure.kind is TokenKind.AMOUNT and figure.unit is not None:
        factor = figure.unit.yuan_per_ton / worth
        if figure.high * factor > price / 2:  # 上涨10-20元/斤: a misprint of per ton
            factor = TON.yuan_per_ton / worth
    elif figure.kind is TokenKind.SMALL and unit == TON:
        factor = JIN.yuan_per_ton / worth
    elif figure.kind is not TokenKind.SMALL and figure.high > price / 2:
        factor = TON.yuan_per_ton / worth
    else:
        factor = Decimal(1)
    ends = sorted((sign * figure.low * factor, sign * figure.high * factor))
    return ends[0], ends[1]
