"""Candidates for quotes: each plausible figure with each possible subject, and the signs of both."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from statistics import median, mode
from typing import NamedTuple

from focuscrawl.prices.candidates.candidate_signs import (
    PossibleName,
    figure_signs,
    line_signs,
    possible_names,
    segments_of,
    shape_of,
)
from focuscrawl.prices.candidates.detail_options import (
    GoodsOption,
    UnitOption,
    goods_options,
    named_goods,
    unit_options,
)
from focuscrawl.prices.candidates.line_layout import LineLayout, Relation
from focuscrawl.prices.confidence.reading_signs import GOODS_OF, UNIT_OF_ROW
from focuscrawl.prices.confidence.text_network import FigureInText
from focuscrawl.prices.figures.figure_roles import moves_on
from focuscrawl.prices.figures.moisture_and_condition import commodity_of
from focuscrawl.prices.names.price_subjects import SubjectMaker
from focuscrawl.prices.quote_drafts import (
    PER_PIECE,
    REPEATED,
    Document,
    Draft,
    Subject,
    prices_by_goods,
)
from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon, Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.implied_unit import fits, guess_unit
from focuscrawl.prices.tokens.line_tokens import Token, last_unit, tokenise, with_whole_names
from focuscrawl.prices.tokens.price_units import JIN, Unit
from focuscrawl.prices.tokens.token_kinds import (
    FIRM_NAMES,
    SENTENCE_ENDS,
    TokenKind,
)

# Firms that issue a text: named in its title, before its first price, or below its last one.

_LONGEST = 200  # characters of each part that is searched
_OWN = ("我公司", "我厂", "我司", "本公司", "本厂", "我库", "本库", "我站", "本站")
_KINDS = ("firm", "actor")  # the first one counts
_LINE = re.compile(".+")


def issuers(document: Document) -> list[tuple[Subject, list[str]]]:
    """Return the possible issuers of a text, at most one a part, with signs of where they stand."""
    plain, title = document.plain, document.title
    prices = [d for d in document.drafts if d.figure.kind is TokenKind.AMOUNT] or document.drafts
    first = min((d.start for d in prices), default=0)
    last = max((d.end for d in prices), default=len(plain))
    in_text = SubjectMaker(document.text)
    parts = (
        ("title", SubjectMaker(title), title, 0, min(len(title), _LONGEST)),
        ("introduction", in_text, plain, 0, min(first, _LONGEST)),
        ("closing", in_text, plain, max(last, len(plain) - _LONGEST), len(plain)),
    )
    speaks = ["issuer speaks"] if any(word in plain for word in _OWN) else []
    found = []
    for where, maker, text, start, end in parts:
        names = _names(text, start, end, document.words, maker)
        best = _best(names if where != "closing" else names[::-1])
        if best is not None:
            subject = best.subject(maker, None)
            found.append((subject, [f"issuer of {where}", f"issuer {subject.kind}", *speaks]))
    return found


def _names(
    text: str, start: int, end: int, words: BulletinLexicon, maker: SubjectMaker
) -> list[PossibleName]:
    found: list[PossibleName] = []
    for line in _LINE.finditer(text, start, end):
        tokens = tokenise(text, *line.span(), words)
        found += possible_names(tokens, segments_of(tokens), maker)
    return found


def _best(names: Sequence[PossibleName]) -> PossibleName | None:
    return next((name for kind in _KINDS for name in names if name.kind == kind), None)


_FEW, _SOME = 5, 15


def amount(figures: int) -> str:
    """Return how many figures a text has, as a sign."""
    if figures == 1:
        return "one figure in text"
    few = "few" if figures < _FEW else "some" if figures < _SOME else "many"
    return f"{few} figures in text"


_LONGEST_LINE, _MOST_FIGURES = 400, 40
_LONGEST_SPAN = 80
_MOST_BEFORE, _MOST_AFTER = 6, 2  # names that are tried for a figure
_MOST_GOODS = 4  # of the text
_MARKS_OF_RULES = (
    "unused",
    "several goods",
    "again",
    "goods named",
    "one name",
    "long name",
    "no region",
    "digit",
)


class _Option(NamedTuple):
    """A name, the subject of that name, and the signs of both."""

    name: str
    subject: Subject
    signs: list[str]


_NO_NAMES = frozenset(("产区", "主产区", "销区", "主销区"))  # of any place
_HAS_FIGURE = re.compile(r"\d|[一二两三四五六七八九][块毛千角元]")
OF_RULE = "rule: "
"""Beginning of the signs that the rules give their quote."""
_PRESENT = SENTENCE_ENDS | {TokenKind.TODAY, TokenKind.DATE}


@dataclass(slots=True)
class Offer:
    """One possible quote: a figure in a unit, a subject, and the signs of both."""

    figure: Figure
    start: int
    end: int
    span_start: int
    unit: Unit
    commodity: Commodity | None
    subject: Subject
    signs: tuple[str, ...]
    draft: Draft | None  # of the rules, for the same figure
    is_by_rule: bool  # whether the rules chose this subject
    goods: Sequence[GoodsOption]  # of the figure
    units: Sequence[UnitOption]

    @property
    def per_ton(self) -> Decimal:
        """Return the lower price in yuan per ton."""
        return self.figure.low * self.unit.yuan_per_ton

    def chosen(
        self, commodity: Commodity | None, unit: Unit, signs: tuple[str, ...], confidence: float
    ) -> Draft:
        """Return the draft of the rules, or one of a figure that they leave out, with this choice."""
        draft = self.draft or Draft(
            figure=self.figure, start=self.start, end=self.end, span_start=self.span_start,
            unit=unit, subject=self.subject, commodity=commodity,
        )  # fmt: skip
        draft.subject = draft.subject if self.is_by_rule else _within(self.subject, draft.subject)
        draft.commodity, draft.unit = commodity, unit
        draft.signs, draft.confidence = signs, confidence
        return draft


def _within(chosen: Subject, place: Subject) -> Subject:
    """Return a place that no gazetteer knows (鲁西南) with another one, of the rules, as its region."""
    is_known = chosen.kind != "place" or chosen.province or chosen.region
    if is_known or not place.is_bare_place or place.mention in chosen.mention:
        return chosen
    region = place.region + place.mention
    printed = place.province_printed
    return replace(chosen, region=region, province=place.province, province_printed=printed)


def figure_of(group: Sequence[Offer]) -> FigureInText:
    """Return the place of a figure, and the names of its offers."""
    return FigureInText(group[0].start, group[0].end, [o.subject.mention for o in group])


def offers(document: Document) -> Iterator[list[Offer]]:
    """Yield for each figure, in order, the possible quotes that differ in their subject.

    A figure that is the price of several subjects by the rules comes once for each of them, without
    the others.
    """
    reader = _Offers(document)
    for start, end in reader.lines:
        if _HAS_FIGURE.search(document.plain, start, end):
            yield from reader.line(start, end)


def _pieces(plain: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the lines; long ones end at a stop, if there is one."""
    start = 0
    while start < len(plain):
        end = plain.find("\n", start, start + _LONGEST_LINE)
        if end < 0 and len(plain) - start > _LONGEST_LINE:
            end = max(plain.rfind(mark, start, start + _LONGEST_LINE) for mark in "。;")
            end = end if end > start else start + _LONGEST_LINE - 1
            yield start, end + 1
        else:
            end = end if end >= 0 else len(plain)
            yield start, end
        start = end + 1


