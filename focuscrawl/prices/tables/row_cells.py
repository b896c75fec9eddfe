"""Contents of the cells of a table row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from focuscrawl.prices.figures.moisture_and_condition import (
    FIRM_PRODUCTS,
    PRICE_END,
    commodity_of,
    conditions_of,
    moisture_at,
)
from focuscrawl.prices.names.price_subjects import PLACES, SubjectMaker
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_columns import Cell, Column
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, DATE, PRICE, PRICE_LIKE, YUAN, Figure
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit, weight_named

_NOT_ENTITY = frozenset(
    {
        "commodity",
        "variety",
        "grade",
        "zone",
        "sale",
        "price",
        "origin",
        "filler",
        "moisture",
        "today",
    }
)
_DAYS = re.compile(r"日期|时间|^(?:date|day)$", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,，、;；]\s*")
_OF_A_PLACE = PLACES | {"price", "sale"}
MARKS = frozenset({"up", "down", "to", "dash"})


class Priced(NamedTuple):
    """A price of a row, its column, and the grade or goods that its cell or column states for it."""

    token: Token
    column: Column | None
    label: list[str]
    commodity: Commodity | None = None


@dataclass(slots=True)
class Row:
    """Contents of the cells of a row."""

    places: list[Token] = field(default_factory=list)
    name: Cell | None = None
    moisture: str = ""
    commodity: Commodity | None = None
    condition: list[str] = field(default_factory=list)
    prices: list[Priced] = field(default_factory=list)
    change: tuple[Figure, int] | None = None
    unit: Unit | None = None
    goods: str = ""  # the commodity as printed
    is_per_piece: bool = False  # whether its prices are not per weight
    is_old: bool = False
    day: date | None = None


class CellReader:
    """Reader of cells into rows."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._maker = SubjectMaker(document.text)

    def add(self, row: Row, cell: Cell, column: Column | None) -> None:
        """Add the content of a cell to a row, by the role of its column."""
        role = column.role if column else "unknown"
        tokens = cell.tokens
        if tokens and (
            all(t.kind == DATE for t in tokens) or (column and _DAYS.search(column.text))
        ):
            row.day = row.day or self._document.earlier_day(_text(tokens))
            return
        if role in ("skip", "old") or not tokens:
            return
        if role == "change":
            row.change = row.change or _signed(tokens)
        elif role == "moisture":
            row.moisture = self._maker.printed(cell.start, cell.end)
        elif role == "unit":
            row.unit = next((t.figure.unit for t in tokens if t.figure and t.figure.unit), row.unit)
            row.unit = row.unit or weight_named(self._maker.printed(cell.start, cell.end))
            row.is_per_piece = row.unit is None and "/" in _text(tokens)
        elif role == "price":
            row.prices += self._priced(tokens, column)
        elif role == "grade":
            row.condition += self._grades(cell)
        else:
            self._free_cell(row, cell, column)

    def _priced(self, tokens: list[Token], column: Column | None) -> list[Priced]:
        """Return the prices of a cell: one, or one for each grade that the cell or the column lists."""
        figures = [i for i, t in enumerate(tokens) if t.kind in PRICE_LIKE]
        heads = [t.text for t in column.tokens if t.kind in ("grade", "price")] if column else []
        if len(figures) == len(heads) > 1:
            return [Priced(tokens[i], column, [h]) for i, h in zip(figures, heads, strict=True)]
        found: list[Priced] = []
        before = 0
        for index in figures:
            grades = conditions_of(tokens[before:index], self._document.text)
            goods = commodity_of(tokens[before:index], self._document.words)
            is_other = bool(found) and (
                (grades and found[0].label) or (goods and found[0].commodity)
            )
            if not found or is_other:
                found.append(Priced(tokens[index], column, grades, goods))
            before = index + 1
        return found

    def _grades(self, cell: Cell) -> list[str]:
        printed = self._maker.printed(cell.start, cell.end)
        parts = (PRICE_END.sub("", part) for part in _COMMA.split(printed))
        return [part for part in parts if part]

    def _free_cell(self, row: Row, cell: Cell, column: Column | None) -> None:
        """Read a cell of an unknown column by its content."""
        tokens = cell.tokens
        if all(t.kind in MARKS for t in tokens):
            return
        if any(t.kind in ("not_price", "total") for t in tokens):
            row.is_old = row.is_old or not (row.name or row.places)
            return
        opening = next((i for i, t in enumerate(tokens) if t.kind == "open"), 0)
        if opening and all(t.kind in PLACES for t in tokens[:opening]):
            row.places += tokens[:opening]  # 山东潍坊(深加工)
            row.condition.append(_text(tokens[opening + 1 : -1]))
            return
        index = next((i for i in range(len(tokens)) if moisture_at(tokens, i)), None)
        if index is not None:
            start, end = moisture_at(tokens, index) or (0, 0)
            row.moisture = row.moisture or self._maker.printed(start, end)
            tokens = [
                t
                for i, t in enumerate(tokens)
                if i != index and t.kind not in ("moisture", "bound")
            ]
        if not self._is_cut_name(row, cell):
            row.commodity = commodity_of(tokens, self._document.words) or row.commodity
        if not tokens:
            return
        is_goods = column is not None and column.role == "commodity" and not row.goods
        if is_goods or all(t.kind == "commodity" for t in tokens):
            row.goods = self._maker.printed(tokens[0].start, tokens[-1].end)
        if is_goods:
            is_term = row.places and commodity_of(tokens, self._document.words) is None
            row.condition += [_text([t for t in tokens if not t.figure])] if is_term else []
            return
        if tokens[0].kind in PLACES and all(t.kind in _OF_A_PLACE for t in tokens):
            row.places += [t for t in tokens if t.kind in PLACES]
            rest = [t for t in tokens if t.kind not in PLACES]
            row.condition += conditions_of(rest, self._document.text)
        elif tokens[0].kind == "contract":
            row.name = Cell(tokens[0].start, tokens[0].end, tokens[:1])
        elif price := next((t for t in tokens if t.kind in PRICE_LIKE), None):
            self._priced_cell(row, tokens, price, column)
        elif any(t.kind in ("than", "recent", "old", "yearly") for t in tokens):
            row.is_old = row.is_old or all(t.kind in ("recent", "old", "yearly") for t in tokens)
        elif row.name is None and self._is_cut_name(row, cell):
            row.name = cell
        elif all(t.kind in _NOT_ENTITY for t in tokens):
            is_plain = _is_plain(tokens) or all(t.kind == "today" for t in tokens)
            row.condition += [] if is_plain else [_text([t for t in tokens if not t.figure])]
        elif not any(t.figure for t in tokens) and row.name is None:
            row.name = Cell(tokens[0].start, tokens[-1].end, tokens)

    def _is_cut_name(self, row: Row, cell: Cell) -> bool:
        """Return whether a product word is the end of a truncated buyer's name: 成武县 玉米淀粉.

        It is if it follows a county in a bulletin whose title names another commodity.
        """
        titled = self._document.title_commodity
        own = commodity_of(cell.tokens, self._document.words)
        is_product = all(t.text in FIRM_PRODUCTS for t in cell.tokens)
        return is_product and len(row.places) > 1 and titled not in (None, own)

    def _priced_cell(
        self, row: Row, tokens: list[Token], price: Token, column: Column | None
    ) -> None:
        assert price.figure is not None
        before = tokens[: tokens.index(price)]
        if any(t.kind in ("up", "down") for t in before) or price.figure.sign:
            row.change = row.change or _signed(tokens)
            return
        if row.name is None and any(t.kind not in _NOT_ENTITY | PLACES for t in before):
            row.name = Cell(before[0].start, before[-1].end, before)
        is_of_goods = self._document.unit is not None and all(t.kind == "commodity" for t in before)
        if price.kind != BARE or (column is None and is_of_goods) or not (before or column):
            row.prices += self._priced(tokens, column)


def _is_plain(tokens: Sequence[Token]) -> bool:
    return all(
        t.kind == "commodity" or (t.kind in ("price", "today") and len(tokens) > 1) for t in tokens
    ) and any(t.kind == "commodity" for t in tokens)


def _text(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens)


def _signed(tokens: Sequence[Token]) -> tuple[Figure, int] | None:
    sign = 0
    for token in tokens:
        if token.kind in ("up", "down"):
            sign = 1 if token.kind == "up" else -1
        elif token.figure and token.kind in (BARE, YUAN, PRICE, "small", "points"):
            sign = sign or token.figure.sign or 1
            return (token.figure, sign) if token.figure.low else None
    return None
