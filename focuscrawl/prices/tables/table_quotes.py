"""Quotes from table rows, with or without a header row above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from focuscrawl.prices.confidence.reading_signs import UNIT_OF_ROW, signs_in_row
from focuscrawl.prices.figures.moisture_and_condition import (
    FIRM_PRODUCTS,
    PRICE_END,
    commodity_of,
    conditions_of,
    moisture_at,
    moisture_in,
)
from focuscrawl.prices.figures.price_changes import change_in
from focuscrawl.prices.names.price_subjects import SubjectMaker, find_groups, province_of
from focuscrawl.prices.quote_drafts import REPEATED, Document, Draft, Subject
from focuscrawl.prices.tables.table_cells import (
    are_pairs,
    with_units_apart,
    with_wide_gaps,
)
from focuscrawl.prices.tables.table_columns import (
    NONE,
    Cell,
    Column,
    matching,
    role_of,
    text_of,
    use_shortest_changes,
)
from focuscrawl.prices.tables.table_heads import header_of, joined_header, of_prices
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import SMALL_WORTH, Figure
from focuscrawl.prices.tokens.implied_unit import fits, guess_unit
from focuscrawl.prices.tokens.line_tokens import (
    LONGEST_ROW,
    MOST_CONDITIONS,
    MOST_PLACES,
    Token,
    has_kind,
)
from focuscrawl.prices.tokens.price_units import TEN_THOUSANDS, TON, Unit, weight_named
from focuscrawl.prices.tokens.token_kinds import (
    GRADED_GOODS,
    MOVE_LIKE,
    MOVES,
    PLACES,
    PRICE_LIKE,
    SIGN_OF,
    TokenKind,
)

# Contents of the cells of a table row.

_NOT_ENTITY = GRADED_GOODS | {
    TokenKind.ZONE, TokenKind.SALE, TokenKind.PRICE_WORD, TokenKind.ORIGIN, TokenKind.FILLER,
    TokenKind.MOISTURE, TokenKind.TODAY,
}  # fmt: skip
_PIECE = re.compile(r"m[23³²]?|㎡|立?方|[瓶桶个只头块箱盒把米套张袋条株枚升]|L", re.IGNORECASE)
_DAYS = re.compile(r"日期|时间|^(?:date|day)$", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,，、;；]\s*")
_SMALL_HEAD = re.compile(r"([分厘毛])(?:/斤)?\)?$")
_OF_A_PLACE = PLACES | {TokenKind.PRICE_WORD, TokenKind.SALE}
MARKS = MOVES | {TokenKind.TO, TokenKind.DASH}
# 豆粕零售价, 1#铅.
_PRICES_OF_GOODS = {
    TokenKind.COMMODITY, TokenKind.PRICE_WORD, TokenKind.SALE, TokenKind.OTHER, TokenKind.FILLER,
}  # fmt: skip
_PLAIN = {TokenKind.COMMODITY, TokenKind.PRICE_WORD, TokenKind.TODAY}
_NO_PRICES = {TokenKind.NOT_PRICE, TokenKind.TOTAL}
_AVERAGE = re.compile(r"(?:合计|总)?(?:加权)?(?:平均|均价)(?:价格?)?")
_OLD = {TokenKind.RECENT, TokenKind.OLD, TokenKind.YEARLY}


class PricedCell(NamedTuple):
    """A price of a row, its column, and the grade or goods that its cell states for it."""

    token: Token
    column: Column | None
    label: list[str]
    commodity: Commodity | None


class StatedMove(NamedTuple):
    """A move in a row, without its sign, where it stands, and its column; 0 for none."""

    figure: Figure | None
    sign: int
    start: int
    column: Column | None


@dataclass(slots=True)
class TableRow:
    """Contents of the cells of a row."""

    places: list[Token] = field(default_factory=list)
    name: Cell | None = None
    owner: Cell | None = None  # below a head such as 市场, a name or a place
    moisture: str = ""
    commodity: Commodity | None = None
    condition: list[str] = field(default_factory=list)
    prices: list[PricedCell] = field(default_factory=list)
    changes: list[StatedMove] = field(default_factory=list)
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

    def add(self, row: TableRow, cell: Cell, column: Column | None) -> None:
        """Add the content of a cell to a row, by the role of its column."""
        role = column.role if column else "unknown"
        tokens = cell.tokens
        if tokens and (
            all(t.kind is TokenKind.DATE for t in tokens) or (column and _DAYS.search(column.text))
        ):
            row.day = row.day or self._document.earlier_day(_text(tokens))
            return
        if role in ("skip", "old") or (not tokens and role != "change"):
            return
        if role == "change":
            if column and column.is_used:
                row.changes.append(_moved(tokens, cell.start, column))
        elif role == "moisture":
            row.moisture = self._maker.printed(cell.start, cell.end)
        elif role == "unit":
            row.unit = next((t.figure.unit for t in tokens if t.figure and t.figure.unit), row.unit)
            row.unit = row.unit or weight_named(self._maker.printed(cell.start, cell.end))
            of_piece = "/" in _text(tokens) or _PIECE.fullmatch(_text(tokens))
            row.is_per_piece = row.unit is None and bool(of_piece)
        elif role == "price":
            row.prices += self._priced(tokens, column)
            rest = tokens[_price_at(tokens) + 1 :]
            if any(t.kind in MOVES or (t.figure and t.figure.sign) for t in rest):
                row.changes.append(_moved(rest, rest[0].start, None))  # 12.8(-1.0), 2285 ↑5
        elif role == "grade":
            row.condition += self._grades(cell)
        else:
            known = row.name, len(row.places)
            self._free_cell(row, cell, column)
            if role in ("entity", "region") and known != (row.name, len(row.places)):
                row.owner = cell

    def _priced(self, tokens: list[Token], column: Column | None) -> list[PricedCell]:
        """Return the first price of a cell."""
        index = _price_at(tokens)
        if index == len(tokens):
            return []
        grades = conditions_of(tokens[:index], self._document.text)
        goods = commodity_of(tokens[:index], self._document.words)
        return [PricedCell(tokens[index], column, grades, goods)]

    def _grades(self, cell: Cell) -> list[str]:
        printed = self._maker.printed(cell.start, cell.end)
        parts = (PRICE_END.sub("", part) for part in _COMMA.split(printed))
        return [part for part in parts if part]

    def _free_cell(self, row: TableRow, cell: Cell, column: Column | None) -> None:
        """Read a cell of an unknown column by its content."""
        tokens = cell.tokens
        kinds = {t.kind for t in tokens}
        if kinds <= MARKS:
            return
        if kinds & MOVES and TokenKind.SMALL in kinds:  # 涨5厘
            row.changes.append(_moved(tokens, tokens[0].start, column))
            return
        if row.name is None and _AVERAGE.fullmatch(_text(tokens)):
            row.name = cell
            return
        if kinds & _NO_PRICES:
            row.is_old = row.is_old or not (row.name or row.places)
            return
        opening = next((i for i, t in enumerate(tokens) if t.kind is TokenKind.OPEN), 0)
        if opening and {t.kind for t in tokens[:opening]} <= PLACES:
            row.places += tokens[:opening]  # 山东潍坊(深加工)
            row.condition.append(_text(tokens[opening + 1 : -1]))
            return
        tokens = self._without_moisture(row, tokens)
        kinds = {t.kind for t in tokens}
        is_cut_name = self._is_cut_name(row, cell)
        if not is_cut_name:
            own, before = commodity_of(tokens, self._document.words), row.commodity
            row.commodity = before or own if column and column.role == "entity" else own or before
        if not tokens:
            return
        is_goods = column is not None and column.role == "commodity" and not row.goods
        if is_goods or kinds == {TokenKind.COMMODITY}:
            row.goods = self._maker.printed(tokens[0].start, tokens[-1].end)
        elif kinds <= _PRICES_OF_GOODS and TokenKind.COMMODITY in kinds:
            end = max(t.end for t in tokens if t.kind is TokenKind.COMMODITY)
            row.goods = self._maker.printed(tokens[0].start, end)
        if is_goods:
            is_term = row.places and commodity_of(tokens, self._document.words) is None
            row.condition += [_text([t for t in tokens if not t.figure])] if is_term else []
            return
        if tokens[0].kind in PLACES and kinds <= _OF_A_PLACE:
            row.places += [t for t in tokens if t.kind in PLACES]
            rest = [t for t in tokens if t.kind not in PLACES]
            row.condition += conditions_of(rest, self._document.text)
        elif tokens[0].kind is TokenKind.CONTRACT:
            row.name = Cell(tokens[0].start, tokens[0].end, tokens[:1])
        elif kinds & PRICE_LIKE:
            self._priced_cell(row, tokens, column)
        elif kinds & (_OLD | {TokenKind.THAN}):
            row.is_old = row.is_old or kinds <= _OLD
        elif row.name is None and is_cut_name:
            row.name = cell
        elif kinds <= _NOT_ENTITY:
            is_of_goods = kinds <= _PLAIN and TokenKind.COMMODITY in kinds
            is_plain = is_of_goods or kinds == {TokenKind.TODAY}
            row.condition += [] if is_plain else [_text([t for t in tokens if not t.figure])]
        elif not any(t.figure for t in tokens) and row.name is None and not _is_remark(row):
            row.name = Cell(tokens[0].start, tokens[-1].end, tokens)

    def _without_moisture(self, row: TableRow, tokens: list[Token]) -> list[Token]:
        """Return the tokens of a cell without those of a moisture, which is noted for the row."""
        places = ((i, moisture_at(tokens, i)) for i in range(len(tokens)))
        index, water = next((each for each in places if each[1]), (0, None))
        if water is None:
            return tokens
        row.moisture = row.moisture or self._maker.printed(*water)
        others = [*tokens[:index], *tokens[index + 1 :]]
        return [t for t in others if t.kind not in (TokenKind.MOISTURE, TokenKind.BOUND)]

    def _is_cut_name(self, row: TableRow, cell: Cell) -> bool:
        """Return whether a product word is the end of a truncated buyer's name: 成武县 玉米淀粉.

        It is if it follows a county in a bulletin whose title names another commodity.
        """
        titled = self._document.title_commodity
        own = commodity_of(cell.tokens, self._document.words)
        is_product = all(t.text in FIRM_PRODUCTS for t in cell.tokens)
        return is_product and len(row.places) > 1 and titled not in (None, own)

    def _priced_cell(self, row: TableRow, tokens: list[Token], column: Column | None) -> None:
        index = _price_at(tokens)
        before, price = tokens[:index], tokens[index]
        assert price.figure is not None
        if has_kind(before, TokenKind.UP, TokenKind.DOWN) or price.figure.sign:
            row.changes.append(_moved(tokens, tokens[0].start, column))
            return
        if row.name is None and any(t.kind not in _NOT_ENTITY | PLACES for t in before):
            row.name = Cell(before[0].start, before[-1].end, before)
        is_of_goods = self._document.unit is not None and all(
            t.kind is TokenKind.COMMODITY for t in before
        )
        if (
            price.kind is not TokenKind.BARE
            or (column is None and is_of_goods)
            or not (before or column)
        ):
            row.prices += self._priced(tokens, column)


def _is_remark(row: TableRow) -> bool:
    """Return whether unknown text behind what a row has so far is a remark: 天津, 5090, 偏弱."""
    return bool(row.prices and row.places)


def _price_at(tokens: Sequence[Token]) -> int:
    """Return the index of the first possible price of a cell, the number of tokens if there is none."""
    return next((i for i, t in enumerate(tokens) if t.kind in PRICE_LIKE), len(tokens))


def _moved(tokens: Sequence[Token], start: int, column: Column | None) -> StatedMove:
    """Return the move that a cell states."""
    figure, sign = _signed(tokens) or (None, 0)
    if figure and column and figure.kind is not TokenKind.SMALL:
        figure = _in_head_unit(figure, column)
    return StatedMove(figure, sign, start, column)


def _in_head_unit(figure: Figure, column: Column) -> Figure:
    """Return a move in the unit of its head: 涨跌(分), 升降(元/吨)."""
    if found := _SMALL_HEAD.search(column.text):
        worth = SMALL_WORTH[found[1]]
        return replace(
            figure, low=figure.low * worth, high=figure.high * worth, kind=TokenKind.SMALL
        )
    if column.unit and figure.unit is None:
        return replace(figure, unit=column.unit, kind=TokenKind.AMOUNT)
    return figure


def _text(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens)


def _signed(tokens: Sequence[Token]) -> tuple[Figure, int] | None:
    sign = 0
    for number, token in enumerate(tokens):
        if token.kind in MOVES:
            sign = SIGN_OF[token.kind]
        elif token.figure and token.kind in MOVE_LIKE:
            behind = [t.kind for t in tokens[number + 1 :] if t.kind in MOVES]
            if behind and not sign:
                sign = SIGN_OF[behind[0]]  # 20↓
            sign = sign or token.figure.sign or 1
            return (token.figure, sign) if token.figure.low else None
    return None


_HEAD = re.compile(r"价|元/|[今本当]|单位")
_EXTREMES = ("最高", "最低")
_FEWEST_PRICES = 2
_INDENT = 2  # characters
_LARGEST_MOVE = Decimal("0.2")  # of a price in 万元; a larger one is in yuan
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
        self._is_indented = False  # whether the first column may have no head
        self._above: Sequence[Cell] = []  # the line above
        self._names: Sequence[Cell] = []  # the line above, if it has no price
        self._places: list[Token] = []

    def takes_header(self, cells: Sequence[Cell]) -> bool:
        """Use a line as header, with the one above it where they are one; False if it is none."""
        above, self._above = self._above, cells
        columns = header_of(self._document, cells) if cells else []
        self._names = [] if any(c.is_priced for c in above) else above
        if cells and self._names:
            columns = joined_header(self._document, above, cells) or columns
        if columns:
            self.set_header(columns)
        if cells and not any(c.is_priced for c in cells):
            line = self._document.plain.rfind("\n", 0, cells[0].start) + 1
            self._is_indented = cells[0].start - line >= _INDENT
        width = len(self._columns) * self._times or len(cells)
        self._document.width = width + self._is_indented if cells else 0
        return bool(columns)

    def fits(self, cells: Sequence[Cell]) -> bool:
        """Return whether a line has a cell for each head, so that it is no list of names and prices."""
        return len(cells) == len(self._columns) * self._times

    def set_header(self, columns: list[Column]) -> None:
        """Use these columns for the rows that follow."""
        heads = (t.start for c in columns for t in c.tokens if t.figure)
        self._document.columns.update((start, "head") for start in heads)
        use_shortest_changes(columns)
        self._times = _times(columns)
        columns = columns[: len(columns) // self._times]
        self._columns = columns
        self._unit_of_columns = next((c.unit for c in columns if c.unit), None)
        self._has_extremes = any(w in c.text for c in columns for w in _EXTREMES)
        self._places = []

    def read(self, cells: Sequence[Cell]) -> list[Draft]:
        """Return the drafts of one row; [] without a price."""
        if len(cells) > len(self._columns):
            cells = self._as_columns(cells)
        if self._is_indented and cells[0].tokens:
            self._add_first_head(len(cells))
        # A head loses its empty last cells.
        width = max(_width(self._names), _width(cells))
        if len(self._names) == len(cells) and width != len(self._columns):
            self._use_names(self._names, cells)
        columns = self._columns
        if self._times == 1 and not are_pairs(cells):
            return self._read_row(cells, columns)
        width = len(columns) if self._times > 1 else 2
        starts = range(0, len(cells), width)
        if len(columns) != len(cells):
            columns = columns * len(starts) if self._times > 1 else []
        rows = ((cells[i : i + width], columns[i : i + width]) for i in starts)
        return [draft for row, own in rows for draft in self._read_row(row, own)]

    def _as_columns(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        """Return the cells, joined over single spaces if they are as many as the heads then."""
        joined = with_wide_gaps(self._document.plain, cells)
        return joined if len(joined) in (len(self._columns), len(self._names)) else cells

    def _add_first_head(self, width: int) -> None:
        """Add an empty head in front of those of an indented line, if they are one less than the cells."""
        self._is_indented = False
        if width == len(self._columns) + 1:
            self._columns = [Column("unknown", "", []), *self._columns]
        elif width == len(self._names) + 1:
            start = self._names[0].start
            self._names = [Cell(start, start, []), *self._names]

    def _use_names(self, above: Sequence[Cell], cells: Sequence[Cell]) -> None:
        """Use a line of names as header of a row of prices: of the ports of a matrix, of grades."""
        found = [i for i, cell in enumerate(cells) if i and self._is_price(cell)]
        prices = [i for i in range(1, len(cells)) if i in found or self._is_blank(cells[i])]
        if not found or len(prices) < _FEWEST_PRICES or cells[0].is_priced:
            return
        are_goods = commodity_of(cells[0].tokens, self._document.words) is not None
        columns = of_prices(self._document, above, prices, are_goods=are_goods)
        # The last cell may be a remark.
        if all(i in prices or columns[i].role != "unknown" for i in range(1, len(cells) - 1)):
            self.set_header(columns)

    def _is_blank(self, cell: Cell) -> bool:
        text = self._document.plain[cell.start : cell.end]
        return NONE.fullmatch(text) is not None or all(t.kind in MARKS for t in cell.tokens)

    def _is_price(self, cell: Cell) -> bool:
        figure = cell.tokens[0].figure if len(cell.tokens) == 1 else None
        return figure is not None and cell.is_priced and not figure.sign

    def _read_row(self, cells: Sequence[Cell], heads: Sequence[Column]) -> list[Draft]:
        if any(c.role == "unit" for c in heads):
            cells = with_units_apart(cells)
        columns = matching(heads, cells)
        row = TableRow(is_old=bool(heads) and self._role(cells[0]) in ("change", "old"))
        fields = list(zip(cells, columns, strict=True))
        for cell, column in fields:
            self._cells.add(row, cell, column)
        self._note_roles(row, fields)
        is_cut = not cells[0].tokens or (heads and columns[0] is not heads[0])
        if not row.places and heads and is_cut:
            row.places = self._places
        del row.places[MOST_PLACES:], row.condition[MOST_CONDITIONS:]
        self._places = row.places or self._places
        return self._drafts(row, cells)

    def _role(self, cell: Cell) -> str:
        """Return what the figures of a row are by its first cell: prices, moves (涨跌), old (昨日)."""
        return "" if cell.is_priced else role_of(text_of(self._document, cell), False)

    def _note_roles(self, row: TableRow, fields: Sequence[tuple[Cell, Column | None]]) -> None:
        """Note the roles of the columns of all figures; rows of old prices have no others."""
        of_row = "old" if row.is_old else "skip" if row.is_per_piece else ""
        for cell, column in fields:
            role = column.role if column else "unknown"
            role = of_row if of_row and role in ("price", "unknown") else role
            self._document.columns.update((t.start, role) for t in cell.tokens)

    # -- drafts -------------------------------------------------------------------------------

    def _drafts(self, row: TableRow, cells: Sequence[Cell]) -> list[Draft]:
        subject = self._subject(row)
        if subject is None or row.is_per_piece or row.is_old:
            return []
        drafts: list[Draft] = []
        for priced in row.prices:
            draft = self._draft(row, priced, subject, cells)
            if draft and drafts and _is_repeat(drafts[-1], draft):
                self._document.columns[draft.start] = REPEATED
            elif draft:
                drafts.append(draft)
                self._mark_repeats(draft, cells)
            is_bare = priced.token.kind is TokenKind.BARE and priced.column is None
            if is_bare and drafts and priced.commodity is None:
                break
        _mark_secondary(drafts)
        if len(row.changes) == 1:  # of several prices: of the first one of the goods before it
            before = [d for d in drafts if d.is_primary and d.start < row.changes[0].start]
            for draft in drafts:
                is_own = draft is before[-1] if before else draft.is_primary
                draft.change = draft.change if is_own else None
        return drafts

    def _mark_repeats(self, draft: Draft, cells: Sequence[Cell]) -> None:
        """Mark the same price in another unit in the cell of a price: 4.6(2.3元/斤)."""
        for token in (t for c in cells if c.start <= draft.start < c.end for t in c.tokens):
            figure = token.figure
            if figure and figure.unit and draft.is_repeated_by(figure, figure.unit):
                self._document.columns[token.start] = REPEATED

    def _draft(
        self, row: TableRow, priced: PricedCell, subject: Subject, cells: Sequence[Cell]
    ) -> Draft | None:
        token, column, label, goods = priced
        figure = token.figure
        assert figure is not None
        where, commodity = self._goods(goods, column, row)
        unit = (
            figure.unit
            or (TEN_THOUSANDS if column and "万元" in column.text else column and column.unit)
            or row.unit
            or self._unit(figure, commodity, column)
        )
        if unit is None or figure.low <= 0:
            return None
        label = label or _label(column, self._document.text, self._has_extremes)
        from_row_to_column = bool(column and column.places and row.places)
        head = None if from_row_to_column or column is None else self._head(column)
        owner = row.owner if subject.kind != "contract" else None
        is_behind = owner is not None and owner.start > token.start
        if head is not None:
            subject = head
        elif column and from_row_to_column:
            label = [*label, column.text]
        elif subject.kind == "none":
            name = row.goods or (column and column.goods) or self._document.goods_as_printed()
            subject = replace(subject, kind="goods", mention=name)
        elif column and column.goods != next((c.goods for c in self._columns if c.goods), ""):
            label = list(dict.fromkeys((column.goods, *label)))  # 豆粕 beside 玉米
        water = moisture_in(column.tokens) if column else None
        moisture = self._maker.printed(*water) if water else ""
        change = None
        found = _move_of(row, priced)
        if found and (move := found.figure) and not _is_share(found, figure):
            if unit is TEN_THOUSANDS and move.low > figure.low * _LARGEST_MOVE:
                move = replace(move, unit=TON, kind=TokenKind.AMOUNT)
            change = change_in(move, found.sign, unit, figure.low, commodity)
        return Draft(
            figure=figure, start=token.start, end=token.end, unit=unit,
            span_start=max(cells[0].start, token.end - LONGEST_ROW),
            subject=subject, commodity=commodity, condition=[*row.condition, *label],
            moisture=row.moisture or moisture, change=change,
            signs=signs_in_row(
                subject, token, column, len(row.prices), where, is_headed=head is not None or is_behind
            ) + ((UNIT_OF_ROW,) if unit is row.unit else ()),
            day=row.day,
        )  # fmt: skip

    def _head(self, column: Column) -> Subject | None:
        """Return the owner that heads a column."""
        if column.owner:
            return Subject("firm", column.owner)
        return self._place(column.places) if column.places else None

    def _goods(
        self, stated: Commodity | None, column: Column | None, row: TableRow
    ) -> tuple[str, Commodity | None]:
        """Return where the goods of a price are named, and the goods."""
        of_text = self._document.heading_commodity or self._document.commodity
        of_column = column.commodity if column else None
        places = (
            ("cell", stated),
            ("column", of_column),
            ("row", row.commodity),
            ("text", of_text),
        )
        return next((each for each in places if each[1]), ("text", None))

    def _place(self, places: Sequence[Token]) -> Subject:
        """Return a county as the subject, with the places before it as its region."""
        named = [
            t for t in places if t.kind is not TokenKind.ZONE
        ] or places  # 华东 over 上海 is no region
        region = self._maker.places_as_printed(named) if len(named) > 1 else ""
        province = next((p for t in places if (p := province_of(t))), "")
        mention = self._maker.printed(places[-1].start, places[-1].end)
        return Subject("place", mention, region, province, is_bare_place=True)

    def _unit(
        self, figure: Figure, commodity: Commodity | None, column: Column | None
    ) -> Unit | None:
        declared = self._document.unit or self._unit_of_columns
        if declared is None and column is not None and self._document.drafts:
            declared = self._document.drafts[-1].unit
        if declared and fits(figure.low * declared.yuan_per_ton, commodity):
            return declared
        if (
            column is None
            and figure.kind is not TokenKind.YUAN
            and not self._document.is_price_list
        ):
            return declared
        return guess_unit(figure.low, commodity) or declared

    def _subject(self, row: TableRow) -> Subject | None:
        place = self._place(row.places) if row.places else None
        if row.name is not None:
            groups = [g for g, _ in find_groups(row.name.tokens)]
            groups = [g for g in groups if any(t.kind not in PLACES for t in g)] or groups
            made = self._maker.subject(groups[-1], [], self._document.heading) if groups else None
            mention = self._maker.printed(row.name.start, row.name.end)
            has_goods = any(t.kind in GRADED_GOODS for t in row.name.tokens)
            if made and place and made.is_bare_place and has_goods:
                # 山东|诸城市玉米: goods of a place are no firm.
                own = [t for t in row.name.tokens if t.kind in PLACES]
                named = {t.text for t in own}
                return self._place([*(t for t in row.places if t.text not in named), *own])
            if made and row.owner and place is None:
                made = self._whole(made, row.name.tokens)
            if made and place is None:
                return replace(made, mention=mention if made.kind == "weak" else made.mention)
            if place is None:
                return Subject("firm", mention)
            region = place.region or place.mention
            return Subject("firm", mention, region, place.province)
        if known := place or self._document.heading:
            return known
        return Subject("none", "") if row.commodity or self._columns else None

    def _whole(self, made: Subject, tokens: Sequence[Token]) -> Subject:
        """Return a subject with its whole name: 合肥周谷堆农产品批发市场, though a part of it is a kind of buyer."""
        places = next((i for i, t in enumerate(tokens) if t.kind not in PLACES), 0)
        whole = self._maker.printed(tokens[places].start, tokens[-1].end)
        is_cut = len(whole) > len(made.mention) and made.mention in whole
        if not is_cut or has_kind(tokens, TokenKind.OPEN) or any(t.figure for t in tokens):
            return made
        place = self._place(tokens[:places]) if places else Subject("none", "", made.region)
        return replace(made, kind="firm", mention=whole, region=place.region + place.mention)


def _move_of(row: TableRow, priced: PricedCell) -> StatedMove | None:
    """Return the move of a price: the only one of the row, that behind it, or, behind all, in their order."""
    starts = [each.token.start for each in row.prices]
    number = starts.index(priced.token.start)
    if len(row.changes) == 1:
        (only,) = row.changes
        goods = only.column.goods if only.column else ""
        is_of_goods = not goods or not priced.column or priced.column.goods in ("", goods)
        return only if is_of_goods else None
    if len(row.changes) == len(starts) and row.changes[0].start > starts[-1]:
        return row.changes[number]
    ends = [*starts, row.changes[-1].start + 1] if row.changes else []
    own = (m for m in row.changes if starts[number] < m.start < ends[number + 1])
    return next(own, None)


def _is_share(move: StatedMove, price: Figure) -> bool:
    """Return whether a move is a percentage without its sign: 0.54 beside 1850 in a column 涨幅."""
    head = move.column.text if move.column else ""
    is_whole = price.low == price.low.to_integral_value()
    is_broken = move.figure is not None and move.figure.low % 1 != 0
    return is_whole and is_broken and re.search("[幅比]", head) is not None


def _is_repeat(last: Draft, draft: Draft) -> bool:
    is_same = (draft.subject, draft.commodity) == (last.subject, last.commodity)
    return is_same and last.is_repeated_by(draft.figure, draft.unit)


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
    if column is None or (column.places and not column.owner):
        return []
    found = conditions_of(column.tokens, text)
    words = "".join(t.text for t in column.tokens if t.kind is not TokenKind.DATE and not t.figure)
    if not found:
        named = (*_EXTREMES, *_AVERAGES) if has_extremes else ()
        found = [word for word in named if word in words][:1]
    return found or ([words] if not _HEAD.search(words) and column.commodity is None else [])


def _mark_secondary(drafts: list[Draft]) -> None:
    """Mark the first price of each commodity in a row as primary, preferring averages."""
    seen: set[tuple[str, Commodity | None]] = set()
    for draft in sorted(
        drafts, key=lambda d: not any(c.startswith(_AVERAGES) for c in d.condition)
    ):
        key = (draft.subject.mention, draft.commodity)
        draft.is_primary = key not in seen
        seen.add(key)