class _PrintedUnits(NamedTuple):
    """Offsets and units of all that are printed in a text, in order, and the one printed most often."""

    starts: list[int]
    units: list[Unit]
    often: Unit | None
    is_only_one: bool


@dataclass(slots=True)
class _Line:
    """A line with the drafts and signs that its figures share."""

    layout: LineLayout
    drafts: list[Draft]
    signs: list[str]
    goods: list[tuple[int, Commodity]]

    def drafts_at(self, token: Token) -> list[Draft]:
        return [d for d in self.drafts if d.start < token.end and token.start < d.end]


class _Offers:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._drafts = sorted(document.drafts, key=lambda draft: draft.start)
        self._goods_above: Commodity | None = None  # the last ones of the lines above
        self._layouts: dict[int, LineLayout] = {}
        self._subjects: dict[PossibleName, Subject] = {}
        self.lines = list(_pieces(document.plain))
        units = [d.unit for d in document.drafts]
        self._usual_unit = mode(units) if units else None
        self._middles = {
            goods: median(found) for goods, found in prices_by_goods(document.drafts).items()
        }
        printed_ones = [d.per_ton[0] for d in document.drafts if d.figure.unit is not None]
        self._middle_printed = median(printed_ones) if printed_ones else None
        self._whole = median([d.per_ton[0] for d in document.drafts]) if document.drafts else None

    def line(self, start: int, end: int) -> Iterator[list[Offer]]:
        """Yield the offers of one line."""
        document = self._document
        drafts = self._drafts[self._draft_at(start) : self._draft_at(end)]
        layout = self._layout(start, end)
        goods = named_goods(layout.tokens, document.words)
        line = _Line(layout, drafts, [], goods)
        free = [i for i in layout.figures if self._is_offered(line, i)]
        if free:
            times = self._shapes[shape_of(document.plain[start:end])]
            count = len(layout.figures)
            line.signs = line_signs(document, layout.tokens, drafts, count, times, (start, end))
            line.signs.append(amount(self._relations[1]))
            line.signs += layout.missing_before_first_figure()
        for index in free:
            drafted = line.drafts_at(layout.tokens[index])
            owners: list[Draft | None] = [*drafted] or [None]
            names = {_key(d.subject.mention) for d in drafted}
            for own in owners:
                if found := list(self._figure(line, index, own, names)):
                    yield found
        self._goods_above = line.goods[-1][1] if line.goods else self._goods_above

    def _layout(self, start: int, end: int) -> LineLayout:
        if start not in self._layouts:
            document = self._document
            known = document.tokens.get(start)
            if known is None or document.plain[end : end + 1] not in ("", "\n"):
                known = with_whole_names(tokenise(document.plain, start, end, document.words))
            self._layouts[start] = replace(
                _layout_of(
                    document.plain[start:end],
                    document.text[start:end],
                    tuple(token.kind for token in known),
                    document.words,
                ),
                tokens=known,
            )
        return self._layouts[start]

    @cached_property
    def _relations(self) -> tuple[Counter[Relation], int]:
        """Return the relations in all lines, and the number of their figures."""
        found: Counter[Relation] = Counter()
        figures = 0
        for start, end in self.lines:
            if _HAS_FIGURE.search(self._document.plain, start, end):
                layout = self._layout(start, end)
                found.update(layout.relations)
                figures += len(layout.figures)
        return found, figures

    @cached_property
    def _goods_of_text(self) -> dict[str, Commodity | None]:
        """Return the goods that the text names most often, by their rank."""
        words, lines = self._document.words, self._document.tokens.values()
        counts = Counter(goods for line in lines for _, goods in named_goods(line, words))
        ranked = counts.most_common(_MOST_GOODS)
        return {f"rank {order}": goods for order, (goods, _) in enumerate(ranked)}

    @cached_property
    def _printed_units(self) -> _PrintedUnits:
        found = [
            (token.start, token.figure.unit)
            for tokens in self._document.tokens.values()
            for token in tokens
            if token.figure is not None and token.figure.unit is not None
        ]
        found.sort(key=lambda each: each[0])
        units = [unit for _, unit in found]
        often = mode(units) if units else None
        return _PrintedUnits([at for at, _ in found], units, often, len(set(units)) == 1)

    @cached_property
    def _issuers(self) -> list[tuple[Subject, list[str]]]:
        return issuers(self._document)

    @cached_property
    def _shapes(self) -> Counter[str]:
        return Counter(shape_of(self._document.plain[start:end]) for start, end in self.lines)

    def _draft_at(self, start: int) -> int:
        """Return the number of the first draft that does not begin before an offset."""
        return bisect_left(self._drafts, start, key=lambda draft: draft.start)

    def _before(self, start: int) -> Draft | None:
        at = self._draft_at(start)
        return self._drafts[at - 1] if at else None

    def _is_offered(self, line: _Line, index: int) -> bool:
        tokens = line.layout.tokens
        token = tokens[index]
        is_old = self._document.columns.get(token.start) in ("old", REPEATED, PER_PIECE)
        is_past = not line.drafts_at(token) and (
            _is_past(tokens[:index]) or moves_on(tokens, index)
        )
        return not (is_old or is_past or self._is_glued(line, index))

    def _is_glued(self, line: _Line, index: int) -> bool:
        """Return whether a figure is stuck to a name in a table row whose price is in another cell."""
        token = line.layout.tokens[index]
        before = line.layout.tokens[index - 1] if index else None
        is_stuck = before is not None and before.end == token.start and before.kind in FIRM_NAMES
        return (
            is_stuck
            and token.kind is TokenKind.BARE
            and self._document.columns.get(token.start) == "unknown"
            and any(draft.unit is draft.figure.unit for draft in line.drafts)
            and not line.drafts_at(token)
        )

    def _figure(
        self, line: _Line, index: int, drafted: Draft | None, owners: Collection[str]
    ) -> Iterator[Offer]:
        """Yield the offers of a figure, without the names of the other ``owners`` of its price."""
        tokens, document, layout = line.layout.tokens, self._document, line.layout
        token = tokens[index]
        figure = token.figure
        assert figure is not None
        offered = self._offered_units(tokens, index, line.drafts)
        if drafted is not None:
            figure, commodity = drafted.figure, drafted.commodity
            unit, source = drafted.unit, "by rule"
        else:
            own_goods = commodity_of(tokens[:index], document.words)
            commodity = own_goods or document.heading_commodity or document.commodity
            guessed, source = self._unit(figure, commodity, offered)
            if guessed is None:
                return
            unit = guessed
        middle = self._middles.get(commodity) or self._whole
        segment = layout.segments[layout.segment_of(index)]
        signs = [
            *line.signs,
            f"unit {source}",
            *figure_signs(tokens, index, segment, figure, unit, commodity, layout.figures, middle),
            f"column {document.columns.get(token.start, 'none')}",
            f"cell {min([t.kind for t in tokens[:index]].count(TokenKind.TAB), 5)}",
            "has a draft" if drafted else "has no draft",
            *(OF_RULE + sign for sign in (drafted.signs if drafted else ())),
        ]
        span_start = token.start
        if segment[0] < len(tokens):
            span_start = max(tokens[segment[0]].start, token.end - _LONGEST_SPAN)
        how = next((s for s in drafted.signs if s.startswith(GOODS_OF)), "") if drafted else ""
        price = figure.low * unit.yuan_per_ton
        goods = self._goods(line, index, segment, price, commodity, how)
        is_stated = drafted is not None and UNIT_OF_ROW in drafted.signs
        printed = "printed" if figure.unit is not None or is_stated else source
        units = unit_options(figure.low, unit, printed, offered, commodity, self._middle_printed)
        options = list(self._options(layout, index, commodity))
        if drafted is not None:
            options = _beside_rule(options, drafted)
        by_rule = _key(drafted.subject.mention) if drafted else None
        others = {*owners, *_parts_of(drafted, options)} - {by_rule}
        seen: set[str] = set()
        for order, (name, subject, own) in enumerate(options):
            key = _key(name)
            is_no_name = (len(key) < 2 or key in _NO_NAMES) and key != by_rule
            if key in seen or key in others or is_no_name:
                continue
            seen.add(key)
            all_signs = (*signs, *own, f"option {min(order, 4)}")
            yield Offer(
                figure, token.start, token.end, span_start, unit, commodity, subject, all_signs,
                drafted, key == by_rule, goods, units,
            )  # fmt: skip

    def _goods(
        self,
        line: _Line,
        index: int,
        segment: tuple[int, int],
        price: Decimal,
        by_rule: Commodity | None,
        how: str,
    ) -> list[GoodsOption]:
        document = self._document
        tokens = line.layout.tokens
        last = self._before(tokens[index].start)
        elsewhere = {
            "the heading": document.heading_commodity,
            "the title": document.title_commodity,
            "the text": document.commodity,
            "the lines above": self._goods_above,
            "the last quote": last.commodity if last else None,
            **self._goods_of_text,
        }
        return goods_options(tokens, index, segment, line.goods, elsewhere, price, (by_rule, how))

    def _unit(
        self,
        figure: Figure,
        commodity: Commodity | None,
        offered: Sequence[tuple[str, Unit | None]],
    ) -> tuple[Unit | None, str]:
        if figure.unit is not None:
            return figure.unit, "printed"
        if self._document.is_foreign:
            return None, ""
        for source, unit in offered:
            if unit is not None and fits(figure.low * unit.yuan_per_ton, commodity):
                return unit, source
        for goods in (commodity, *self._goods_of_text.values()):
            if guessed := guess_unit(figure.low, goods):
                return guessed, "guessed" if goods is commodity else "guessed by other goods"
        is_of_people = figure.is_spoken or figure.low != figure.low.to_integral_value()
        if is_of_people and fits(figure.low * JIN.yuan_per_ton, None):
            return JIN, "of people"
        return None, ""

    def _offered_units(
        self, tokens: Sequence[Token], index: int, drafts: Sequence[Draft]
    ) -> list[tuple[str, Unit | None]]:
        """Return the units that stand near a figure, in its line, and in the whole text."""
        last = self._before(tokens[index].start)
        printed = self._printed_units
        at = bisect_left(printed.starts, tokens[index].start)
        return [
            ("just before", last_unit(tokens[max(0, index - 6) : index])),
            ("of the line", drafts[-1].unit if drafts else None),
            ("declared", self._document.unit),
            ("of the text", self._usual_unit),
            ("of the last quote", last.unit if last else None),
            ("printed before", printed.units[at - 1] if at else None),
            ("printed behind", printed.units[at] if at < len(printed.units) else None),
            ("printed most often", printed.often),
            ("only one printed", printed.often if printed.is_only_one else None),
        ]

    def _options(
        self, layout: LineLayout, index: int, commodity: Commodity | None
    ) -> Iterator[_Option]:
        """Yield the possible subjects: the nearest first."""
        document = self._document
        last = self._before(layout.tokens[index].start)
        context = _context(layout, index)
        yield from self._named(layout, index, context)
        first = layout.tokens[0]
        if first.kind is TokenKind.PRICE_WORD and "均" in first.text:
            signs = [*context, "line begins with an average"]
            yield _Option(first.text, Subject("weak", first.text), signs)
        carried = {"heading": document.heading, "last quote": last.subject if last else None}
        for sign, known in carried.items():
            if known is not None:
                signs = [*context, sign, f"{sign} {known.kind}"]
                yield _Option(known.mention, known, signs)
        for issuer, signs in self._issuers:
            yield _Option(issuer.mention, issuer, [*context, *signs])
        if commodity is not None:
            printed = document.goods_as_printed()
            signs = [*context, "goods of the text"]
            yield _Option(printed, Subject("goods", printed), signs)

    def _named(self, layout: LineLayout, index: int, context: Sequence[str]) -> Iterator[_Option]:
        """Yield the names of the line as subjects: the nearest before the figure first."""
        here = layout.segment_of(index)
        before = [n for n in layout.names if n.last < index]
        after = [n for n in layout.names if n.first > index and n.segment <= here + 1]
        tried = sorted(before, key=lambda n: (-n.last, n.kind == "run"))[:_MOST_BEFORE]
        for name in [*tried, *after[:_MOST_AFTER]]:
            if name not in self._subjects:
                self._subjects[name] = name.subject(layout.maker, self._document.heading)
            column = self._document.columns.get(layout.tokens[name.first].start, "no")
            signs = [*context, *layout.signs_for_all(name)]
            signs += layout.signs(index, name, *self._relations)
            signs.append(f"name in {column} column")
            if name.first > index:
                signs.append(f"after {name.kind}")
            else:
                signs += [f"name {name.kind}", f"{name.kind} back {min(here - name.segment, 3)}"]
                between = layout.prices_between(name, index)
                signs.append(f"{name.kind} prices between {min(between, 2)}")
                if name is before[0]:
                    signs.append(f"{name.kind} heads the line")
            yield _Option(name.text, self._subjects[name], signs)


