"""Cells of table rows, and roles of columns by their header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from focuscrawl.prices.names.price_subjects import PLACES
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.figures import DATE, PRICE_LIKE, UNIT
from focuscrawl.prices.tokens.figures import PRICE as AMOUNT
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.text.places.gazetteer import gazetteer

_PIECE = re.compile(r"[^\s]+")
_SUBJECTS = frozenset({"commodity", "entity", "region"})
_SENTENCE = frozenset({"comma", "stop", "semi"})
_NUMBER, _DAY = re.compile(r"\d+"), re.compile(r"\d[月./-]\d")
MAX_CELL, _LONGEST_HEAD, _FEWEST_COMMAS = 40, 10, 3
_SURE = {"price": PRICE_LIKE, "unit": frozenset({UNIT})}
_MOST_MISSING = 2
_NAMES = frozenset({"place", "port", "zone", "brand", "name", "actor"})
_OLD = re.compile(
    r"昨|上周|上月|去年|上期|前日|前一|前天|同期|上日|期初|上年|年初|原价|原报|旧价|调前|调整前|上次"
)
_CHANGE = re.compile(
    r"涨跌|升降|变化|变动|比昨|较昨|较上|比上|涨幅|增减|日涨|周涨|同比|环比|[+]/?-"
)
_MOISTURE = re.compile(r"水[分份]|含水")
_SKIPPED = re.compile(
    r"\((?:公斤|千克|斤|万?吨|万?元|天|[头辆车手家个台]|kg)\)$|体重|均重|效益|利润|盈利|成本|^折|基差|价差|到车|发热量|[硫灰水]分$"
    r"|量|率|日期|时间|序号|编号|容重|霉变|杂质|备注|电话|贴水|手数|持仓|运费|点评|说明|走势|来源|更新|开盘|库存"
)
_GOODS = re.compile(r"种$|品种|品类|品名|商品|产品|粮食|货品|作物|种类")
_GRADE = re.compile(r"规格|等级|品质|型号|质量|级别|标准|类型|性质|备注")
_PRICE = re.compile(r"价|报价|今日|本周|本期|当日|本日|[一二三四]等|元/|现货|挂牌|最高|最低|平均")
_ENTITY = re.compile(r"企业|公司|厂|单位|市场|名称|港口|收购点|采集点|商家|库点|合约|客户|集团")
_REGION = re.compile(r"地区|省|[市县区]|区域|产地|城市|地点|产区|销区")


@dataclass(slots=True)
class Cell:
    """A cell with its tokens and its offsets in the text."""

    start: int
    end: int
    tokens: list[Token]


@dataclass(slots=True)
class Column:
    """A column by its header cell.

    ``role`` is price, old, change, moisture, commodity, grade, unit, entity, region, skip, date
    or unknown.
    """

    role: str
    text: str
    tokens: list[Token]
    unit: Unit | None = None
    commodity: Commodity | None = None
    goods: str = ""  # the commodity as printed
    places: list[Token] = field(default_factory=list)  # if it has the prices of a place


def cells_of(document: Document, start: int, end: int, tokens: Sequence[Token]) -> list[Cell]:
    """Return the cells of a line, or [] if it is running text."""
    line = document.plain[start:end]
    if _is_comma_row(document, line, tokens):
        return _filled(document, _pieces(line, start, ","), tokens)
    has_tabs = "\t" in line.strip("\t ")
    if any(t.kind in _SENTENCE for t in tokens) and not (has_tabs and _are_apart(line)):
        return []
    pieces = _pieces(line, start, "\t") if has_tabs else _blank_pieces(line, start, tokens)
    if len(pieces) < (2 if has_tabs or document.lists_pairs else 3):
        return []
    if any(b - a > MAX_CELL for a, b in pieces):
        return []
    return _filled(document, pieces, tokens)


def _filled(
    document: Document, pieces: Sequence[tuple[int, int]], tokens: Sequence[Token]
) -> list[Cell]:
    """Return the pieces of a line as cells with their tokens."""
    cells = [Cell(a, b, []) for a, b in pieces]
    position = 0
    for token in tokens:
        while position + 1 < len(cells) and cells[position + 1].start <= token.start:
            position += 1
        if token.kind not in ("tab", "comma"):
            cells[position].tokens.append(token)
    for cell in cells:
        _close_gaps(document.plain, cell)
    return cells


def _is_comma_row(document: Document, line: str, tokens: Sequence[Token]) -> bool:
    """Return whether a line is a head with commas between its cells, or a row below one."""
    commas = line.count(",")
    if commas < _FEWEST_COMMAS or any(b - a > MAX_CELL for a, b in _pieces(line, 0, ",")):
        return False
    if any(t.kind in PRICE_LIKE or t.kind in ("stop", "semi") for t in tokens):
        return document.commas == commas
    cells = _filled(document, _pieces(line, tokens[0].start, ","), tokens)
    if header_of(document, cells):
        document.commas = commas
    return document.commas == commas


def _are_apart(line: str) -> bool:
    """Return whether tabs, not the commas and stops in the cells, divide a line."""
    marks = sum(line.count(mark) for mark in ",;。")
    return line.count("\t") > max(1, marks)


def _pieces(line: str, base: int, mark: str) -> list[tuple[int, int]]:
    pieces, position = [], 0
    for piece in line.split(mark):
        pieces.append((base + position, base + position + len(piece)))
        position += len(piece) + 1
    return pieces


def _blank_pieces(line: str, base: int, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the pieces between spaces; a figure with its unit, and 莘 县, are one piece.

    [] if one is too long for a cell.
    """
    inside = {t.start - base + i for t in tokens for i in range(1, t.end - t.start)}
    pieces: list[tuple[int, int]] = []
    for match in _PIECE.finditer(line):
        start, end = match.span()
        if pieces:
            first, last = pieces[-1]
            is_spaced = end - start == 1 and _is_single(line[first:last]) and _is_han(line[start])
            if start in inside or is_spaced:
                if end - first > MAX_CELL:
                    return []
                pieces[-1] = (first, end)
                continue
        pieces.append((start, end))
    return [(base + a, base + b) for a, b in pieces]


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _is_single(piece: str) -> bool:
    joined = "".join(piece.split())
    return joined != "" and all(_is_han(c) for c in joined) and len(joined) <= len(piece.split())


