"""Signs of figures that may be quotes, and of names that may be their subjects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from focuscrawl.prices.confidence.reading_signs import TELLING, kind_of
from focuscrawl.prices.figures.figure_roles import moves_on
from focuscrawl.prices.quote_drafts import Document, Draft
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, PRICE, Figure
from focuscrawl.prices.tokens.implied_unit import fits
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit

_BREAKS = frozenset("comma semi stop colon tab open close quote".split())
_TELLING = TELLING | {"moisture"}
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
        ratio = price / middle if price > middle else middle / price
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
        ratio = price / commodity.usual if price > commodity.usual else commodity.usual / price
        yield "like usual prices" if ratio < Decimal("1.35") else "unlike usual prices"
    text = tokens[index].text
    digits = sum(c.isdigit() for c in text)
    yield f"digits {min(digits, 5)}"
    if "." in text:
        yield "decimal"
    if figure.low != figure.high:
        yield "range"
    if figure.sign:
        yield "has a sign"
    if figure.kind == BARE and 1900 <= figure.low <= 2100:
        yield "may be a year"
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    yield f"behind {kind_of(before)}"
    yield f"before {kind_of(after)}"
    own = tokens[segment[0] : index]
    for kind in sorted({t.kind for t in own} & _TELLING):
        yield f"segment has {kind}"
    if any(t.kind == "price" for t in own):
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
        "line has a unit": any(t.kind == PRICE for t in tokens),
        "line has a stop": any(t.kind == "stop" for t in tokens),
        "no drafts at all": not document.drafts,
    }
    signs += [sign for sign, is_so in has.items() if is_so]
    if drafts:
        kind = Counter(draft.figure.kind for draft in drafts).most_common(1)[0][0]
        signs.append(f"drafts of line are {kind}")
    return signs
