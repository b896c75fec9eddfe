"""Signs of figures that may be quotes, and of names that may be their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from statistics import mode

from focuscrawl.prices.confidence.reading_signs import TELLING, signs_beside
from focuscrawl.prices.figures.figure_roles import moves_on
from focuscrawl.prices.names.price_subjects import SubjectMaker, find_groups
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.implied_unit import fits, times_apart
from focuscrawl.prices.tokens.line_tokens import Token, has_kind
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import (
    GOODS,
    GRADED_GOODS,
    PLACES,
    SENTENCE_ENDS,
    TokenKind,
)

# Possible names in a line: firms, places, goods, and whatever else stands between delimiters.

_NO_NAME = frozenset({
    TokenKind.PRICE_WORD, TokenKind.FILLER, TokenKind.SALE, TokenKind.TODAY, TokenKind.EACH,
    TokenKind.RECENT,
})  # fmt: skip
_OF_GOODS = GRADED_GOODS | {TokenKind.ORIGIN, TokenKind.NAME}
_NO_BEGIN = frozenset({TokenKind.AND, TokenKind.DASH, TokenKind.FILLER, TokenKind.TODAY})
_LONGEST_NAME, _LONGEST_PART = 14, 7
_FAMILIES = {"goods": "goods", "run": "run", "place": "place", "nation": "place"}


@dataclass(slots=True, eq=False)
class PossibleName:
    """A possible name: its text and kind, its first and last token, and its segment, by index."""

    text: str
    kind: str
    first: int
    last: int
    segment: int
    group: list[Token] = field(default_factory=list)
    family: str = field(init=False)
    """``goods``, ``run`` (any text), ``place``, or ``name`` for all other kinds."""

    def __post_init__(self) -> None:
        self.family = _FAMILIES.get(self.kind, "name")

    def subject(self, maker: SubjectMaker, heading: Subject | None) -> Subject:
        """Return the subject that the name would be."""
        if self.kind == "goods":
            return Subject("goods", self.text)
        made = maker.subject(self.group, [], heading) if self.group else None
        return made or Subject("weak", self.text)


def possible_names(
    tokens: Sequence[Token], segments: Sequence[tuple[int, int]], maker: SubjectMaker
) -> list[PossibleName]:
    """Return the possible names of a line, segment by segment; one may be part of another."""
    found: list[PossibleName] = []
    for number, (first, last) in enumerate(segments):
        own = [
            *_named(tokens, first, last, number, maker),
            *_goods(tokens, first, last, number, maker),
        ]
        run = _run(tokens, first, last, number, maker)
        if run is not None and all(run.text != name.text for name in own):
            own.append(run)
        found += own
    return found


def _named(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> Iterator[PossibleName]:
    part = list(tokens[first:last])
    at = {id(token): first + i for i, token in enumerate(part)}
    for group, _ in find_groups(part):
        subject = maker.subject(group, [], None)
        if subject is not None:
            a, b = at[id(group[0])], at[id(group[-1])]
            yield PossibleName(subject.mention, subject.kind, a, b, number, group)


def _goods(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> Iterator[PossibleName]:
    for index in range(first, last):
        if tokens[index].kind not in GOODS:
            continue
        begin = index
        while (
            begin > first
            and tokens[begin - 1].kind in _OF_GOODS
            and tokens[begin - 1].end == tokens[begin].start
            and len(tokens[begin - 1].text) < _LONGEST_PART
        ):
            begin -= 1
        text = maker.printed(tokens[begin].start, tokens[index].end)
        yield PossibleName(text, "goods", begin, index, number)


def _run(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> PossibleName | None:
    """Return the text of a segment without figures and price words, whatever it says."""
    a = first
    while a < last and (tokens[a].figure is not None or tokens[a].kind in _NO_BEGIN):
        a += 1
    b = a
    while b < last and tokens[b].figure is None and tokens[b].kind not in _NO_NAME:
        if (
            b > a
            and tokens[b].start > tokens[b - 1].end
            and not _is_spaced(tokens[b - 1], tokens[b])
        ):
            break
        b += 1
    kinds = {token.kind for token in tokens[a:b]}
    if b == a or (kinds & PLACES and kinds <= PLACES | GOODS):
        return None  # goods of a place are no name of their own
    text = maker.printed(tokens[a].start, tokens[b - 1].end)
    is_short = 2 <= len(text) <= _LONGEST_NAME
    return PossibleName(text, "run", a, b - 1, number) if is_short else None


def _is_spaced(token: Token, following: Token) -> bool:
    """Return whether the space between two tokens may stand within a name: 中 粮, Jilin Grain."""
    return following.text.isascii() or len(token.text) == len(following.text) == 1


_BREAKS = SENTENCE_ENDS | {
    TokenKind.COMMA, TokenKind.COLON, TokenKind.TAB, TokenKind.OPEN, TokenKind.CLOSE, TokenKind.QUOTE,
}  # fmt: skip
_TELLING = TELLING | {TokenKind.MOISTURE}
_FUNCTION = frozenset("的了在是有就都又还把被让给从到如只每这那你我他她它们么吗呢说称看问")
_PER_PIECE = re.compile(
    r"[一每单][根个只头箱桶盒袋瓶棵株盆板份碗条亩垧车包]|/[根个只头箱桶盒袋瓶棵株盆板亩]"
)
_SHAPE = re.compile(r"[\u4e00-\u9fff]+|\d[\d.,]*")


def figure_signs(
    tokens: Sequence[Token],
    index: int,
    segment: tuple[int, int],
    figure: Figure,
    unit: Unit,
    commodity: Commodity | None,
    figures: Sequence[int],
    middle: Decimal | None,
) -> Iterator[str]:
    """Yield the signs of a figure; ``middle`` is the median price of the goods in the text."""
    yield f"figure {figure.kind}"
    price = figure.low * unit.yuan_per_ton
    if commodity is None:
        yield "no known goods"
    else:
        yield "fits the goods" if fits(price, commodity) else "does not fit the goods"
    if middle:
        ratio = times_apart(price, middle)
        yield (
            "like other prices"
            if ratio < Decimal("1.12")
            else "near other prices"
            if ratio < Decimal("1.4")
            else "far from other prices"
        )
        if price == middle:
            yield "same as the others"
    elif commodity is not None:
        is_usual = times_apart(price, commodity.usual) < Decimal("1.35")
        yield "like usual prices" if is_usual else "unlike usual prices"
    text = tokens[index].text
    digits = sum(c.isdigit() for c in text)
    yield f"digits {min(digits, 5)}"
    if "." in text:
        yield "decimal"
    if figure.low != figure.high:
        yield "range"
    if figure.sign:
        yield "has a sign"
    if figure.kind is TokenKind.BARE and 1900 <= figure.low <= 2100:
        yield "may be a year"
    yield from signs_beside(tokens, index)
    own = tokens[segment[0] : index]
    for kind in sorted({t.kind for t in own} & _TELLING):
        yield f"segment has {kind}"
    if has_kind(own, TokenKind.PRICE_WORD):
        yield "price word before"
    earlier = {t.kind for t in tokens[max(0, segment[0] - 12) : segment[0]]} & _TELLING
    for kind in sorted(earlier):
        yield f"earlier {kind}"
    if moves_on(tokens, index):
        yield "moves to another price"
    yield f"figure number {min(figures.index(index), 3)}"
    if index == figures[-1]:
        yield "last figure"
    if _PER_PIECE.search("".join(t.text for t in tokens[segment[0] : index + 2])):
        yield "per piece"
    if any(segment[0] <= i < index for i in figures):
        yield "figure before in segment"


def segments_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the pieces between delimiters, as first token and the one behind the last."""
    found, start = [], 0
    for index, token in enumerate(tokens):
        is_gap = index > start and token.start - tokens[index - 1].end > 1
        if token.kind in _BREAKS:
            found.append((start, index))
            start = index + 1
        elif is_gap and tokens[index - 1].figure is not None:
            found.append((start, index - 1))
            start = index
    found.append((start, len(tokens)))
    return found