def _close_gaps(plain: str, cell: Cell) -> None:
    """Replace the tokens of spaced names such as 莘 县 and 北 京 with one place."""
    printed = plain[cell.start : cell.end].strip()
    joined = "".join(printed.split())
    if joined == printed or not _is_single(printed):
        return
    if joined in gazetteer() or joined.endswith(("县", "市", "区", "省", "旗")):
        start = plain.index(printed, cell.start)
        cell.tokens = [Token("place", start, start + len(printed), joined)]


def is_list(cells: Sequence[Cell]) -> bool:
    """Return whether a line is a list of names and prices (沈阳 7.1元/斤 铁岭 7.0元/斤), not a row."""
    is_named = [bool(c.tokens) and c.tokens[0].kind in _NAMES for c in cells]
    is_priced = [any(t.kind in PRICE_LIKE for t in c.tokens) for c in cells]
    if sum(a and b for a, b in zip(is_named, is_priced, strict=True)) > 1:
        return True
    amounts = [i for i, c in enumerate(cells) if any(t.kind == AMOUNT for t in c.tokens)]
    return len(amounts) > 1 and any(is_named[amounts[0] : amounts[-1]])


def header_of(document: Document, cells: Sequence[Cell]) -> list[Column]:
    """Return the columns of a header row, or [] if the row is not a header."""
    if any(t.kind in PRICE_LIKE for cell in cells for t in cell.tokens):
        return []
    if document.plain[cells[0].start : cells[0].end].lstrip(" (").startswith("单位"):
        return []
    columns = [
        _column(document, "".join(document.plain[c.start : c.end].split()), c.tokens) for c in cells
    ]
    while not columns[-1].text:
        columns.pop()
    _name_dates(columns)
    if columns[0].role == "grade" and not any(c.role in _SUBJECTS for c in columns):
        columns[0].role = "commodity"
    if not any(c.role == "price" for c in columns):
        _name_prices(columns)
    known = sum(c.role != "unknown" for c in columns)
    has_price = any(c.role == "price" for c in columns)
    return columns if has_price and known * 2 > len(columns) else []


def _name_dates(columns: Sequence[Column]) -> None:
    """Make columns headed by days price columns: that of the last day, the others of old prices."""
    dated = [c for c in columns if c.role == "date"]
    days = [[int(part) for part in _NUMBER.findall(c.text)] for c in dated]
    is_new_year = any(d[:1] == [12] for d in days) and any(d[:1] == [1] for d in days)
    days = [[13, *d[1:]] if is_new_year and d[:1] == [1] else d for d in days]
    for column, day in zip(dated, days, strict=True):
        column.role = "price" if day == max(days) else "old"


