"""Quotes from table rows, with or without a header row above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from focuscrawl.prices.confidence.reading_signs import signs_in_row
from focuscrawl.prices.figures.moisture_and_condition import (
    conditions_of,
    moisture_in,
)
from focuscrawl.prices.figures.price_changes import change_in
from focuscrawl.prices.names.price_subjects import PLACES, SubjectMaker, find_groups, province_of
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tables.row_cells import MARKS, CellReader, Priced, Row
from focuscrawl.prices.tables.table_cells import with_units_apart
from focuscrawl.prices.tables.table_columns import Cell, Column, matching, role_of
from focuscrawl.prices.tables.table_heads import header_of, joined_header, of_prices
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import BARE, DATE, YUAN, Figure
from focuscrawl.prices.tokens.implied_unit import fits, guess_unit
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.search_limits import LONGEST_ROW, MOST_CONDITIONS, MOST_PLACES

_GOODS = frozenset({"commodity", "variety", "grade"})
_HEAD = re.compile(r"价|元/|[今本当]|单位")
_EXTREMES = ("最高", "最低")
_FEWEST_PRICES = 2
_LEAST_IN_YUAN = 1  # moves of prices in 万元 that are in yuan
_AVERAGES = ("均价", "平均", "主流", "加权")


class TableReader:
    """Reader of the table rows of a document; a header applies until the next header or record."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._maker = SubjectMaker(document.text)
        self._cells = CellReader(document)
        self._columns: list[Column] = []
        self._unit_of_columns: Unit | None = None
        self._has_extremes = False
        self._times = 1  # that the columns stand beside each other
        self._above: Sequence[Cell] = []  # the line above
        self._names: Sequence[Cell] = []  # the line above, if it has no price
        self._places: list[Token] = []

    def takes_header(self, cells: Sequence[Cell]) -> bool:
        """Use a line as header, with the one above it where they are one; False if it is none."""
        above, self._above = self._above, cells
        columns = header_of(self._document, cells) if cells else []
        self._names = [] if any(c.is_priced for c in above) else above
        if cells and len(self._names) == len(cells):
            columns = joined_header(self._document, above, cells) or columns
        if columns:
            self.set_header(columns)
        return bool(columns)

    def set_header(self, columns: list[Column]) -> None:
        """Use these columns for the rows that follow."""
        heads = (t.start for c in columns for t in c.tokens if t.figure)
        self._document.columns.update((start, "head") for start in heads)
        self._times = _times(columns)
        columns = columns[: len(columns) // self._times]
        self._columns = columns
        self._unit_of_columns = next((c.unit for c in columns if c.unit), None)
        self._has_extremes = any(w in c.text for c in columns for w in _EXTREMES)
        self._places = []

    def read(self, cells: Sequence[Cell]) -> list[Draft]:
        """Return the drafts of one row; [] without a price."""
        # A head loses its empty last cells.
        width = max(_width(self._names), _width(cells))
        if len(self._names) == len(cells) and width != len(self._columns):
            self._use_names(self._names, cells)
        if self._times == 1:
            return self._read_row(cells)
        width = len(self._columns)
        parts = [cells[i : i + width] for i in range(0, len(cells), width)]
        return [draft for part in parts for draft in self._read_row(part)]

    def _use_names(self, above: Sequence[Cell], cells: Sequence[Cell]) -> None:
        """Use a line of names as header of a row of prices: of the ports of a matrix, of grades."""
        prices = [i for i, cell in enumerate(cells) if i and self._is_price(cell)]
        others = [i for i, cell in enumerate(cells) if i and i not in prices]
        is_blank = all(t.kind in MARKS for i in others for t in cells[i].tokens)
        if len(prices) >= _FEWEST_PRICES and is_blank and not cells[0].is_priced:
            self.set_header(of_prices(self._document, above))

    def _is_price(self, cell: Cell) -> bool:
        figure = cell.tokens[0].figure if len(cell.tokens) == 1 else None
        return figure is not None and cell.is_priced and not figure.sign

    def _read_row(self, cells: Sequence[Cell]) -> list[Draft]:
        if any(c.role == "unit" for c in self._columns):
            cells = with_units_apart(cells)
        columns = matching(self._columns, cells)
        row = Row(is_old=bool(self._columns) and self._role(cells[0]) in ("change", "old"))
        fields = list(zip(cells, columns, strict=True))
        for cell, column in fields:
            self._cells.add(row, cell, column)
        self._note_roles(row, fields)
        is_cut = not cells[0].tokens or (self._columns and columns[0] is not self._columns[0])
        if not row.places and self._columns and is_cut:
            row.places = self._places
        del row.places[MOST_PLACES:], row.condition[MOST_CONDITIONS:]
        self._places = row.places or self._places
        return self._drafts(row, cells)

    def _role(self, cell: Cell) -> str:
        """Return what the figures of a row are by its first cell: prices, moves (涨跌), old (昨日)."""
        text = "".join(self._document.plain[cell.start : cell.end].split())
        return "" if cell.is_priced else role_of(text, False)

    def _note_roles(self, row: Row, fields: Sequence[tuple[Cell, Column | None]]) -> None:
        """Note the roles of the columns of all figures; rows of old prices have no others."""
        of_row = "old" if row.is_old else "skip" if row.is_per_piece else ""
        for cell, column in fields:
            role = column.role if column else "unknown"
            role = of_row if of_row and role in ("price", "unknown") else role
            self._document.columns.update((t.start, role) for t in cell.tokens if t.figure)

    # -- drafts -------------------------------------------------------------------------------

    def _drafts(self, row: Row, cells: Sequence[Cell]) -> list[Draft]:
        subject = self._subject(row)
        if subject is None or row.is_per_piece or row.is_old:
            return []
        drafts: list[Draft] = []
        for priced in row.prices:
            if draft := self._draft(row, priced, subject, cells):
                drafts.append(draft)
            is_bare = priced.token.kind == BARE and priced.column is None
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
            figure = _ten_thousand(figure)
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
        if column and column.places and row.places:
            label = [*label, column.text]  # from the row's place to the column's
        elif column and column.places:
            subject = self._place(column.places)
        elif subject.kind == "none":
            name = row.goods or (column and column.goods) or self._document.goods_as_printed()
            subject = replace(subject, kind="goods", mention=name)
        elif column and column.goods != next((c.goods for c in self._columns if c.goods), ""):
            label = list(dict.fromkeys((column.goods, *label)))  # 豆粕 beside 玉米
        change = None
        if row.change and figure.low:
            move, sign = row.change
            is_alike = figure is token.figure or move.low > _LEAST_IN_YUAN
            change = change_in(move if is_alike else _ten_thousand(move), sign, unit, figure.low)
        return Draft(
            figure=figure, start=token.start, end=token.end, unit=unit,
            span_start=max(cells[0].start, token.end - LONGEST_ROW),
            subject=subject, commodity=commodity, condition=[*row.condition, *label],
            moisture=row.moisture or self._moisture_of(column), change=change,
            signs=signs_in_row(subject, token, column, len(row.prices)), day=row.day,
        )  # fmt: skip

    def _place(self, places: Sequence[Token]) -> Subject:
        """Return a county as the subject, with the places before it as its region."""
        named = [t for t in places if t.kind != "zone"] or places  # 华东 over 上海 is no region
        region = self._maker.places_as_printed(named) if len(named) > 1 else ""
        province = next((p for t in places if (p := province_of(t))), "")
        mention = self._maker.printed(places[-1].start, places[-1].end)
        return Subject("place", mention, region, province, is_bare_place=True)

    def _moisture_of(self, column: Column | None) -> str:
        tokens = column.tokens if column else []
        found = moisture_in(tokens)
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
            has_goods = any(t.kind in _GOODS for t in row.name.tokens)
            if made and place and made.is_bare_place and has_goods:
                # 山东|诸城市玉米: goods of a place are no firm.
                own = [t for t in row.name.tokens if t.kind in PLACES]
                named = {t.text for t in own}
                return self._place([*(t for t in row.places if t.text not in named), *own])
            if made and place is None:
                return replace(made, mention=mention if made.kind == "weak" else made.mention)
            if place is None:
                return Subject("firm", mention)
            region = place.region or place.mention
            return Subject("firm", mention, region, place.province)
        if place is not None or self._document.heading is not None:
            return place or self._document.heading
        return Subject("none", "") if row.commodity or self._columns else None


def _ten_thousand(figure: Figure) -> Figure:
    """Return a figure of 万元 in yuan."""
    return replace(figure, low=figure.low * 10_000, high=figure.high * 10_000)


def _width(cells: Sequence[Cell]) -> int:
    return max((number for number, cell in enumerate(cells, 1) if cell.tokens), default=0)


def _times(columns: Sequence[Column]) -> int:
    """Return how often the same heads stand beside each other."""
    texts = [c.text for c in columns]
    for times in (3, 2):
        width = len(texts) // times
        if width > 1 and texts == texts[:width] * times:
            return times
    return 1


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
