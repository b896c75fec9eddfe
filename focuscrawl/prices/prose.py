"""Quotes out of running text: one pass over the tokens of a line, with the context carried along."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from .changes import ChangeBook
from .details import Details, commodity_of, conditions_of, is_deduction, is_variety, moisture_at
from .drafts import Document, Draft, Subject
from .figures import BARE, OTHER, PERCENT, POINTS, PRICE, PRICE_LIKE, SMALL, UNIT, YUAN, Figure
from .finder import SubjectFinder, goods_in
from .implied import LineUnits
from .lexicon import Commodity
from .normalise import normalise
from .roles import IS_CHANGE, IS_PRICE, is_recent, role_of
from .tokens import Token
from .units import Unit

_SAME_PRICE = Decimal("0.015")
_BARE_BEFORE = frozenset(
    "place zone port actor name name_end brand commodity price sale grade to colon and mod close each bracket".split()
)
_BARE_AFTER = frozenset("comma and semi stop close open up down tab".split())
_EXTREMES = ("底价", "起拍价", "拍卖底价", "最高", "最低", "最差", "最高价", "最低价")
_VERSIONS = ("新", "陈", "国产", "进口", "一级", "二级", "三级", "四级", "玉米")
_BIDS = ("底价", "起拍价", "拍卖底价")
_MOVED_BY = frozenset({BARE, YUAN, PRICE, SMALL, POINTS})
_PER_PIECE = re.compile(r"元\s*[/每一]")
_MAX_SPAN = 80


class LineReader:
    """Reads one line of running text."""

    def __init__(self, document: Document, tokens: Sequence[Token]) -> None:
        self.document = document
        self.tokens = tokens
        self.units = LineUnits(tokens, document.unit)
        self.finder = SubjectFinder(document)
        self.changes = ChangeBook()
        self.commodity: Commodity | None = document.heading_commodity
        self.goods = ""
        self.clauses: list[list[Token]] = []
        self.clause: list[Token] = []
        self.line: list[Draft] = []
        self.sentence_at = self.part_at = self.last_at = 0
        self.pending = Details()
        self.carried = Details()
        self.scope = Details()
        self.has_moisture = False
        self.grades: list[str] = []
        self.is_tail = False  # whether the clause is what follows a price before the next comma
        self.seen: dict[tuple[str, str, str], int] = {}

    def read(self) -> list[Draft]:
        """Return the drafts of the line, in the order of their prices."""
        index = 0
        while index < len(self.tokens):
            index = self._step(index)
        self._end_clause()
        drafts = _without_doubtful(self.line)
        _promote_first(drafts)
        return drafts

    def _step(self, index: int) -> int:
        token = self.tokens[index]
        if token.kind == "stop":
            self._end_sentence()
        elif token.kind == "semi":
            self._end_part()
        elif token.kind in ("comma", "close", "quote", "tab"):
            self._end_clause()
        elif token.kind == "colon":
            self._open_scope()
        elif token.kind == "open":
            return self._bracket(index)
        elif token.figure is not None:
            self._figure(index)
        elif token.kind == "moisture" and self._next_text(index) == "不限":
            self._add_moisture("不限", index)
        else:
            self.clause.append(token)
        return index + 1

    def _next_text(self, index: int) -> str:
        return self.tokens[index + 1].text if index + 1 < len(self.tokens) else ""

    # -- boundaries ---------------------------------------------------------------------------

    def _end_clause(self) -> None:
        if not self.clause:
            return
        part = self.line[self.part_at :]
        if part and not is_deduction(self.clause) and not self.finder.names_any(self.clause):
            later = [
                c for c in self._conditions(self.clause) if c.startswith(("底扣", "霉变", "杂质"))
            ]
            for draft in part[-1:]:
                draft.condition += [c for c in later if c not in draft.condition]
        if not self.is_tail or self.finder.names_any(self.clause):
            self.clauses.append(self.clause)
        self.clause, self.is_tail = [], False

    def _end_part(self) -> None:
        self._end_clause()
        self._add_afterthoughts()
        self.is_tail = False
        self.finder.note_context(self.clauses)
        self.clauses = []
        self.part_at = len(self.line)
        self.pending, self.carried = Details(), Details()
        self.changes.forget()
        self.finder.end_part()

    def _add_afterthoughts(self) -> None:
        """Take clauses of nothing but grades and terms behind the last price for that price's."""
        last = self.line[-1:] if len(self.line) > self.part_at else []
        for clause in self.clauses:
            if all(t.kind in ("grade", "sale", "filler") for t in clause):
                _add_details(last, Details(condition=self._conditions(clause)))

    def _end_sentence(self) -> None:
        self._end_part()
        self.sentence_at = len(self.line)
        self.scope = Details()
        self.finder.end_sentence()
        self.has_moisture = False

    def _open_scope(self) -> None:
        """What stands before a colon holds for all that follows in the sentence."""
        self.finder.open_scope([*self.clauses, self.clause])
        for clause in (*self.clauses, self.clause):
            self.commodity = commodity_of(clause, self.document.words) or self.commodity
            self.scope.condition += [
                self._printed(t.start, t.end)
                for t in clause
                if t.kind in ("grade", "commodity") and is_variety(t)
            ]
        self.scope.moisture, self.pending.moisture = self.pending.moisture, ""
        self.clauses, self.clause = [], []

    # -- brackets -----------------------------------------------------------------------------

    def _bracket(self, index: int) -> int:
        close = self._closing(index)
        if close < 0:
            self._end_clause()
            return index + 1
        inner = self.tokens[index + 1 : close]
        if (move := _move_in(inner)) and self._follows_price():
            self.changes.add_signed(*move, self.line[self.last_at :])
            return close + 1
        if any(t.kind == PRICE for t in inner) or any(t.kind == YUAN for t in inner):
            if not is_deduction(inner):
                return index + 1
            return close + 1
        if inner and inner[-1].kind == UNIT:
            self.units.declared = inner[-1].figure.unit if inner[-1].figure else None
            return close + 1
        if any(t.text == "下同" for t in inner):
            self.units.declared = self.document.unit = (
                self.line[-1].unit if self.line else self.document.unit
            )
        details = self._bracket_details(inner)
        if self._follows_price():
            _add_details(self.line[self.last_at :], details)
        else:
            self.pending.moisture = details.moisture or self.pending.moisture
            self.pending.condition += details.condition
            start, end = self.tokens[index].start, self.tokens[close].end
            name = "".join(t.text for t in inner)
            self.clause.append(Token("bracket", start, end, name))
        return close + 1

    def _bracket_details(self, inner: Sequence[Token]) -> Details:
        """Read a bracket piece by piece; pieces about deductions are left out."""
        details = Details()
        piece: list[Token] = []
        for token in (*inner, Token("comma", 0, 0, ",")):
            if token.kind not in ("comma", "semi", "and"):
                piece.append(token)
                continue
            if piece and not is_deduction(piece):
                found = next((m for i in range(len(piece)) if (m := moisture_at(piece, i))), None)
                if found is None and _is_lone_percent(piece):
                    found = piece[0].start, piece[0].end
                if found is not None:
                    details.moisture = details.moisture or self._printed(*found)
                details.condition += self._conditions(piece)
            piece = []
        return details

    def _conditions(self, clause: Sequence[Token], owner: str = "") -> list[str]:
        return conditions_of(clause, self.document.text, owner)

    def _printed(self, start: int, end: int) -> str:
        return "".join(self.document.text[start:end].split())

    def _closing(self, index: int) -> int:
        for close in range(index + 1, min(index + 60, len(self.tokens))):
            if self.tokens[close].kind == "close":
                return close
            if self.tokens[close].kind in ("open", "stop"):
                return -1
        return -1

    def _follows_price(self) -> bool:
        if len(self.line) == self.part_at:
            return False
        since = (*self.clauses, self.clause)
        names_goods = any(t.kind in ("commodity", "variety") for clause in since for t in clause)
        return not names_goods and not any(self.finder.names_any(clause) for clause in since)

    # -- figures ------------------------------------------------------------------------------

    def _figure(self, index: int) -> None:
        token = self.tokens[index]
        figure = token.figure
        assert figure is not None
        moisture = moisture_at(self.tokens, index, self.has_moisture)
        if moisture is not None:
            self.clause.append(token)
            if not is_deduction(self._rest_of_clause(index)):
                self._add_moisture(self._printed(*moisture), index)
            return
        if figure.kind == OTHER and _PER_PIECE.search(token.text):
            self.finder.adopt(self.clause)
            self.clauses, self.clause = [], []
            return
        role = role_of(self.tokens, index, self.clause)
        if role == IS_CHANGE:
            self.finder.adopt(self.clause)
            whole = self.line[self.part_at :] or self.line[self.sentence_at :] or self.line
            self.changes.add(self.clause, token, whole, self.finder.subjects)
        if role != IS_PRICE or not self._emit(index, figure):
            self.clause.append(token)

    def _rest_of_clause(self, index: int) -> list[Token]:
        rest = list(self.clause)
        for token in self.tokens[index + 1 : index + 20]:
            if token.kind in ("comma", "semi", "stop"):
                break
            rest.append(token)
        return rest

    def _add_moisture(self, moisture: str, index: int) -> None:
        """Give a moisture to the price that follows, or else to those before it."""
        self.has_moisture = True
        ahead = self._rest_of_clause(index)[len(self.clause) :]
        is_ahead = any(t.kind in PRICE_LIKE and t.kind != BARE for t in ahead)
        part = self.line[self.part_at :]
        if not part or is_ahead or self.finder.names_any(self.clause):
            self.pending.moisture = moisture
            return
        mention = part[-1].subject.mention
        for draft in part:
            if draft.subject.mention == mention and not draft.moisture:
                draft.moisture = moisture

    # -- prices -------------------------------------------------------------------------------

    def _emit(self, index: int, figure: Figure) -> bool:
        descriptor = [*self.clauses, self.clause]
        own = next(
            (c for d in reversed(descriptor) if (c := commodity_of(d, self.document.words))), None
        )
        commodity = own or self.commodity or self.document.commodity
        unit = self._unit(index, figure, commodity)
        if unit is None or figure.low <= 0 or _is_too_little(figure, unit, commodity):
            return False
        if self._is_repeat(figure, unit, descriptor):
            self._after_price([])
            return True
        subjects = self.finder.find(descriptor, own, self.line[-1] if self.line else None)
        self.commodity = own or self.commodity
        self.goods = goods_in(descriptor) or self.goods
        drafts = [self._draft(index, figure, unit, s, commodity, descriptor, own) for s in subjects]
        self.line += drafts
        self.changes.apply_pending(drafts)
        self._after_price(drafts)
        return True

    def _after_price(self, drafts: list[Draft]) -> None:
        if drafts:
            self.last_at = len(self.line) - len(drafts)
        self.clauses, self.clause = [], []
        self.pending = Details()
        self.is_tail = True

    def _unit(self, index: int, figure: Figure, commodity: Commodity | None) -> Unit | None:
        if figure.unit is not None:
            return figure.unit
        if figure.kind == BARE and not self._can_be_bare_price(index, figure):
            return None
        return self.units.unit_for(index, figure, self.clause, commodity)

    def _can_be_bare_price(self, index: int, figure: Figure) -> bool:
        before = self.clause[-1] if self.clause else None
        if figure.sign:
            return False
        if before is not None and before.kind not in _BARE_BEFORE and before.kind != "filler":
            return before.kind == UNIT
        if before is None and not (
            index and self.tokens[index - 1].kind in ("colon", "and", "comma")
        ):
            return False
        if any(t.kind in ("fact", "quality", "not_price") for t in self.clause):
            return False
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        if after is not None and after.start > self.tokens[index].end:
            return True
        is_move = after is not None and after.figure is not None and bool(after.figure.sign)
        return (
            is_move
            or after is None
            or after.kind in _BARE_AFTER
            or after.text in ("左右", "上下", "不等")
        )

    def _is_repeat(self, figure: Figure, unit: Unit, descriptor: list[list[Token]]) -> bool:
        """Whether this is the last price once more, in another unit."""
        if len(self.line) == self.part_at or unit == self.line[-1].unit:
            return False
        if any(self.finder.names_any(clause) for clause in descriptor):
            return False
        last = self.line[-1].per_ton[0]
        return abs(figure.low * unit.yuan_per_ton - last) <= last * _SAME_PRICE

    def _draft(
        self, index: int, figure: Figure, unit: Unit, subject: Subject,
        commodity: Commodity | None, descriptor: list[list[Token]], own: Commodity | None,
    ) -> Draft:  # fmt: skip
        token = self.tokens[index]
        owner = normalise(subject.mention + subject.region)
        conditions = [
            c
            for clause in descriptor
            for c in self._conditions(clause, owner)
            if not is_deduction(clause)
        ]
        conditions += self.pending.condition
        is_lot_only = bool(conditions) and own is None and all("吨以" in c for c in conditions)
        moisture = self.pending.moisture or self.scope.moisture
        is_converted = any(t.kind == "converted" for clause in descriptor for t in clause)
        has_variety = any(_is_variety(c) for c in conditions)
        if not is_converted and (is_lot_only or not has_variety):
            moisture = moisture or self.carried.moisture
        name = "".join(subject.mention.split())
        conditions = self._share_out(descriptor, conditions)
        conditions = self._with_shared(conditions, subject, own is not None)
        conditions = [c for c in conditions if c != name]
        if self.pending.moisture:
            self.carried.moisture = self.pending.moisture
        first = next((t for clause in descriptor for t in clause), token)
        start = max(min(first.start, token.start), token.end - _MAX_SPAN)
        return Draft(
            figure=figure, start=token.start, end=token.end, span_start=start, unit=unit,
            subject=subject, commodity=commodity, condition=conditions, moisture=moisture, goods=self.goods,
            is_primary=self._is_primary(subject, commodity, conditions),
            is_doubtful=is_recent(self.clause),
        )  # fmt: skip

    def _share_out(self, descriptor: list[list[Token]], conditions: list[str]) -> list[str]:
        """Give of 一等、二等分别为 each price its own grade."""
        tokens = [t for clause in descriptor for t in clause]
        if any(t.kind == "each" for t in tokens):
            grades = [self._printed(t.start, t.end) for t in tokens if t.kind == "grade"]
            self.grades = grades if len(grades) > 1 else []
            conditions = [c for c in conditions if not any(g in c for g in self.grades)]
        elif not all(t.kind == "and" for t in tokens):
            self.grades = []
        if self.grades:
            return [*conditions, self.grades.pop(0)]
        return conditions

    def _with_shared(self, own: list[str], subject: Subject, has_goods: bool) -> list[str]:
        """Add what an earlier price of the sentence said for the later ones, too."""
        shared: list[str] = []
        if len(self.line) > self.part_at:
            is_same = self.line[-1].subject.mention == subject.mention
            has_variety = any(_is_variety(c) for c in own)
            if not own and not is_same and not has_goods:
                shared = self.carried.condition
            elif is_same and not has_variety:
                shared = [c for c in self.carried.condition if _is_variety(c)]
        both = list(dict.fromkeys((*self.scope.condition, *shared, *own)))
        if any(_is_variety(c) for c in own) or not shared:
            self.carried.condition = both
        return both

    def _is_primary(
        self, subject: Subject, commodity: Commodity | None, conditions: list[str]
    ) -> bool:
        if any(c.startswith(_EXTREMES) for c in conditions):
            return False
        name = commodity.name if commodity else ""
        is_place = subject.kind in ("place", "nation", "goods")
        goods = name + self.goods if is_place and not _is_version(self.goods, name) else name
        key = (subject.mention, subject.region, goods)
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] == 1