@lru_cache(maxsize=300)
def _layout_of(
    line: str, printed: str, kinds: Sequence[TokenKind], words: BulletinLexicon
) -> LineLayout:
    """Return the layout of a line, plain and as printed, whose tokens have these kinds.

    Bulletins repeat whole lines of the day before.
    """
    tokens = with_whole_names(tokenise(line, 0, len(line), words))
    for token, kind in zip(tokens, kinds, strict=True):
        token.kind = kind
    return LineLayout.of(tokens, SubjectMaker(printed), _MOST_FIGURES)


def _is_past(before: Sequence[Token]) -> bool:
    """Return whether the sentence up to a figure is about an earlier year: 去年同期, 2025年同期, 去年每吨."""
    for index in reversed(range(len(before))):
        token = before[index]
        if token.kind in _PRESENT or token.text == "今年":
            return False
        if token.kind is TokenKind.YEARLY:
            return index == 0 or before[index - 1].kind is not TokenKind.THAN
    return False


def _context(layout: LineLayout, index: int) -> list[str]:
    """Return the signs of the segment of a figure: what is named before it."""
    here = layout.segment_of(index)
    own = {n.family for n in layout.names if n.last < index and n.segment == here}
    return [
        f"own segment has {'name' if own & {'name', 'place'} else 'no name'}",
        f"own segment has {'goods' if 'goods' in own else 'no goods'}",
        *([] if own else ["own segment is empty"]),
    ]