def _name_prices(columns: list[Column]) -> None:
    """Make unknown and grade columns next to places or firms price columns, for a header without one."""
    if columns[0].role not in ("region", "entity"):
        return
    for column in columns[1:]:
        if column.role in ("unknown", "grade"):
            column.role = "price"


def merged(document: Document, above: Sequence[Column], below: Sequence[Column]) -> list[Column]:
    """Return the columns of a header of two rows."""
    return [
        second
        if first.text == second.text
        else _column(document, first.text + second.text, [*first.tokens, *second.tokens])
        for first, second in zip(above, below, strict=True)
    ]


def _column(document: Document, text: str, tokens: list[Token]) -> Column:
    unit = next((t.figure.unit for t in tokens if t.kind == UNIT and t.figure), None)
    goods = [t.text for t in tokens if t.kind == "commodity"][-1:]
    commodity = document.words.commodity_of["-".join(goods[0].lower().split())] if goods else None
    is_date = all(t.kind == DATE for t in tokens) and _DAY.search(text) is not None
    role = "date" if is_date else _role(text, bool(goods))
    places = [t for t in tokens if t.kind == "place" and t.text in gazetteer()]
    if role in ("unknown", "region") and places and len(places) == len(tokens):
        role = "price"  # a column for each county
    return Column(role, text, tokens, unit, commodity, "".join(goods), places)


@lru_cache(maxsize=2_000)
def _role(text: str, has_commodity: bool) -> str:
    if "%" in text and not _MOISTURE.search(text):
        return "skip"
    for role, pattern in (
        ("change", _CHANGE), ("old", _OLD), ("unit", re.compile(r"^(?:计量|计价|价格)?单位$")),
        ("skip", re.compile(r"^折|基差|价差")), ("grade", re.compile(r"价格?类[型别]")),
        ("price", re.compile(r"价|元/")), ("moisture", _MOISTURE), ("skip", _SKIPPED), ("commodity", _GOODS),
        ("grade", _GRADE), ("entity", _ENTITY), ("region", _REGION), ("price", _PRICE),
    ):  # fmt: skip
        if pattern.search(text):
            return role
    return "price" if has_commodity else "unknown"


def begins_header(text: str) -> bool:
    """Return whether a line can be the first cell of a header."""
    return len(text) <= _LONGEST_HEAD and _role(text, False) in _SUBJECTS | {"grade"}


def labelled(document: Document, cell: Cell, column: Column | None) -> tuple[Cell, Column | None]:
    """Return a cell without its leading label (品种：玉米), and that label as its column."""
    colon = next((i for i, t in enumerate(cell.tokens[:4]) if t.kind == "colon"), 0)
    if column is not None or not colon or colon + 1 == len(cell.tokens):
        return cell, column
    name = Cell(cell.start, cell.tokens[colon].start, cell.tokens[:colon])
    value = Cell(cell.tokens[colon].end, cell.end, cell.tokens[colon + 1 :])
    label = _column(document, document.plain[name.start : name.end].strip(), name.tokens)
    return (value, label) if label.role != "unknown" else (cell, None)


def matching(columns: Sequence[Column], cells: Sequence[Cell]) -> Sequence[Column | None]:
    """Return the columns of the cells; where cells are merged, a row lacks some in front or behind."""
    count = len(cells)
    while count and not cells[count - 1].tokens:
        count -= 1
    missing = len(columns) - count
    if not columns or not 0 <= missing <= _MOST_MISSING:
        return [None] * len(cells)
    shift = max(range(missing, -1, -1), key=lambda s: _fit(cells[:count], columns[s:]))
    return [*columns[shift:], *[None] * len(cells)][: len(cells)]


def _fit(cells: Sequence[Cell], columns: Sequence[Column]) -> int:
    """Return how well cells are of the kind of their columns: a price, a unit, a name or other text."""
    fitting = 0
    for cell, column in zip(cells, columns, strict=False):
        kinds = {t.kind for t in cell.tokens}
        if column.role in _SURE:
            is_alone = bool(kinds) and all(t.figure for t in cell.tokens)
            fitting += (3 + is_alone) * bool(kinds & _SURE[column.role])
        elif column.role in ("old", "change"):
            fitting += any(t.figure for t in cell.tokens)
        elif kinds:
            is_name = cell.tokens[0].kind in PLACES | {"brand", "name"}
            fitting += not kinds & PRICE_LIKE and is_name == (column.role in ("entity", "region"))
    return fitting
