"""Quotes from table rows, with or without a header row above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from focuscrawl.prices.confidence.reading_signs import signs_in_row
from focuscrawl.prices.figures.moisture_and_condition import (
    FIRM_PRODUCTS,
    PRICE_END,
    commodity_of,
    conditions_of,
    moisture_at,
)
from focuscrawl.prices.figures.price_changes import change_in
from focuscrawl.prices.names.price_subjects import PLACES, SubjectMaker, find_groups, province_of
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tables.table_cells import Cell, Column, labelled, matching, merged
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, DATE, PRICE, PRICE_LIKE, YUAN, Figure
from focuscrawl.prices.tokens.implied_unit import fits, guess_unit
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.search_limits import LONGEST_ROW, MOST_CONDITIONS, MOST_PLACES

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
_HEAD = re.compile(r"价|元/|[今本当]|单位")
_COMMA = re.compile(r"\s*[,，、;；]\s*")
_EXTREMES = ("最高", "最低")
_OF_A_PLACE = PLACES | {"price", "sale"}
_MARKS = frozenset({"up", "down", "to", "dash"})
_AVERAGES = ("均价", "平均", "主流", "加权")


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


class TableReader:
    """Reader of the table rows of a document; a header applies until the next header or record."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._maker = SubjectMaker(document.text)
        self._columns: list[Column] = []
        self._unit_of_columns: Unit | None = None
        self._has_extremes = self._is_in_header = False
        self._places: list[Token] = []

    def set_header(self, columns: list[Column]) -> None:
        """Use these columns for the rows that follow; directly below a header, join the two."""
        if self._is_in_header and len(columns) == len(self._columns):
            columns = merged(self._document, self._columns, columns)
        self._is_in_header = bool(columns)
        self._columns = columns
        self._unit_of_columns = next((c.unit for c in columns if c.unit), None)
        self._has_extremes = any(w in c.text for c in columns for w in _EXTREMES)
        self._places = []
        heads = (t.start for c in columns for t in c.tokens if t.figure)
        self._document.columns.update((start, "head") for start in heads)

    def read(self, cells: Sequence[Cell]) -> list[Draft]:
        """Return the drafts of one row; [] without a price."""
        self._is_in_header = False
        columns = matching(self._columns, cells)
        row = Row()
        fields = [
            labelled(self._document, cell, column)
            for cell, column in zip(cells, columns, strict=True)
        ]
        for cell, column in fields:
            self._cell(row, cell, column)
        self._note_roles(row, fields)
        is_cut = not cells[0].tokens or (self._columns and columns[0] is not self._columns[0])
        if not row.places and self._columns and is_cut:
            row.places = self._places
        del row.places[MOST_PLACES:], row.condition[MOST_CONDITIONS:]
        self._places = row.places or self._places
        return self._drafts(row, cells)

    def _note_roles(self, row: Row, fields: Sequence[tuple[Cell, Column | None]]) -> None:
        """Note the roles of the columns of all figures; rows of old prices have no others."""
        of_row = "old" if row.is_old else "skip" if row.is_per_piece else ""
        for cell, column in fields:
            role = column.role if column else "unknown"
            role = of_row if of_row and role in ("price", "unknown") else role
            self._document.columns.update((t.start, role) for t in cell.tokens if t.figure)

    # -- cells --------------------------------------------------------------------------------

    def _cell(self, row: Row, cell: Cell, column: Column | None) -> None:
        role = column.role if column else "unknown"
        tokens = cell.tokens
        if role in ("skip", "old") or not tokens:
            return
        if role == "change":
            row.change = row.change or _signed(tokens)
        elif role == "moisture":
            row.moisture = self._maker.printed(cell.start, cell.end)
        elif role == "unit":
            row.unit = next((t.figure.unit for t in tokens if t.figure and t.figure.unit), row.unit)
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
        if all(t.kind in _MARKS for t in tokens):
            return
        if any(t.kind in ("not_price", "total") for t in tokens):
            row.is_old = row.is_old or not (row.name or row.places)
            return
        opening = next((i for i, t in enumerate(tokens) if t.kind == "open"), 0)
        if (
            opening
            and tokens[-1].kind == "close"
            and all(t.kind in PLACES for t in tokens[:opening])
        ):
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
            self._priced_cell(row, cell, tokens, price, column)
        elif any(t.kind in ("than", "recent", "old", "yearly") for t in tokens):
            row.is_old = row.is_old or all(t.kind in ("recent", "old", "yearly") for t in tokens)
        elif row.name is None and self._is_cut_name(row, cell):
            row.name = cell
        elif all(t.kind in _NOT_ENTITY for t in tokens):
            is_plain = _is_plain(tokens) or all(t.kind == "today" for t in tokens)
            row.condition += [] if is_plain else [_text([t for t in tokens if not t.figure])]
        elif _is_place_with_goods(tokens):
            row.places.append(tokens[0])
        elif not any(t.figure for t in tokens) and row.name is None:
            row.name = Cell(tokens[0].start, tokens[-1].end, tokens)

    def _is_cut_name(self, row: Row, cell: Cell) -> bool:
        """Return whether a product word is the end of a truncated buyer's name: 成武县 玉米淀粉.

        It is if it follows a county in a bulletin whose title names another commodity.
        """
        titled = self._document.title_commodity
        own = commodity_of(cell.tokens, self._document.words)
        is_product = all(t.text in FIRM_PRODUCTS for t in cell.tokens)
        return (
            is_product and len(row.places) > 1 and not self._columns and titled not in (None, own)
        )

    def _priced_cell(
        self, row: Row, cell: Cell, tokens: list[Token], price: Token, column: Column | None
    ) -> None:
        assert price.figure is not None
        before = tokens[: tokens.index(price)]
        if any(t.kind in ("up", "down") for t in before) or price.figure.sign:
            row.change = row.change or _signed(tokens)
            return
        is_name = any(t.kind not in _NOT_ENTITY | PLACES for t in before)
        if is_name and row.name is None:
            row.name = Cell(before[0].start, before[-1].end, before)
        elif before:
            row.places += [t for t in before if t.kind in PLACES]
        is_of_goods = self._document.unit is not None and all(t.kind == "commodity" for t in before)
        if price.kind != BARE or (column is None and is_of_goods) or not (before or column):
            row.prices += self._priced(tokens, column)

    # -- drafts -------------------------------------------------------------------------------

    def _drafts(self, row: Row, cells: Sequence[Cell]) -> list[Draft]:
        subject = self._subject(row)
        if subject is None or row.is_per_piece or row.is_old:
            return []
        drafts: list[Draft] = []
        has_printed_unit = any(p.token.kind == PRICE for p in row.prices)
        for priced in row.prices:
            is_bare = priced.token.kind == BARE and priced.column is None
            if is_bare and has_printed_unit:
                continue
            if draft := self._draft(row, priced, subject, cells):
                drafts.append(draft)
            if is_bare and drafts and priced.commodity is None:
                break
        _mark_secondary(drafts)
        return drafts

    def _draft(
        self, row: Row, priced: Priced, subject: Subject, cells: Sequence[Cell]
    ) -> Draft | None:
        token, column, label, goods = priced
        figure = token.figure
        assert figure is not None
        if column and "万元" in column.text:
            figure = replace(figure, low=figure.low * 10_000, high=figure.high * 10_000)
        commodity = goods or (column and column.commodity) or row.commodity
        commodity = commodity or self._document.heading_commodity or self._document.commodity
        unit = (
            figure.unit
            or (column and column.unit)
            or row.unit
            or self._unit(figure, commodity, column)
        )
        if unit is None or figure.low <= 0:
            return None
        label = label or _label(column, self._document.text, self._has_extremes)
        if column and column.places:
            subject = self._place(column.places)
        elif subject.kind == "none":
            name = row.goods or (column and column.goods) or self._document.goods_as_printed()
            subject = replace(subject, kind="goods", mention=name)
        elif column and column.goods != next((c.goods for c in self._columns if c.goods), ""):
            label = list(dict.fromkeys((column.goods, *label)))  # 豆粕 beside 玉米
        change = None
        if row.change and figure.low:
            change = change_in(*row.change, unit, figure.low)
        return Draft(
            figure=figure, start=token.start, end=token.end, unit=unit,
            span_start=max(cells[0].start, token.end - LONGEST_ROW),
            subject=subject, commodity=commodity, condition=[*row.condition, *label],
            moisture=row.moisture or self._moisture_of(column), change=change,
            signs=signs_in_row(subject, token, column, len(row.prices)),
        )  # fmt: skip

    def _place(self, places: Sequence[Token]) -> Subject:
        """Return a county as the subject, with the places before it as its region."""
        named = [t for t in places if t.kind != "zone"] or places  # 华东 over 上海 is no region
        region = "".join(self._maker.printed(t.start, t.end) for t in named)
        region = "".join(region.split()) if len(named) > 1 else ""
        province = next((p for t in places if (p := province_of(t))), "")
        mention = self._maker.printed(places[-1].start, places[-1].end)
        return Subject("place", mention, region, province, is_bare_place=True)

    def _moisture_of(self, column: Column | None) -> str:
        tokens = column.tokens if column else []
        found = next((m for i in range(len(tokens)) if (m := moisture_at(tokens, i))), None)
        return self._maker.printed(*found) if found else ""

    def _unit(
        self, figure: Figure, commodity: Commodity | None, column: Column | None
    ) -> Unit | None:
        declared = self._document.unit or self._unit_of_columns
        if declared is None and column is not None and self._document.drafts:
            declared = self._document.drafts[-1].unit
        if declared and fits(figure.low * declared.yuan_per_ton, commodity):
            return declared
        if column is None and figure.kind != YUAN and not self._document.is_price_list:
            return declared
        return guess_unit(figure.low, commodity) or declared

    def _subject(self, row: Row) -> Subject | None:
        place = self._place(row.places) if row.places else None
        if row.name is not None:
            groups = [g for g, _ in find_groups(row.name.tokens)]
            groups = [g for g in groups if any(t.kind not in PLACES for t in g)] or groups
            made = self._maker.subject(groups[-1], [], self._document.heading) if groups else None
            mention = self._maker.printed(row.name.start, row.name.end)
            if made and place is None:
                return replace(made, mention=mention if made.kind == "weak" else made.mention)
            if place is None:
                return Subject("firm", mention)
            region = place.region or place.mention
            return Subject("firm", mention, "".join(region.split()), place.province)
        if place is not None or self._document.heading is not None:
            return place or self._document.heading
        return Subject("none", "") if row.commodity or self._columns else None


