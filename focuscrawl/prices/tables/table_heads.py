"""Head rows of tables, of one line or two, and the columns that they describe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_columns import (
    NONE,
    SUBJECT_HEAD,
    SUBJECTS,
    Cell,
    Column,
    column_of,
    text_of,
)
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.token_kinds import BUYERS, MOVES, PLACES, TokenKind

_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"(?:0?[1-9]|1[0-2])[./-](?:0?[1-9]|[12]\d|3[01])日?(?:\(.*\))?")
_FEWEST_DAYS = 2
_OWNER, _FEWEST_OWNERS = re.compile(".(?:市场|超市|商场|门店|.店)$"), 2
_HEAD = re.compile(r"[^\W\d_]{2,10}")
# Places whose prices stand before them; 产地 is that of goods.
_OF_PRICES = re.compile("地区|城市|[市区]县|县[市区]|省[份市]|销区")
_NAMES = PLACES | BUYERS
_PARTS = _NAMES | MOVES | {TokenKind.MOD}  # 步步高, 东门市场
_NO_OWNER = re.compile("集$|周|[高中低]端|[高中低]档|芽|[毛标]重")
_MAY_BE_PRICES = frozenset({"unknown", "region", "entity", "grade"})


def header_of(document: Document, cells: Sequence[Cell]) -> list[Column]:
    """Return the columns of a header row, or [] if the row is not a header."""
    texts = [text_of(document, c) for c in cells]
    days = _days(texts) if any(c.is_priced for c in cells) else frozenset()
    if any(c.is_priced for i, c in enumerate(cells) if i not in days):
        return []
    if document.plain[cells[0].start : cells[0].end].lstrip(" (").startswith("单位"):
        return []
    if any(map(NONE.fullmatch, texts[1:])):
        return []
    columns = [column_of(document, text, c.tokens) for text, c in zip(texts, cells, strict=True)]
    for index in days:
        columns[index].role = "date"
    return _named(columns)


def joined_header(document: Document, above: Sequence[Cell], below: Sequence[Cell]) -> list[Column]:
    """Return the columns of a header of two rows, or [] if they are none.

    The lower row begins with an empty cell or repeats the one above it. A cell of the upper row
    that is merged over several columns stands above the first of them, or each of them stands above
    the same heads (价格, 涨跌).
    """
    if any(c.is_priced for c in (*above, *below)):
        return []
    lower = [text_of(document, c) for c in below]
    unmerged = int(not lower[0] or lower[0] == text_of(document, above[0]))
    groups = len(above) - unmerged
    width = (len(below) - unmerged) // max(1, groups)
    heads = lower[unmerged:]
    is_merged = width > 1 and heads == heads[:width] * groups
    if is_merged:
        above = [*above[:unmerged], *(c for c in above[unmerged:] for _ in range(width))]
    elif not unmerged or len(above) != len(below):
        return []
    columns: list[Column] = []
    group: Cell = above[0]
    for first, second, text in zip(above, below, lower, strict=True):
        group = first if first.tokens or not text else group
        top = text_of(document, group)
        tokens = [*group.tokens, *second.tokens] if text != top else second.tokens
        column = column_of(document, top + text if text != top else text, tokens)
        if is_merged and column.role == "price" and not column.places:
            column.owner = top if _is_name(top, group.tokens) else ""
        columns.append(column)
    return _named(columns)


def of_prices(
    document: Document, names: Sequence[Cell], prices: Sequence[int], *, are_goods: bool
) -> list[Column]:
    """Return the columns of a line of names above a row whose cells ``prices`` are such.

    If the rows ``are_goods``, names above two or more of them are those of places, firms or shops.
    """
    columns = [column_of(document, text_of(document, c), c.tokens) for c in names]
    for number in prices:
        column = columns[number]
        column.role = "price" if column.role in _MAY_BE_PRICES else column.role
    columns[0].role = "unknown" if columns[0].role == "price" else columns[0].role
    known = [c for i in prices if (c := columns[i]).role == "price"]
    owners = [c for c in known if _is_name(c.text, c.tokens)]
    for column in owners if are_goods and len(owners) >= _FEWEST_OWNERS else ():
        column.owner = "" if len(column.places) == len(column.tokens) else column.text
    return columns


def _is_name(head: str, tokens: Sequence[Token]) -> bool:
    """Return whether a head can be the name of an owner."""
    kinds = {t.kind for t in tokens}
    is_name = bool(kinds & _NAMES) and kinds <= _PARTS
    return is_name and not _NO_OWNER.search(head)


def _named(columns: list[Column]) -> list[Column]:
    """Return the columns with the roles that they have beside each other, [] without a price."""
    while columns and not columns[-1].text:
        columns.pop()
    _name_dates(columns)
    if not columns:
        return []
    if columns[0].role == "grade" and not any(c.role in SUBJECTS for c in columns):
        columns[0].role = "commodity"
    if all(c.role != "price" for c in columns):
        for column in columns:
            column.role = "price" if column.unit and column.text.startswith("折") else column.role
    _name_origins(columns)
    _name_owners(columns)
    known = sum(c.role != "unknown" for c in columns)
    has_price = any(c.role == "price" for c in columns)
    return columns if has_price and known * 2 > len(columns) else []


def _name_origins(columns: Sequence[Column]) -> None:
    """Make places of origin behind the prices of goods a property of the goods."""
    first = next((i for i, c in enumerate(columns) if c.role == "price"), len(columns))
    are_goods = any(c.role == "commodity" for c in columns[:first])
    for column in columns[first:] if are_goods else ():
        is_origin = column.role == "region" and _OF_PRICES.fullmatch(column.text) is None
        column.role = "grade" if is_origin else column.role


def _name_owners(columns: Sequence[Column]) -> None:
    """Make heads such as 东门市场, 惠民超市 price columns if there are several, and names beside places."""
    named = [c for c in columns[1:] if c.role == "unknown" and _is_name(c.text, c.tokens)]
    are_places = sum(bool(c.places) and c.role == "price" for c in columns) >= _FEWEST_OWNERS
    are_names = (
        columns[0].role == "commodity"
        and sum(not c.text.isascii() for c in named) >= _FEWEST_OWNERS
    )
    found = [
        c
        for c in columns[1:]
        if (c.role in ("entity", "unknown", "region") and _OWNER.search(c.text))
        or ((are_places or are_names) and c in named)
    ]
    if are_places or len(found) >= _FEWEST_OWNERS:
        is_of_shops = not (are_places or are_names)
        near = columns[max(1, columns.index(found[0]) - 1) :] if is_of_shops else ()
        found += [c for c in near if c.role == "unknown" and _HEAD.fullmatch(c.text)]
        for column in found:
            column.role, column.owner = "price", column.text


def _days(texts: Sequence[str]) -> frozenset[int]:
    """Return which cells, by their texts, are days without a month sign (3.11, 3.12), if they are a run of them."""
    found = [i for i, text in enumerate(texts) if _DAY.fullmatch(text)]
    order = [_numbers(texts[i]) for i in found]
    is_run = all(a < b for a, b in pairwise(order)) or all(a > b for a, b in pairwise(order))
    is_headed = SUBJECT_HEAD.fullmatch(texts[0]) is not None
    return frozenset(found) if is_headed and is_run and len(found) >= _FEWEST_DAYS else frozenset()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text)]


def _name_dates(columns: Sequence[Column]) -> None:
    """Make columns headed by days price columns: that of the last day, the others of old prices."""
    dated = [c for c in columns if c.role == "date"]
    days = [_numbers(c.text) for c in dated]
    is_new_year = any(d[:1] == [12] for d in days) and any(d[:1] == [1] for d in days)
    days = [[13, *d[1:]] if is_new_year and d[:1] == [1] else d for d in days]
    is_new_month = max(days, default=[0]) > [25] and min(days, default=[0]) < [7]
    days = [[d[0] + 31] if is_new_month and len(d) == 1 and d[0] < 7 else d for d in days]
    for column, day in zip(dated, days, strict=True):
        column.role = "price" if day == max(days) else "old"
