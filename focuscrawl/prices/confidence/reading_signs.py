"""Named signs that tell how sure the reading of a quote is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING

from focuscrawl.prices.quote_drafts import Document, Draft, Subject, prices_by_goods
from focuscrawl.prices.tokens.line_tokens import Token, has_kind
from focuscrawl.prices.tokens.token_kinds import BUYERS, GOODS, MOVES, PLACES, TokenKind

if TYPE_CHECKING:
    from focuscrawl.prices.tables.table_columns import Column

TELLING = MOVES | {
    TokenKind.THAN, TokenKind.OLD, TokenKind.RECENT, TokenKind.YEARLY, TokenKind.NOT_PRICE,
    TokenKind.FACT, TokenKind.CONVERTED, TokenKind.TOTAL, TokenKind.EACH, TokenKind.TOWARD,
}  # fmt: skip
"""Kinds of tokens that tell what a figure beside them is."""
GOODS_OF = "goods of the "
UNIT_OF_ROW = "unit of the row"
"""Sign of a row whose unit stands in a cell of its own."""
BY_COLUMN = " by column"
"""End of the sign of a row whose price is that of the head of its column, or of an owner behind it in a column of such."""
_NAMING = PLACES | BUYERS | GOODS | {TokenKind.CONTRACT}
_SAYS = ("说", "称", "表示", "认为", "看", "问")
_LONG = 12
_SPARSE, _DENSE = 60, 25  # characters of the text for each price
_FAR = 1.35


def signs_in_prose(
    descriptor: Sequence[Sequence[Token]],
    tokens: Sequence[Token],
    index: int,
    how: str,
    subject: Subject,
    goods: str,
) -> Iterator[str]:
    """Yield the signs of the price ``tokens[index]``, whose ``subject`` was found as ``how`` says."""
    yield f"{subject.kind} {how}"
    yield f"name {how}"
    token, own = tokens[index], descriptor[-1]
    yield f"figure {token.kind}"
    if goods and subject.kind != "goods":
        yield f"goods named, {how}"
    # In order: the first signs that are known give the reason of a doubt.
    for kind in sorted({t.kind for t in own} & TELLING):
        yield f"clause has {kind}"
    earlier = {t.kind for clause in descriptor[:-1] for t in clause} & TELLING
    for kind in sorted(earlier):
        yield f"earlier clause has {kind}"
    if len(descriptor) > 2:
        yield "many clauses before"
    if sum(len(t.text) for t in own if t.kind in (TokenKind.NAME, TokenKind.VARIETY)) > _LONG:
        yield "much unknown text in clause"
    if sum(t.kind is TokenKind.NAME for clause in descriptor for t in clause) > 3:
        yield "much unknown text before"
    if has_kind(own, TokenKind.OTHER, TokenKind.PERCENT, TokenKind.DATE):
        yield "other figures in clause"
    if not has_kind(own, TokenKind.PRICE_WORD):
        yield "no price word"
    if any(
        word in t.text
        for t in own
        if t.kind in (TokenKind.NAME, TokenKind.FILLER)
        for word in _SAYS
    ):
        yield "someone says"
    whole = "".join((subject.region + subject.mention).split())
    for named in _unused(own, whole):
        yield f"unused {named} in clause"
    for named in _unused(chain.from_iterable(descriptor[:-1]), whole):
        yield f"unused {named} before"
    if tokens[0].figure is not None and tokens[0].kind is TokenKind.AMOUNT:
        yield "line begins with a price"
    yield from signs_beside(tokens, index)
    yield from _about_name(subject)


def signs_in_row(
    subject: Subject,
    token: Token,
    column: Column | None,
    prices: int,
    goods: str,
    *,
    is_headed: bool,
) -> tuple[str, ...]:
    """Return the signs of a price in a table row, whose ``goods`` are those of the cell, the column or the row.

    ``is_headed`` tells whether the subject heads the column, or stands behind the price below a head such as 市场.
    """
    by_column = BY_COLUMN if is_headed else ""
    found = ["in a row", f"row of {subject.kind}{by_column}", f"row {token.kind}", GOODS_OF + goods]
    found.append(f"column {column.role}" if column else "no header")
    if prices > 1:
        found.append("several prices in the row")
    return (*found, *_about_name(subject))


def _about_name(subject: Subject) -> Iterator[str]:
    name = subject.mention
    if subject.kind in ("firm", "weak", "actor"):
        if len(name) > 7:
            yield f"long name of {subject.kind}"
        if any(c.isdigit() for c in name):
            yield "digit in name"
        if not subject.region:
            yield f"no region of {subject.kind}"
    if name.isascii():
        yield "latin name"


def _unused(tokens: Iterable[Token], name: str) -> list[str]:
    """Return the kinds of the names that are no part of a name."""
    return sorted(
        {t.kind for t in tokens if t.kind in _NAMING and "".join(t.text.split()) not in name}
    )


def signs_beside(tokens: Sequence[Token], index: int) -> Iterator[str]:
    """Yield the signs of what stands around the figure ``tokens[index]``."""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    yield f"before {_kind_of(after)}"
    before = tokens[index - 1] if index else None
    yield f"behind {_kind_of(before)}"


def _kind_of(token: Token | None) -> str:
    """Return the kind of a token as signs have it."""
    if token is None:
        return "the end"
    return "figure" if token.figure is not None else token.kind


def add_signs_of_text(document: Document, drafts: Sequence[Draft]) -> None:
    """Add the signs that only the whole text gives."""
    if not drafts:
        return
    length = len("".join(document.plain.split())) / len(drafts)
    style = "sparse prices" if length > _SPARSE else "dense prices" if length < _DENSE else ""
    shared = [style] if style else []
    shared += ["one price"] if len(drafts) == 1 else ["few prices"] if len(drafts) < 4 else []
    share = sum(d.figure.kind is TokenKind.AMOUNT for d in drafts) / len(drafts)
    shared += ["units printed"] if share > 0.7 else []
    prices = prices_by_goods(drafts)
    middles = {goods: median(map(float, found)) for goods, found in prices.items()}
    goods_of = Counter(name for name, _ in {(d.subject.mention, d.commodity) for d in drafts})
    keys = [(d.subject.mention, d.commodity, d.day, *d.condition) for d in drafts]
    times = Counter(keys)
    for draft, key in zip(drafts, keys, strict=True):
        own = list(shared)
        ratio = float(draft.per_ton[0]) / (middles[draft.commodity] or 1)
        own += ["far from the others"] if not 1 / _FAR < ratio < _FAR else []
        own += ["flagged"] if draft.flag or draft.implausible else []
        own += ["no known goods"] if draft.commodity is None else []
        own += [f"several goods, {draft.subject.kind}"] if len(prices) > 1 else []
        own += ["one name for all"] if len(goods_of) == 1 and len(drafts) > 2 else []
        if goods_of[draft.subject.mention] > 1:
            own.append(f"several goods of one {draft.subject.kind}")
        if times[key] > 1:
            own.append(f"again the same {draft.subject.kind} and goods")
        own += ["bare figure"] if draft.figure.kind is TokenKind.BARE else []
        own += [f"{style}, {sign}" for sign in draft.signs[:2] if style]
        draft.signs = (*draft.signs, *own)