def _is_place_with_goods(tokens: Sequence[Token]) -> bool:
    """Return whether a cell is a county and a commodity (高青县玉米); 临清玉米 may be a firm."""
    is_place = tokens[0].kind == "place" and tokens[0].text.endswith(("县", "市", "区"))
    return is_place and all(t.kind in ("commodity", "price") for t in tokens[1:])


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


def _label(column: Column | None, text: str, has_extremes: bool) -> list[str]:
    if column is None or column.places:
        return []
    found = conditions_of(column.tokens, text)
    words = "".join(t.text for t in column.tokens if t.kind != DATE and not t.figure)
    if not found:
        named = (*_EXTREMES, *_AVERAGES) if has_extremes else ()
        found = [word for word in named if word in words][:1]
    return found or ([words] if not _HEAD.search(words) and column.commodity is None else [])


def _mark_secondary(drafts: list[Draft]) -> None:
    """Mark the first price of each commodity in a row as primary, preferring averages."""
    seen: set[tuple[str, str]] = set()
    for draft in sorted(
        drafts, key=lambda d: not any(c.startswith(_AVERAGES) for c in d.condition)
    ):
        key = (draft.subject.mention, draft.commodity.name if draft.commodity else "")
        draft.is_primary = key not in seen
        seen.add(key)
