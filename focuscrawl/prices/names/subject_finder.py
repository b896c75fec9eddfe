"""Assignment of a price to its subject, with the context of earlier lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from focuscrawl.prices.figures.moisture_and_condition import is_deduction
from focuscrawl.prices.names.entity_types import follows_a_price, goods_in, listed_goods
from focuscrawl.prices.names.price_subjects import (
    Group,
    SubjectMaker,
    find_groups,
    lookup,
    province_of,
)
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.line_tokens import MOST_PLACES, MOST_SUBJECTS, Token, has_kind
from focuscrawl.prices.tokens.token_kinds import GOODS, PLACES, TokenKind
from focuscrawl.text.places.gazetteer import PROVINCE

_ON_THE_MARKET = frozenset({"市场", "市场上"})
_ANY_MARKET = frozenset("批发市场 农产品批发市场 集贸市场 市场".split())
_SHOPS = ("市场", "超市", "门店")
_ANYONE = frozenset("企业 厂家 农户 农民 种植户 基层 市场 商家 商户".split())
_ORIGIN = re.compile(r"产|东北|华北|黄淮|河北|河南|吉林|辽宁|黑龙江|内蒙|山东|安徽|进口")


class SubjectFinder:
    """Finder of the subjects of prices, which tracks the current subjects of a line."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._maker = SubjectMaker(document.text)
        self.subjects: list[Subject] = [document.heading] if document.heading else []
        self._provincial = document.heading
        self._scope: Subject | None = None
        self._has_price_in_sentence = self._has_price_in_part = False
        self._is_buyer = False  # whether the current place was quoted for goods from elsewhere
        self._queue: list[Subject] = []
        self._goods_queue: list[Token] = []
        self.how = ""  # how the last subjects were found, for the confidence

    def find(
        self, descriptor: Sequence[Sequence[Token]], own: Commodity | None, last: Draft | None
    ) -> list[Subject]:
        """Return the subjects of the price after ``descriptor`` (clauses, in order)."""
        self._is_buyer = last is not None and any(_ORIGIN.search(c) for c in last.condition)
        found = self._choose(descriptor, own, last)
        self._has_price_in_sentence = self._has_price_in_part = True
        return found

    def _choose(
        self, descriptor: Sequence[Sequence[Token]], own: Commodity | None, last: Draft | None
    ) -> list[Subject]:
        found = self._strong(descriptor)
        if found:
            self.how = "named here" if self.names_any(descriptor[-1]) else "named before"
            return self._adopted(found, descriptor[-1])
        is_next = self._queue and follows_a_price(descriptor)
        if listed := self._queue.pop(0) if is_next else self._next_goods(descriptor):
            self.subjects, self.how = [listed], "named in order"
            return self.subjects
        if weak := self._weak(descriptor):
            self.subjects, self.how = [weak], "unknown name"
            return self.subjects
        self.how = "carried" if self._has_price_in_sentence else "carried on"
        if self._leaves_market(descriptor):
            self.subjects = []
        if self._needs_goods(own, last, goods_in(descriptor)):
            is_other = last is not None and last.commodity != own
            self.subjects = [self._goods(descriptor, is_other)]
            self.how = "goods" if goods_in(descriptor) else "goods of the text"
        return self.subjects

    def names_any(self, clause: Sequence[Token]) -> bool:
        """Return whether a clause names a firm, an actor, a place or a contract."""
        return bool(self._strong([clause]))

    def adopt(self, clause: Sequence[Token]) -> None:
        """Make the subject of a clause current, if it names one."""
        if found := self._strong([clause]):
            self._adopted(found, [])

    def note_context(self, clauses: Sequence[Sequence[Token]]) -> None:
        """Remember the place or firm of clauses without a price."""
        for clause in clauses:
            found = [] if is_deduction(clause) else self._strong([clause])
            if found and found[0].kind == "actor":
                places = [t for t in clause if t.kind in PLACES]
                place = self._maker.subject(places[-1:], places[:-1], self._provincial)
                found = [place] if place else []
            if found:
                self._adopted(found, [])

    def open_scope(self, clauses: Sequence[Sequence[Token]]) -> None:
        """Make the subject named before a colon current."""
        if found := self._strong(clauses):
            self._adopted(found, [])
            if found[0].is_bare_place:
                self._scope = found[0]

    def end_part(self) -> None:
        """Drop context that applies up to a semicolon only."""
        self._has_price_in_part = False

    def end_sentence(self) -> None:
        """Drop context that applies within a sentence only."""
        self._is_buyer = self._has_price_in_sentence = self._has_price_in_part = False
        self._scope = None

    def _adopted(self, found: list[Subject], clause: Sequence[Token]) -> list[Subject]:
        self.subjects = found
        if found[-1].province_printed:
            self._provincial = found[-1]
        self._queue = []
        if len(found) > 1 and has_kind(clause, TokenKind.EACH):
            self._queue = found[1:]
            return found[:1]
        return found

    # -- strong subjects ----------------------------------------------------------------------

    def _strong(self, descriptor: Sequence[Sequence[Token]]) -> list[Subject]:
        for position in range(len(descriptor) - 1, -1, -1):
            before = _places(t for clause in descriptor[:position] for t in clause)
            if found := self._in_clause(descriptor[position], before):
                return found
        return []

    def _in_clause(self, clause: Sequence[Token], earlier: Group) -> list[Subject]:
        runs = _runs(clause)
        for position in range(len(runs) - 1, -1, -1):
            run = runs[position]
            if self._is_origin(clause, run, runs[:position], earlier):
                continue
            before = _places(t for r in runs[:position] for g in r for t in g)
            if before and all(t.text in _ANYONE for g in run for t in g):
                continue
            groups = run[:MOST_SUBJECTS]
            found = [s for g in groups if (s := self._subject(g, before or earlier))]
            if found and all(s.kind != "weak" for s in found):
                return found
        return []

    def _subject(self, group: Group, before: Group) -> Subject | None:
        has_places = any(t.kind in PLACES for t in group)
        if has_places and not _is_parent(before, group):
            before = []
        carried = self._provincial
        if not has_places and not before:
            is_actor = not has_kind(group, TokenKind.BRAND, TokenKind.NAME, TokenKind.NAME_END)
            carried = self.subjects[-1] if self.subjects and is_actor else self._scope
        return self._maker.subject(group, before, carried)

    def _is_origin(
        self, clause: Sequence[Token], run: list[Group], runs: list[list[Group]], earlier: Group
    ) -> bool:
        """Return whether bare places are the origin of the goods: 赣州河北玉米, 南昌：河北、河南玉米."""
        if not all(t.kind in PLACES for group in run for t in group) or run[-1][-1].text == "全国":
            return False
        after = next((t for t in clause if t.start >= run[-1][-1].end), None)
        is_goods = after is not None and after.kind in (
            TokenKind.COMMODITY,
            TokenKind.GRADE,
            TokenKind.VARIETY,
        )
        if not is_goods and not (self._scope and self._is_buyer):
            return False
        above = [t for r in runs for g in r for t in g if t.kind in PLACES] or earlier
        holder = self._scope or (self.subjects[-1] if self._is_buyer else None)
        province = province_of(above[0]) if above else holder.province if holder else ""
        own = province_of(run[-1][-1])
        if self._has_price_in_sentence and not self._has_price_in_part:
            return False  # after a semicolon it is a new place
        if run[-1][-1].kind is TokenKind.ZONE:
            return bool(province) or self._has_buyer()
        return bool(province and own and province != own)

    def _has_buyer(self) -> bool:
        """Return whether a firm or a place smaller than a zone is current."""
        if not self.subjects:
            return False
        last = self.subjects[-1]
        return last.kind in ("firm", "actor") or (last.kind == "place" and bool(last.province))

    # -- weak subjects and goods --------------------------------------------------------------

    def _weak(self, descriptor: Sequence[Sequence[Token]]) -> Subject | None:
        """Return a name in no list, unless a better subject is current."""
        for clause in reversed(descriptor):
            for group, _ in find_groups(clause):
                subject = self._subject(group, [])
                is_alone = all(t in group for t in clause)
                if subject and subject.kind == "weak" and is_alone and len(subject.mention) <= 6:
                    return subject
        return None

    def _leaves_market(self, descriptor: Sequence[Sequence[Token]]) -> bool:
        """Return whether the price is the market's, no longer that of the current buyer or shop."""
        words = [t.text for clause in descriptor for t in clause]
        if any(word in _ON_THE_MARKET for word in words):
            return True
        in_shop = bool(self.subjects) and self.subjects[-1].mention.endswith(_SHOPS)
        return in_shop and not self._has_price_in_sentence and any(w.endswith("价") for w in words)

    def _needs_goods(self, own: Commodity | None, last: Draft | None, goods: str) -> bool:
        """Return whether the price is that of a commodity, no longer that of the current subject."""
        if not self.subjects:
            return True
        current = self.subjects[-1]
        if not goods or last is None or current.kind == "contract":
            return False
        if current.kind in ("goods", "nation", "weak") or current.mention in _ANY_MARKET:
            return True
        if current.kind != "place":
            return last.commodity != own and not self._has_price_in_sentence
        is_other = last.commodity != own or not last.goods
        return is_other and not (self._has_price_in_part or current is self._scope)

    def _goods(self, descriptor: Sequence[Sequence[Token]], is_other: bool) -> Subject:
        region = "" if is_other else self._region_of_goods()
        for clause in reversed(descriptor):
            for index in range(len(clause) - 1, -1, -1):
                if clause[index].kind in GOODS:
                    return Subject("goods", self._goods_name(clause, index), region)
        priced = [
            t
            for clause in descriptor
            for t in clause
            if t.kind is TokenKind.PRICE_WORD and len(t.text) > 2
        ]
        if priced:
            return Subject("goods", self._maker.printed(priced[-1].start, priced[-1].end), region)
        return Subject("goods", self._document.goods_as_printed(), region)

    def in_turn(self, descriptor: list[list[Token]]) -> list[list[Token]]:
        """Return a descriptor without the goods whose price is another one: 黄瓜、芹菜分别为."""
        if self._goods_queue and follows_a_price(descriptor):
            return [[self._goods_queue[0]]]
        goods = listed_goods(descriptor[-1])
        return [[t for t in descriptor[-1] if t not in goods[1:]]] if goods else descriptor

    def _next_goods(self, descriptor: Sequence[Sequence[Token]]) -> Subject | None:
        """Return the goods of a list (黄瓜、芹菜分别为) whose turn it is."""
        if not (self._goods_queue and follows_a_price(descriptor)):
            self._goods_queue = listed_goods(descriptor[-1])
        if not self._goods_queue:
            return None
        name = self._goods_queue.pop(0)
        return Subject("goods", self._maker.printed(name.start, name.end), self._region_of_goods())

    def _region_of_goods(self) -> str:
        """Return the region of goods named under the current subject."""
        return self.subjects[-1].area if self.subjects else ""

    def _goods_name(self, clause: Sequence[Token], index: int) -> str:
        start = clause[index].start
        if index and clause[index - 1].kind is TokenKind.GRADE and clause[index - 1].end == start:
            start = clause[index - 1].start
        return self._maker.printed(start, clause[index].end)


def _places(tokens: Iterable[Token]) -> Group:
    return [token for token in tokens if token.kind in PLACES][-MOST_PLACES:]


def _runs(clause: Sequence[Token]) -> list[list[Group]]:
    runs: list[list[Group]] = []
    for group, is_joined in find_groups(clause):
        if is_joined and runs:
            runs[-1].append(group)
        else:
            runs.append([group])
    return runs


def _is_parent(before: Iterable[Token], group: Group) -> bool:
    """Return whether the places before a group can contain it: 河南，新乡…"""
    first = next(t for t in group if t.kind in PLACES)
    place, above = lookup(first), next(iter(before), None)
    if above is None or place is None or place.level == PROVINCE:
        return False
    province = province_of(above)
    return province in place.provinces if province else above.kind is TokenKind.ZONE
