"""Cells and columns of tables: the role of a column by its head, and the column of each cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tokens.bulletin_words import Commodity
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import PLACES, PRICE_LIKE, TokenKind
from focuscrawl.text.places.gazetteer import gazetteer

SUBJECTS = frozenset({"commodity", "entity", "region"})
_DAY = re.compile(
    r"\d[月./-]\d|^(?:\d{4}年)?\d{1,2}月份?(?:\(|$)|^\d{4}年(?:\(|$)|^\d{1,2}日(?:\(|$)"
)
_BESIDE_DAYS = (TokenKind.OPEN, TokenKind.CLOSE, TokenKind.UNIT)  # 3月12日(元/吨)
_MOST_MISSING = 2
_OLD = re.compile(
    r"昨|上周|上月|去年|上期|前[日一天]|同期|上日|[期年月周]初|上年|原价|原报|旧价|[调涨跌]前|调整前|上次"
    r"|(?i:previous|last\s?week|week\s?ago|yesterday)"
)
_CHANGE = re.compile(
    r"涨跌|升降|升跌|变化|变动|比昨|较昨|较上|比上|较前|比前|涨幅|跌幅|增减|日涨|周涨|同比|环比|对比|±|[+]/?-"
    r"|(?i:change|chg|\b[dwmy]/[dwmy]\b)"
)
_ONE_HEAD = (
    "(?:(?:生产|加工|收购|采购|来源|批发|主要)?"
    "(?:品种|品名|商品|产品|地区|省份|省市|城市|[产销]区|产地|区域|[市区旗]县|县市|企业|厂家|公司|市场|港口|等级|规格)(?:名称)?|名称"
    "|供[应货]商|经销商|报价(?:单位|企业)|品牌|(?:[钢油电糖药]|面粉|水泥|饲料)厂|煤矿|矿名|[采监][价测]点|门店|超市|序号|编号|材质(?:规格)?)"
)
SUBJECT_HEAD = re.compile(rf"{_ONE_HEAD}(?:/{_ONE_HEAD})?")
"""Words that are nothing but heads."""
NONE = re.compile(
    r"[-/\\*~无—]{1,4}|暂?无|暂?缺[货报]?|暂停(?:报价|发货|收购)|暂不[收报]|停[收报售产]|封盘|检修|[未无]报价?|[无断]货|[面电]议"
)
"""Marks for no price."""
_PERCENTS = re.compile(r"(?<!\d)%")  # a column of percentages, not of goods with 30%
_MOISTURE = re.compile(r"水[分份]|含水")
_SKIPPED = re.compile(
    r"\((?:公斤|千克|斤|万?吨|万?元|天|[头辆车手家个台]|kg)\)$|体重|均重|效益|利润|盈利|成本|到车|[发热][热值]|大卡|[硫灰]分$"
    r"|量|率|日期|时间|年份|年度$|代码|^序|编号|^№|容重|霉变|杂质|备注|电话|手数|持仓|运费|点评|说明|走势|操作|详情|查看|来源|更新|开盘|库存"
)
_NO_PRICE = re.compile(r"^折|基差|价差|溢价|[升贴]水|起拍|底价|元/[袋箱件包盒筐头只羽](?!\()")
_GOODS = re.compile(
    r"种$|[菜货果药]名|菜品|品种|品类|品名|商品|产品|粮食|货品|作物|种类|^类别$|^分类$|油品|原料$"
    r"|(?i:item|commodity|product\b|variety)"
)
_GRADE = re.compile(
    r"规格|等级|品质|型号|级别|标准|类型|性质|品级|交货|方式|牌号|材质"
    r"|(?i:grade|type|quality|spec)"
)
_PRICE = re.compile(
    r"最新|^[今现]$|今日|本周|本期|当日|本日|[一二三四]等|现货|挂牌|[早午尾收]盘|最高|最低|平均|主流|加权|[出进到]厂|[出入到]库|收购|销售|批发|零售|到站|到港|车板|平仓"
    r"|(?i:price|low|high|average|avg|today|offer|bid)"
)
_ENTITY = re.compile(
    r"企业|公司|品牌|超市|商[场户]|[供经]\w?[应货销]商|[煤铁]矿$|农场|矿山|(?<![出进到])厂|单位|市场|名称|港口|[购集测价库]点$|商家|合约|客户|集团"
    r"|(?i:producer|mill\b|firm|company|market|plant|processor|crusher)"
)
_REGION = re.compile(
    r"[省市县区旗]|乡镇|产地|地点"
    r"|(?i:province|city|location|region|county)"
)


@dataclass(slots=True)
class Cell:
    """A cell with its tokens and its offsets in the text."""

    start: int
    end: int
    tokens: list[Token]

    @property
    def is_priced(self) -> bool:
        """Return whether a figure in it can be a price."""
        return not PRICE_LIKE.isdisjoint([t.kind for t in self.tokens])


def text_of(document: Document, cell: Cell) -> str:
    """Return the text of a cell without white space."""
    return "".join(document.plain[cell.start : cell.end].split())


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
    owner: str = ""  # a market, shop or firm whose prices it has
    is_used: bool = True  # False for changes of a longer time than another column has


def column_of(document: Document, text: str, tokens: list[Token]) -> Column:
    """Return the column below a head."""
    unit = next((t.figure.unit for t in tokens if t.kind is TokenKind.UNIT and t.figure), None)
    goods = [t.text for t in tokens if t.kind is TokenKind.COMMODITY][-1:]
    commodity = document.words.commodity_of["-".join(goods[0].lower().split())] if goods else None
    days = [t for t in tokens if t.kind not in _BESIDE_DAYS]
    is_date = all(t.kind is TokenKind.DATE for t in days) and _DAY.search(text) is not None
    role = "date" if is_date else role_of(text, bool(goods))
    places = [
        t
        for t in tokens
        if t.kind is TokenKind.PORT or (t.kind is TokenKind.PLACE and t.text in gazetteer())
    ]
    if role in ("unknown", "region") and places and len(places) == len(tokens):
        role = "price"  # a column for each county
    return Column(role, text, tokens, unit, commodity, "".join(goods), places)


_ROLES = (
    ("change", _CHANGE), ("old", _OLD), ("unit", re.compile(r"^(?:计量|计价|价格)?单位$")),
    ("entity", re.compile(r"报价(?:单位|企业|人|方)|来源市场|^矿名|^(?:\w\w/)?(?:钢厂|厂家|企业)(?:/\w\w)?$")),
    ("skip", _NO_PRICE), ("grade", re.compile(r"价格?类[型别]")),
    ("price", re.compile(r"价|元/")), ("moisture", _MOISTURE), ("skip", _SKIPPED), ("commodity", _GOODS),
    ("grade", _GRADE), ("entity", _ENTITY), ("region", _REGION), ("price", _PRICE),
)  # fmt: skip


@lru_cache(maxsize=2_000)
def role_of(text: str, has_commodity: bool) -> str:
    """Return the role of a column by the text of its head."""
    if _PERCENTS.search(text) and not _MOISTURE.search(text):
        return "skip"
    found = (role for role, pattern in _ROLES if pattern.search(text))
    return next(found, "price" if has_commodity else "unknown")


_SPANS = (("年|同比|上年", 4), ("月|环比", 3), ("周|旬", 2), ("幅", 1))


def use_shortest_changes(columns: Sequence[Column]) -> None:
    """Use of the columns of changes those of the shortest time (日涨跌 before 周涨跌), and none of a year."""
    spans = [
        (column, next((span for words, span in _SPANS if re.search(words, column.text)), 0))
        for column in columns
        if column.role == "change"
    ]
    least = min((span for _, span in spans), default=0)
    for column, span in spans:
        column.is_used = span == least and span < _SPANS[0][1]


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
    """Return how well cells are of the kind of their columns: a price, a name or other text."""
    fitting = 0
    for cell, column in zip(cells, columns, strict=False):
        if column.role in ("price", "old", "change"):
            fitting += cell.is_priced
        elif cell.tokens:
            is_name = cell.tokens[0].kind in PLACES | {TokenKind.BRAND, TokenKind.NAME}
            fitting += not cell.is_priced and is_name == (column.role in ("entity", "region"))
    return fitting