def _parts_of(drafted: Draft | None, options: Sequence[_Option]) -> Iterator[str]:
    """Yield the names of what the place of a draft is part of, which has not its price."""
    if drafted is not None and drafted.subject.is_bare_place:
        region, own = _key(drafted.subject.region), _key(drafted.subject.mention)
        names = {_key(option.name) for option in options} - {own}
        yield from (name for name in names if name in region)


@lru_cache(maxsize=2048)
def _key(name: str) -> str:
    """Return what two spellings of a name have in common."""
    return "".join(name.split())


def _beside_rule(options: Sequence[_Option], rule: Draft) -> list[_Option]:
    """Return the options with signs of what the rules chose, which is added where it is missing."""
    chosen = _key(rule.subject.mention)
    how = next((sign for sign in rule.signs if sign.startswith(("name ", "row of"))), "")
    kept = (sign for sign in rule.signs if sign.startswith(_MARKS_OF_RULES))
    marks = ["by rule", f"by rule {rule.subject.kind}", f"by rule, {how}", *kept]
    other = f"rule chose {rule.subject.kind}, {how}"
    found = [
        _Option(name, rule.subject, [*signs, *marks])
        if _key(name) == chosen
        else _Option(name, subject, [*signs, other])
        for name, subject, signs in options
    ]
    if all(_key(option.name) != chosen for option in found):
        found.append(_Option(rule.subject.mention, rule.subject, [*marks, "only by rule"]))
    return found