def _is_variety(condition: str) -> bool:
    return condition.endswith(("玉米", "粮", "麦", "豆", "稻", "产"))


def _is_lone_percent(piece: Sequence[Token]) -> bool:
    figure = piece[0].figure
    return (
        len(piece) == 1 and figure is not None and figure.kind == PERCENT and 8 <= figure.high <= 40
    )


def _is_version(goods: str, name: str) -> bool:
    """Whether a word for goods is the commodity itself, or its new, old, local, graded version."""
    if goods.endswith("粮") or goods.startswith(_VERSIONS):
        return True
    return len(goods) < 3 and goods[-1:] in name


def _move_in(inner: Sequence[Token]) -> tuple[Figure, int] | None:
    """Return the move of a bracket such as (+10), (涨1分), (-5), and its sign."""
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


def _add_details(drafts: list[Draft], details: Details) -> None:
    for draft in drafts:
        draft.moisture = draft.moisture or details.moisture
        draft.condition += [c for c in details.condition if c not in draft.condition]


def _promote_first(drafts: list[Draft]) -> None:
    """Where nothing of a subject's is primary, an opening bid or what is left of it becomes so."""
    primary = {(d.subject.mention, d.commodity) for d in drafts if d.is_primary}
    for draft in drafts:
        key = (draft.subject.mention, draft.commodity)
        is_extreme = any(
            c.startswith(_EXTREMES) and not c.startswith(_BIDS) for c in draft.condition
        )
        if key not in primary and not is_extreme:
            draft.is_primary = True
            primary.add(key)


def _is_too_little(figure: Figure, unit: Unit, commodity: Commodity | None) -> bool:
    """Whether an amount is so small that it must be a fee or a step, not a misprinted price."""
    return commodity is not None and figure.high * unit.yuan_per_ton * 20 < commodity.low


def _without_doubtful(drafts: list[Draft]) -> list[Draft]:
    """Drop yesterday's price of a subject whose price of today is given, too."""
    sure = {(d.subject.mention, d.commodity) for d in drafts if not d.is_doubtful}
    return [d for d in drafts if not d.is_doubtful or (d.subject.mention, d.commodity) not in sure]
