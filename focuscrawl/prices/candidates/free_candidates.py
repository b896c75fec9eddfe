"""Candidates for quotes: each plausible figure without a draft, with each possible subject and its signs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median

from focuscrawl.prices.candidates.candidate_signs import (
    about_name,
    figure_signs,
    line_signs,
    segments_of,
    shape_of,
)
from focuscrawl.prices.figures.moisture_and_condition import commodity_of
from focuscrawl.prices.names.price_subjects import SubjectMaker, find_groups
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, PRICE, UNIT, YUAN, Figure
from focuscrawl.prices.tokens.implied_unit import fits, guess_unit
from focuscrawl.prices.tokens.line_tokens import NAME, Token, tokenise
from focuscrawl.prices.tokens.price_units import Unit

_KINDS = frozenset({PRICE, YUAN, BARE})
_NO_NAME = frozenset("price filler sale today date each unit water percent other recent".split())
_LONGEST_LINE, _MOST_FIGURES = 400, 40
_LONGEST_NAME, _LONGEST_SPAN = 14, 80
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
_Option = tuple[str, Subject, list[str]]
"""A name, the subject of that name, and the signs of both."""
_HAS_FIGURE = re.compile(r"\d|[一二两三四五六七八九][块毛千角元]")


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

    @property
    def is_by_rule(self) -> bool:
        """Return whether the rules chose this subject."""
        return "by rule" in self.signs

    def as_draft(self, confidence: float) -> Draft:
        """Return a draft of a figure that the rules leave out."""
        return Draft(
            figure=self.figure, start=self.start, end=self.end, span_start=self.span_start, unit=self.unit,
            subject=self.subject, commodity=self.commodity, signs=self.signs, confidence=confidence,
            is_chosen=True,
        )  # fmt: skip


@dataclass(slots=True)
class _Name:
    """A possible name: its text, kind and tokens by index."""

    text: str
    kind: str
    first: int
    last: int
    segment: int
    group: list[Token] = field(default_factory=list)


def offers(document: Document, sure: float = 1.1) -> Iterator[list[Offer]]:
    """Yield for each figure, in order, the possible quotes that differ in their subject.

    Those that the rules have read with the confidence ``sure`` are left out, and several subjects of
    one price.
    """
    reader = _Offers(document, sure)
    above = ""
    start = 0
    plain = document.plain
    while start < len(plain):
        end = plain.find("\n", start)
        end = len(plain) if end < 0 else end
        if end - start <= _LONGEST_LINE and _HAS_FIGURE.search(plain, start, end):
            yield from reader.line(start, end, above)
        if end > start and plain[start:end].strip():
            above = _head(plain[start:end])
        start = end + 1


def _head(line: str) -> str:
    found = re.match(r"[^\u4e00-\u9fffA-Za-z]{0,6}([\u4e00-\u9fffA-Za-z]{2,12})", line)
    return found[1] if found else ""


class _Offers:
    def __init__(self, document: Document, sure: float) -> None:
        self._document = document
        self._sure = sure
        self._maker = SubjectMaker(document.text)
        self._drafts = sorted(document.drafts, key=lambda draft: draft.start)
        self._next = 0
        self._shapes: Counter[str] = Counter()
        units = Counter(d.unit for d in document.drafts)
        self._usual_unit = units.most_common(1)[0][0] if units else None
        prices: dict[str, list[Decimal]] = {}
        for draft in document.drafts:
            prices.setdefault(draft.commodity.name if draft.commodity else "", []).append(
                draft.per_ton[0]
            )
        self._middles = {name: median(found) for name, found in prices.items()}
        self._whole = median([d.per_ton[0] for d in document.drafts]) if document.drafts else None

    def line(self, start: int, end: int, above: str) -> Iterator[list[Offer]]:
        """Yield the offers of one line."""
        document = self._document
        drafts = self._by_line(start, end)
        tokens = document.tokens.get(start) or tokenise(document.plain, start, end, document.words)
        figures = [
            i for i, t in enumerate(tokens) if t.kind in _KINDS and t.figure and t.figure.low > 0
        ]
        if len(figures) > _MOST_FIGURES:
            return
        free = [i for i in figures if self._is_open(self._own(tokens[i], drafts))]
        if not free:
            return
        segments = segments_of(tokens)
        names = self._names(tokens, segments)
        times = self._times(document.plain[start:end])
        shared = line_signs(document, tokens, drafts, len(figures), times, (start, end))
        for index in free:
            own = self._own(tokens[index], drafts)
            found = list(
                self._figure(tokens, index, segments, names, drafts, above, shared, figures, own)
            )
            if found:
                yield found

    def _before(self, start: int) -> Draft | None:
        at = bisect_left(self._drafts, start, key=lambda draft: draft.start)
        return self._drafts[at - 1] if at else None

    def _by_line(self, start: int, end: int) -> list[Draft]:
        found = []
        while self._next < len(self._drafts) and self._drafts[self._next].start < end:
            if self._drafts[self._next].start >= start:
                found.append(self._drafts[self._next])
            self._next += 1
        return found

    def _is_open(self, own: Sequence[Draft]) -> bool:
        return not own or (len(own) == 1 and (own[0].confidence or 0) < self._sure)

    def _own(self, token: Token, drafts: Sequence[Draft]) -> list[Draft]:
        return [d for d in drafts if d.start < token.end and token.start < d.end]

    def _times(self, line: str) -> int:
        """Return how many lines of the text have the shape of a line."""
        if not self._shapes:
            self._shapes.update(map(shape_of, self._document.plain.split("\n")))
        return self._shapes[shape_of(line)]

    def _names(self, tokens: Sequence[Token], segments: Sequence[tuple[int, int]]) -> list[_Name]:
        found: list[_Name] = []
        for number, (first, last) in enumerate(segments):
            part = list(tokens[first:last])
            at = {id(t): first + i for i, t in enumerate(part)}
            for group, _ in find_groups(part):
                subject = self._maker.subject(list(group), [], None)
                if subject is not None:
                    a, b = at[id(group[0])], at[id(group[-1])]
                    found.append(_Name(subject.mention, subject.kind, a, b, number, group))
            for i in range(first, last):
                if tokens[i].kind in ("commodity", "variety"):
                    a = i
                    while (
                        a > first
                        and tokens[a - 1].kind in ("grade", "variety", "origin", "commodity", NAME)
                        and tokens[a - 1].end == tokens[a].start
                        and len(tokens[a - 1].text) < 7
                    ):
                        a -= 1
                    found.append(
                        _Name(self._printed(tokens[a].start, tokens[i].end), "goods", a, i, number)
                    )
            run = self._run(tokens, first, last, number)
            if run is not None and all(run.text != n.text for n in found if n.segment == number):
                found.append(run)
        return found

    def _run(self, tokens: Sequence[Token], first: int, last: int, number: int) -> _Name | None:
        """Return the text of a segment without figures and price words, whatever it says."""
        a = first
        while a < last and (
            tokens[a].figure is not None
            or tokens[a].kind in ("and", "dash", "filler", "date", "today")
        ):
            a += 1
        b = a
        while b < last and tokens[b].figure is None and tokens[b].kind not in _NO_NAME:
            if b > a and tokens[b].start > tokens[b - 1].end and not tokens[b].text.isascii():
                break
            b += 1
        if b == a:
            return None
        text = self._printed(tokens[a].start, tokens[b - 1].end)
        return _Name(text, "run", a, b - 1, number) if 2 <= len(text) <= _LONGEST_NAME else None

    def _printed(self, start: int, end: int) -> str:
        return self._maker.printed(start, end)

    def _figure(
        self,
        tokens: Sequence[Token],
        index: int,
        segments: Sequence[tuple[int, int]],
        names: Sequence[_Name],
        drafts: Sequence[Draft],
        above: str,
        shared: Sequence[str],
        figures: Sequence[int],
        drafted: Sequence[Draft],
    ) -> Iterator[Offer]:
        token, document = tokens[index], self._document
        figure = token.figure
        assert figure is not None
        here = next(n for n, (a, b) in enumerate(segments) if a <= index <= b)
        line_goods = commodity_of(tokens[:index], document.words)
        commodity = line_goods or document.heading_commodity or document.commodity
        unit: Unit | None = drafted[0].unit if drafted else None
        source = "by rule"
        if drafted:
            figure, commodity = drafted[0].figure, drafted[0].commodity
        else:
            unit, source = self._unit(tokens, index, figure, commodity, drafts)
        if unit is None:
            return
        middle = self._middles.get(commodity.name if commodity else "") or self._whole
        signs = [
            *shared,
            f"unit {source}",
            *figure_signs(tokens, index, segments[here], figure, unit, commodity, figures, middle),
        ]
        last = self._before(token.start)
        seen: set[str] = set()
        options = [*self._options(tokens, index, here, names, above, last, commodity)]
        signs.append("has a draft" if drafted else "has no draft")
        first = segments[here][0]
        span_start = token.start
        if first < len(tokens):
            span_start = max(tokens[first].start, token.end - _LONGEST_SPAN)
        if drafted:
            options = _beside_rule(options, drafted[0])
        for order, (name, subject, own) in enumerate(options):
            key = "".join(name.split())
            if key in seen or len(key) < 2:
                continue
            seen.add(key)
            yield Offer(
                figure,
                token.start,
                token.end,
                span_start,
                unit,
                commodity,
                subject,
                (*signs, *own, f"option {min(order, 4)}"),
                drafted[0] if drafted else None,
            )

    def _unit(
        self,
        tokens: Sequence[Token],
        index: int,
        figure: Figure,
        commodity: Commodity | None,
        drafts: Sequence[Draft],
    ) -> tuple[Unit | None, str]:
        if figure.unit is not None:
            return figure.unit, "printed"
        near = next(
            (
                t.figure.unit
                for t in reversed(tokens[max(0, index - 6) : index])
                if t.kind == UNIT and t.figure
            ),
            None,
        )
        offered = [
            (near, "just before"),
            (drafts[-1].unit if drafts else None, "of the line"),
            (self._document.unit, "declared"),
            (self._usual_unit, "of the text"),
        ]
        for unit, source in offered:
            if unit is not None and fits(figure.low * unit.yuan_per_ton, commodity):
                return unit, source
        if guessed := guess_unit(figure.low, commodity):
            return guessed, "guessed"
        return None, ""

    def _options(
        self,
        tokens: Sequence[Token],
        index: int,
        here: int,
        names: Sequence[_Name],
        above: str,
        last: Draft | None,
        commodity: Commodity | None,
    ) -> Iterator[_Option]:
        """Yield the possible subjects: the nearest first."""
        doc = self._document
        before = [n for n in names if n.last < index]
        strong_own = any(n.segment == here and n.kind not in ("goods", "run") for n in before)
        goods_own = any(n.segment == here and n.kind == "goods" for n in before)
        context = [
            f"own segment has {'name' if strong_own else 'no name'}",
            f"own segment has {'goods' if goods_own else 'no goods'}",
        ]
        if not any(n.segment == here for n in before):
            context.append("own segment is empty")
        head = before[0] if before else None
        for name in sorted(before, key=lambda n: (-n.last, n.kind == "run"))[:6]:
            back = here - name.segment
            signs = [*context, f"name {name.kind}", f"{name.kind} back {min(back, 3)}"]
            between = sum(1 for t in tokens[name.last : index] if t.kind in _KINDS)
            signs.append(f"{name.kind} prices between {min(between, 2)}")
            if name is head:
                signs.append(f"{name.kind} heads the line")
            if name.last == index - 1:
                signs.append(f"{name.kind} directly before")
            signs += about_name(name.text, name.kind)
            yield name.text, self._subject(name), signs
        for name in [n for n in names if n.first > index and n.segment <= here + 1][:2]:
            yield (
                name.text,
                self._subject(name),
                [*context, f"after {name.kind}", *about_name(name.text, name.kind)],
            )
        if doc.heading is not None:
            yield (
                doc.heading.mention,
                doc.heading,
                [*context, "heading", f"heading {doc.heading.kind}"],
            )
        if last is not None:
            yield (
                last.subject.mention,
                last.subject,
                [*context, "last quote", f"last quote {last.subject.kind}"],
            )
        if above:
            yield above, Subject("weak", above), [*context, "line above"]
        if commodity is not None:
            printed = doc.goods_as_printed()
            yield printed, Subject("goods", printed), [*context, "goods of the text"]

    def _subject(self, name: _Name) -> Subject:
        if name.kind == "goods":
            return Subject("goods", name.text)
        if name.group and (
            made := self._maker.subject(list(name.group), [], self._document.heading)
        ):
            return made
        return Subject("weak", name.text)


def _beside_rule(options: Sequence[_Option], rule: Draft) -> list[_Option]:
    """Return the options with signs of what the rules chose, which is added where it is missing."""
    chosen = "".join(rule.subject.mention.split())
    how = next((sign for sign in rule.signs if sign.startswith(("name ", "row of"))), "")
    kept = (sign for sign in rule.signs if sign.startswith(_MARKS_OF_RULES))
    marks = ["by rule", f"by rule {rule.subject.kind}", f"by rule, {how}", *kept]
    found: list[_Option] = [
        (name, rule.subject, [*signs, *marks])
        if "".join(name.split()) == chosen
        else (name, subject, [*signs, f"rule chose {rule.subject.kind}, {how}"])
        for name, subject, signs in options
    ]
    if all("".join(name.split()) != chosen for name, *_ in found):
        found.append((rule.subject.mention, rule.subject, [*marks, "only by rule"]))
    return found