def about_name(text: str, kind: str) -> Iterator[str]:
    """Yield the signs of a name alone."""
    if kind in ("run", "weak", "firm"):
        yield f"{kind} of {min(len(text), 9)} characters"
        if any(c in _FUNCTION for c in text):
            yield f"{kind} with function word"
        if any(c.isdigit() for c in text):
            yield f"{kind} with digit"
    if text.isascii():
        yield "latin name"


@lru_cache(maxsize=2048)
def shape_of(line: str) -> str:
    """Return a line with 9 for each number and x for each run of Chinese characters."""
    return _SHAPE.sub(lambda m: "9" if m.group()[0].isdigit() else "x", line.strip())[:60]


def line_signs(
    document: Document,
    tokens: Sequence[Token],
    drafts: Sequence[Draft],
    figures: int,
    times: int,
    where: tuple[int, int],
) -> list[str]:
    """Return the signs of a line, which all of its figures share.

    ``times`` is the number of lines of its shape, ``where`` the offsets of its beginning and end.
    """
    line = document.plain[slice(*where)]
    length = len(line.strip())
    signs = [
        f"line shape {'often' if times > 3 else 'twice' if times > 1 else 'once'}",
        f"line has {min(len(drafts), 3)} drafts",
        f"line has {min(figures, 5)} figures",
        "short line" if length < 30 else "line" if length < 80 else "long line",
    ]
    has = {
        "line with cells": "\t" in line or "|" in document.text[slice(*where)],
        "title has a price word": document.is_price_list,
        "declared unit": document.unit is not None,
        "line has a unit": has_kind(tokens, TokenKind.AMOUNT),
        "line has a stop": has_kind(tokens, TokenKind.STOP),
        "no drafts at all": not document.drafts,
    }
    signs += [sign for sign, is_so in has.items() if is_so]
    if drafts:
        signs.append(f"drafts of line are {mode(draft.figure.kind for draft in drafts)}")
    return signs
