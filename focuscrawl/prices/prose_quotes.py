"""Quotes from running text: one pass over the tokens of a line, with the context carried along."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from focuscrawl.prices.confidence.reading_signs import signs_in_prose
from focuscrawl.prices.figures import figure_roles as roles
from focuscrawl.prices.figures import shared_details
from focuscrawl.prices.figures.moisture_and_condition import (
    Details,
    commodity_of,
    conditions_of,
    heading_in,
    is_deduction,
    is_local,
    is_variety,
    moisture_at,
    moisture_in,
    printed,
)
from focuscrawl.prices.figures.price_changes import ChangeBook, give_change
from focuscrawl.prices.names.entity_types import are_in_order, goods_in
from focuscrawl.prices.names.subject_finder import SubjectFinder
from focuscrawl.prices.quote_drafts import REPEATED, Document, Draft, Subject
from focuscrawl.prices.tokens import line_tokens as limits
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.implied_unit import LineUnits
from focuscrawl.prices.tokens.line_tokens import Token, has_kind, last_unit
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import (
    GOODS,
    MOVE_LIKE,
    MOVES,
    PRICE_LIKE,
    SIGN_OF,
    TokenKind,
)

_ABOUT_ALL = frozenset("以上 均为 均 都为 都是 均是 上述".split())
_CLAUSE_ENDS = frozenset({TokenKind.COMMA, TokenKind.CLOSE, TokenKind.QUOTE, TokenKind.TAB})


def bracket_details(inner: Sequence[Token], text: str) -> Details:
    """Return the details in a bracket, except for pieces about deductions."""
    details = Details()
    piece: list[Token] = []
    for token in (*inner, Token(TokenKind.COMMA, 0, 0, ",")):
        if token.kind not in (TokenKind.COMMA, TokenKind.SEMI, TokenKind.AND):
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
        if token.kind in MOVES:
            sign = SIGN_OF[token.kind]
        elif token.figure is not None:
            sign = token.figure.sign or sign
            return (token.figure, sign) if sign and token.kind in MOVE_LIKE else None
        elif token.kind not in (TokenKind.FILLER, TokenKind.THAN, TokenKind.RECENT):
            return None
    return None


def is_about_all(piece: Sequence[Token]) -> bool:
    """Return whether a note applies to all prices before it: 以上均为14水, 均为15水, (元/吨,14%水分)."""
    return bool(piece) and (piece[0].text in _ABOUT_ALL or has_kind(piece, TokenKind.UNIT))


def is_narrower(before: Sequence[Token], inner: Sequence[Token]) -> bool:
    """Return whether a bracket names the place within that before it: 山东(潍坊), 中部(泰安)."""
    is_place = len(inner) == 1 and inner[0].kind is TokenKind.PLACE
    return is_place and bool(before) and before[-1].kind in (TokenKind.PLACE, TokenKind.MOD)


_LEAST = Decimal(100)  # yuan per ton, for unknown commodities


class LineReader:
    """Reader of one line of running text."""

    def __init__(self, document: Document, tokens: Sequence[Token]) -> None:
        self.document = document
        self.tokens = tokens
        self.units = LineUnits(tokens, document.unit)
        self.finder = SubjectFinder(document)
        self.changes = ChangeBook()
        self.commodity = self.topic = document.heading_commodity
        self.is_local = False  # whether the commodity is only that of the last buyer
        self.goods = ""
        self.clauses: list[list[Token]] = []
        self.clause: list[Token] = []
        self.line: list[Draft] = []
        self.sentence_at = self.part_at = self.last_at = 0
        self.sharing = shared_details.Sharing(document.text)
        self.has_moisture = False
        self.is_past = False  # whether the prices of the sentence are of an earlier year
        self.is_tail = False  # whether the clause is the text between a price and the next comma

    def read(self) -> list[Draft]:
        """Return the drafts of the line, in the order of their prices."""
        index = 0
        while index < len(self.tokens):
            index = self._step(index)
            if limits.is_too_long(self.clause):
                self._end_clause()
        self._end_clause()
        drafts = shared_details.without_doubtful(self.line)
        shared_details.promote_first(drafts)
        shared_details.prefer_latest(drafts, self.document.plain)
        shared_details.add_distinctions(drafts)
        return drafts

    def _step(self, index: int) -> int:
        token = self.tokens[index]
        if token.kind is TokenKind.STOP:
            self._end_sentence()
        elif token.kind is TokenKind.SEMI:
            self._end_part()
        elif token.kind in _CLAUSE_ENDS:
            self._end_clause()
        elif token.kind is TokenKind.COLON:
            self._open_scope()
        elif token.kind is TokenKind.OPEN:
            return self._bracket(index)
        elif token.figure is not None:
            self._figure(index)
        elif token.text == "不限" and index and self.tokens[index - 1].text == "水分":
            self._add_moisture("不限", index)
        else:
            self.clause.append(token)
        return index + 1

    # -- boundaries ---------------------------------------------------------------------------

    def _end_clause(self) -> None:
        if not self.clause:
            self.is_tail = False
            return
        self._note_past()
        last = self._drafts_from(self.part_at)[-1:]
        if last and not is_deduction(self.clause) and not self.finder.names_any(self.clause):
            later = [
                c
                for c in conditions_of(self.clause, self.document.text)
                if c.startswith(("底扣", "霉变", "杂质"))
            ]
            shared_details.add_details(last, Details(condition=later))
        if not self.is_tail or self.finder.names_any(self.clause):
            self.clauses.append(self.clause)
        self.clause, self.is_tail = [], False

    def _note_past(self) -> None:
        is_present = has_kind(self.clause, TokenKind.TODAY, TokenKind.DATE)
        self.is_past = roles.is_past(self.clause) or (self.is_past and not is_present)

    def _end_part(self) -> None:
        self._end_clause()
        self.finder.note_context(self.clauses)
        self.clauses = []
        if len(self.line) > self.part_at:
            self.changes.forget()
        self.part_at = len(self.line)
        self.sharing.end_part()
        self.finder.end_part()

    def _end_sentence(self) -> None:
        if topic := heading_in([*self.clauses, self.clause], self.document.words):
            self.topic = self.commodity = topic
        self._end_part()
        topic = self.topic or self.document.title_commodity
        if self.is_local and topic is not None:
            self.commodity, self.is_local = topic, False
        self.sentence_at = len(self.line)
        self.sharing.scope = Details()
        self.finder.end_sentence()
        self.has_moisture = self.is_past = False

    def _open_scope(self) -> None:
        """Apply the text before a colon to the rest of the sentence."""
        self._note_past()
        self.finder.open_scope(limits.nearest(self.clauses, self.clause))
        scope = self.sharing.scope
        for clause in (*self.clauses, self.clause):
            if found := commodity_of(clause, self.document.words):
                self.commodity, self.is_local = found, False
            scope.condition += [
                printed(self.document.text, t.start, t.end)
                for t in clause
                if t.kind in (TokenKind.GRADE, TokenKind.COMMODITY) and is_variety(t)
            ]
            last = clause[-1].text if clause else ""
            if last and (last.endswith("价") or last.isascii()):  # 出库价：, Ex-warehouse:
                ends = [t for t in clause[-2:] if t.kind is TokenKind.SALE]
                scope.condition += conditions_of(ends, self.document.text)
        scope.condition = list(dict.fromkeys(scope.condition))[: limits.MOST_CONDITIONS]
        scope.moisture, self.sharing.pending.moisture = self.sharing.pending.moisture, ""
        self.clauses, self.clause = [], []

    # -- brackets -----------------------------------------------------------------------------

    def _bracket(self, index: int) -> int:
        close = self._closing(index)
        if close < 0:
            self._end_clause()
            return index + 1
        inner = self.tokens[index + 1 : close]
        if self.document.text[self.tokens[index].start] == "【" and self.finder.names_any(inner):
            self._end_sentence()
            self.finder.open_scope([inner])
            return close + 1
        if (move := move_in(inner)) and self._follows_price():
            give_change(*move, self.line[self.last_at :])
            return close + 1
        if has_kind(inner, TokenKind.AMOUNT, TokenKind.YUAN):
            return close + 1 if is_deduction(inner) else index + 1
        if inner and inner[-1].kind is TokenKind.UNIT:
            self.units.declared = last_unit(inner)
            return close + 1
        if any(t.text == "下同" for t in inner):
            self.units.declared = self.document.unit = (
                self.line[-1].unit if self.line else self.document.unit
            )
        if is_narrower(self.clause, inner):
            self.clause += inner
            return close + 1
        details = bracket_details(inner, self.document.text)
        if is_about_all(inner):
            shared_details.add_details(self._drafts_from(0), Details(details.moisture))
        elif self._follows_price():
            shared_details.add_details(self.line[self.last_at :], details)
        else:
            pending = self.sharing.pending
            pending.moisture = details.moisture or pending.moisture
            pending.condition += details.condition
            start, end = self.tokens[index].start, self.tokens[close].end
            name = "".join(t.text for t in inner)
            self.clause.append(Token(TokenKind.BRACKET, start, end, name))
        return close + 1

    def _closing(self, index: int) -> int:
        for close in range(index + 1, min(index + 60, len(self.tokens))):
            if self.tokens[close].kind is TokenKind.CLOSE:
                return close
            if self.tokens[close].kind in (TokenKind.OPEN, TokenKind.STOP):
                return -1
        return -1

    def _follows_price(self) -> bool:
        if len(self.line) == self.part_at:
            return False
        since = limits.nearest(self.clauses, self.clause)
        names_goods = any(t.kind in GOODS for clause in since for t in clause)
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
                self._add_moisture(printed(self.document.text, *moisture), index)
            return
        role = roles.role_of(self.tokens, index, self.clause)
        is_present = has_kind(self.clause, TokenKind.TODAY, TokenKind.DATE)
        role = roles.IS_OLD if role == roles.IS_PRICE and self.is_past and not is_present else role
        if role == roles.IS_OLD and roles.moves_on(self.tokens, index):
            self.changes.note_start(figure, self.clause)
            self.clause = [t for t in self.clause if not shared_details.EARLY.fullmatch(t.text)]
        if role == roles.IS_CHANGE:
            self.finder.adopt(self.clause)
            whole = next(
                filter(None, map(self._drafts_from, (self.part_at, self.sentence_at, 0))), []
            )
            self.changes.add(self.clause, token, self._of_its_goods(whole), self.finder.subjects)
        if role != roles.IS_PRICE or not self._emit(index, figure):
            self.clause.append(token)

    def _of_its_goods(self, drafts: list[Draft]) -> list[Draft]:
        """Return the drafts without those of other goods than the clause names."""
        goods, named = goods_in([self.clause]), commodity_of(self.clause, self.document.words)

        def is_alike(draft: Draft) -> bool:
            is_other = None not in (named, draft.commodity) and named != draft.commodity
            name = draft.subject.mention if draft.subject.kind == "goods" else goods
            return not is_other and (goods in name or name in goods)

        return [draft for draft in drafts if is_alike(draft)] if goods else drafts

    def _drafts_from(self, at: int) -> list[Draft]:
        return self.line[max(at, len(self.line) - limits.MOST_DRAFTS) :]

    def _rest_of_clause(self, index: int) -> list[Token]:
        rest = list(self.clause)
        for token in self.tokens[index + 1 : index + 20]:
            if token.kind in (TokenKind.COMMA, TokenKind.SEMI, TokenKind.STOP):
                break
            rest.append(token)
        return rest

    def _add_moisture(self, moisture: str, index: int) -> None:
        """Assign a moisture to the price that follows, or else to those before it."""
        self.has_moisture = True
        ahead = self._rest_of_clause(index)[len(self.clause) :]
        is_ahead = any(t.kind in PRICE_LIKE and t.kind is not TokenKind.BARE for t in ahead)
        part = self._drafts_from(self.part_at)
        if not part or is_ahead or self.finder.names_any(self.clause):
            self.sharing.pending.moisture = moisture
            return
        since = limits.nearest(self.clauses, self.clause)
        is_note = any(map(is_about_all, since))
        mention = part[-1].subject.mention
        for draft in self._drafts_from(0) if is_note else part:
            if (is_note or draft.subject.mention == mention) and not draft.moisture:
                draft.moisture = moisture

    # -- prices -------------------------------------------------------------------------------

    def _emit(self, index: int, figure: Figure) -> bool:
        if are_in_order(self.tokens, index, self.clause):
            start = self.tokens[index].start
            self.clause.append(Token(TokenKind.EACH, start, start, ""))
        descriptor = limits.nearest(self.clauses, self.clause)
        current = self.commodity or self.document.commodity
        own_part = self.finder.in_turn(descriptor)
        own = self._own_commodity(own_part, current)
        commodity = own or current
        unit = self._unit(index, figure, commodity)
        if unit is None or figure.low <= 0 or _is_too_little(figure, unit, commodity):
            return False
        if self._is_repeat(figure, unit, descriptor):
            self.document.columns[self.tokens[index].start] = REPEATED
            self._after_price([])
            return True
        subjects = self.finder.find(descriptor, own, self.line[-1] if self.line else None)
        self.commodity = own or self.commodity
        self.is_local = is_local(descriptor) if own else self.is_local
        self.goods = goods_in(own_part) or self.goods
        has_goods = own is not None and own_part is descriptor
        drafts = [
            self._draft(index, figure, unit, subject, commodity, own_part, has_goods)
            for subject in subjects
        ]
        self.line += drafts
        self.changes.apply_pending(drafts)
        self._after_price(drafts)
        return True

    def _own_commodity(
        self, descriptor: list[list[Token]], current: Commodity | None
    ) -> Commodity | None:
        """Return the commodity named in the nearest clause."""
        named = (commodity_of(d, self.document.words, current) for d in reversed(descriptor))
        return next((c for c in named if c is not None), None)

    def _after_price(self, drafts: list[Draft]) -> None:
        if drafts:
            self.last_at = len(self.line) - len(drafts)
        self.clauses, self.clause = [], []
        self.sharing.pending = Details()
        self.is_tail = True

    def _unit(self, index: int, figure: Figure, commodity: Commodity | None) -> Unit | None:
        if figure.unit is not None:
            return figure.unit
        if figure.kind is TokenKind.BARE and not roles.can_be_bare_price(
            self.tokens, index, self.clause
        ):
            return None
        return self.units.unit_for(index, figure, self.clause, commodity)

    def _is_repeat(self, figure: Figure, unit: Unit, descriptor: list[list[Token]]) -> bool:
        """Return whether this is the last price repeated in another unit."""
        if len(self.line) == self.part_at or any(map(self.finder.names_any, descriptor)):
            return False
        return self.line[-1].is_repeated_by(figure, unit)

    def _draft(
        self, index: int, figure: Figure, unit: Unit, subject: Subject,
        commodity: Commodity | None, descriptor: list[list[Token]], has_goods: bool,
    ) -> Draft:  # fmt: skip
        token = self.tokens[index]
        owners = "".join(s.mention + s.region for s in self.finder.subjects) + subject.mention
        details = self.sharing.details_for(descriptor, subject, has_goods, owners)
        first = min((t.start for clause in descriptor for t in clause), default=token.start)
        is_primary = self.sharing.is_primary(subject, commodity, self.goods, details.condition)
        goods = goods_in(descriptor)
        signs = signs_in_prose(descriptor, self.tokens, index, self.finder.how, subject, goods)
        return Draft(
            figure=figure,
            start=token.start,
            end=token.end,
            span_start=max(min(first, token.start), token.end - limits.LONGEST_SPAN),
            unit=unit,
            subject=subject,
            commodity=commodity,
            condition=details.condition,
            moisture=details.moisture,
            goods=self.goods,
            wording="".join(
                printed(self.document.text, t.start, t.end)
                for c in descriptor
                for t in c
                if t.kind is TokenKind.PRICE_WORD
            ),
            is_primary=is_primary,
            is_doubtful=roles.is_recent(self.clause),
            signs=tuple(signs),
        )


def _is_too_little(figure: Figure, unit: Unit, commodity: Commodity | None) -> bool:
    """Return whether an amount is so small that it must be a fee or a change, not a misprinted price."""
    least = commodity.low / 20 if commodity is not None else _LEAST
    return figure.high * unit.yuan_per_ton < least
