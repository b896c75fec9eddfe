"""Numbers with their units: prices, ranges, moistures, dates, tonnages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from focuscrawl.prices.tokens.price_units import (
    BARE_MONEY,
    HEAVY,
    PRICE_OF_WEIGHT,
    RMB_PER_WEIGHT,
    WEIGHT,
    Unit,
    unit_named,
)
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE, TokenKind
from focuscrawl.system.remembered_values import RememberedValues

# Prices as they are spoken: 一块一毛四分五, 8毛65, 两块六七, 三元二角, 六块整.

_HAN = "一二两三四五六七八九"
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_WORTH = {"块": "1", "元": "1", "毛": "0.1", "角": "0.1", "分": "0.01", "厘": "0.001"}
_RISING = "一二|二三|三四|四五|五六|六七|七八|八九"
_PAIRS = frozenset(_RISING.split("|"))
_WHOLE = rf"(?:\d{{1,2}}(?:\.\d)?|[{_HAN}]?十[{_HAN}]?|[{_HAN}])"
_PER = rf"(?:\s*(?:/|每|一)\s*(?:{WEIGHT}))"
# The 一 of 八毛五一斤 and 两块五一口价 is no digit of the price, nor is the 5 of 3块5公斤.
_DIGIT = rf"(?:(?!一(?:{WEIGHT}|[口次车手把]))[零{_HAN}]|\d(?!\.\d|\d*\s?(?:斤|公斤|千克|吨|袋|个|号|头|车|%|水)))"
_CENTS = rf"(?:零?{_DIGIT}(?:分(?:{_DIGIT}厘?)?|厘)|{_DIGIT}{{1,3}}(?!\d))"
_DIMES = rf"(?:{_DIGIT}[毛角](?:{_CENTS})?|零{_DIGIT}分(?:{_DIGIT}厘?)?|{_DIGIT}{{1,3}}(?!\d)|半)"
_ENDS = r"(?=钱|整|左右|上下|[每/至到,。;:、!?)\s了的吧呢\-]|$)"
SPOKEN = (
    rf"(?:{_WHOLE}(?:块{_DIMES}钱?|元(?:{_DIGIT}[毛角](?:{_CENTS})?|零{_DIGIT}分)|[毛角](?:{_CENTS}|半)钱?)){_PER}?"
    rf"|(?:{_WHOLE}|[1-8]、[2-9]|{_RISING})[块毛角]钱?{_PER}"
    rf"|(?:[1-8]、[2-9]|{_RISING})[块毛]{_ENDS}"
    rf"|(?:(?<=[到至\-])一|[{_HAN}]?十[{_HAN}]?|[两三四五六七八九])块{_ENDS}"
    rf"|(?<![{_HAN}十])[两四五六七九]角{_ENDS}"
    rf"|(?<![外内土杂{_HAN}十百千第])(?:[{_HAN}]?十[{_HAN}]?|[{_HAN}])元(?:{_PER}|{_ENDS})"
    rf"|[{_HAN}]?十[{_HAN}]?{_PER}"
)
"""A pattern of spoken prices, with or without a unit of weight."""

_PART = re.compile(rf"({_WHOLE}(?=[块元毛角分厘])|[\d零{_HAN}半])([块元毛角分厘]?)")
_HAS_PER = re.compile(rf"{_PER}$", re.IGNORECASE)


def spoken_value(printed: str) -> tuple[Decimal, Decimal]:
    """Return both ends of a spoken price in yuan.

    ``一块两毛五`` is 1.25, ``1块零8分5`` 1.085; two digits that follow each other are a range:
    ``两块六七`` is 2.6 to 2.7, ``八九毛`` 0.8 to 0.9.
    """
    price = _HAS_PER.sub("", printed).rstrip("钱整")
    if several := re.match(rf"(?:([1-8])、([2-9])|({_RISING}))([块毛角])", price):
        ends = (several[3] or several[1] + several[2]) + several[4]
        return _amount(ends[0] + ends[2]), _amount(ends[1:])
    if price[-2:] in _PAIRS:
        return _amount(price[:-1]), _amount(price[:-2] + price[-1])
    return (_amount(price),) * 2


def _amount(price: str) -> Decimal:
    if not re.search("[块元毛角]", price):
        return _number(price)
    total, worth = Decimal(0), Decimal(10)
    for number, mark in _PART.findall(price):
        worth = Decimal(_WORTH[mark]) if mark else worth / 10
        total += _number(number) * worth
    return total


def _number(printed: str) -> Decimal:
    """Return a number below a hundred: 12, 9.8, 二十四, 半."""
    if printed == "半":
        return Decimal(5)
    if "十" in printed:
        tens, ones = printed.split("十")
        return Decimal(10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0))
    return Decimal(_DIGITS[printed]) if printed in _DIGITS else Decimal(printed)


# Kinds by the groups of the patterns.
_KINDS = {kind.value: kind for kind in TokenKind} | {
    "month": TokenKind.CONTRACT,
    "coins": TokenKind.SMALL,
    "count": TokenKind.OTHER,
}


@dataclass(slots=True)  # not frozen: that would double the time to create one
class Figure:
    """A number or range in the text: its kind, offsets, and both ends."""

    kind: TokenKind
    start: int
    end: int
    low: Decimal = Decimal(0)
    high: Decimal = Decimal(0)
    unit: Unit | None = None
    sign: int = 0
    is_spoken: bool = False  # 两块五, as people say it of a jin


_NUM = r"(?:(?<![\dA-Za-z])|(?<=DDGS)|(?<=RMB)|(?<=CNY)|(?<=Yn))(?:\d{1,2}\s\d{3}(?=\s?(?:元|yuan|RMB|CNY))|\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.{1,2}\d{1,6})?(?!\d)"
_NUM_DOT = r"(?<![\d.])\.\d{1,4}(?!\d)"
# 两千一百六, without a word for what is counted: a price per ton, if it stands where prices do.
_UNNAMED = r"|(?:(?<=[百千零十][一二两三四五六七八九十])|(?<=[一二两三四五六七八九][百十]))(?=\s*(?:[,。;:、!?)\s至到了的-]|左右|$))"
_FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟", "一二三四五六七八九十百千")
_CN_DIGIT = "[一二两三四五六七八九壹贰叁肆伍陆柒捌玖]"
_COUNTS = r"(?=\s*(?:[多余来几]?(?:元|块)|多?[每一/]\s?公?吨)"
_WRITTEN = (
    rf"(?:{_CN_DIGIT}[千仟](?:零?{_CN_DIGIT}[百佰])?|{_CN_DIGIT}[百佰])(?:零?{_CN_DIGIT}[十拾])?(?:零?{_CN_DIGIT})?"
    rf"{_COUNTS}{_UNNAMED})|{_CN_DIGIT}(?:零|{_CN_DIGIT}){{3}}{_COUNTS})"
)
# 2千2百80, 2千3, 2千280
_MIXED = (
    r"(?<![\d.])\d{1,2}[千仟](?:\d[百佰](?:零?\d{1,2})?|\d{3}|\d)?[十拾]?(?!\d)"
    rf"(?:{_COUNTS})|(?<=\d)(?=\s*(?:[,。;:、!?)至到-]|左右|$)))"
)
_DATE = r"""
    \d{4}/\d{2}年度 | \d{4}年(?:\d{1,2}月(?:份)?(?:\d{1,2}[日号])?)?(?:第\d{1,2}周|度|产)?
  | \d\d年(?=同期|同日|同月|[底末初]) | \d\d年\d{1,2}月(?:份)?(?:\d{1,2}[日号])?
  | \d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?![\d元])
  | \d{1,2}月\d{1,2}(?:[日号])?(?:\s*[-至到]\s*(?:\d{1,2}月)?\d{1,2}[日号])?
  | \d{1,2}(?:[-、至]\d{1,2})?月(?:份|底|初|末|中旬|上旬|下旬|中)?(?:第\d周)?
  | \d{1,2}(?:-\d{1,2})?[日号](?![粉黄玉])
  | \d{1,2}/\d{1,2}(?![\d.元块/])
  | \d{1,2}:\d{2}(?::\d\d)? | \d{1,3}(?:\.\d+)?:\d{1,3}(?:\.\d+)?(?![\d元块]) | \d{1,2}时(?:\d{1,2}分?)?
"""
_CONTRACT = r"""
    \d{4}年\d{1,2}月(?:份)?(?:合约|期约) | \d{1,2}月(?:份)?(?:合约|期约|交割)
  | \d\d(?:0[1-9]|1[0-2])(?=合约|期约|期货|强麦|强筋|主力|收盘|开盘|收[于报\d]|报收|玉米|大豆|豆粕)
    (?:合约|期约)?
  | (?<=强麦|玉米|豆粕|主力|大豆|合约|淀粉|连玉|连粕|豆一|鸡蛋)\d\d(?:0[1-9]|1[0-2])(?:合约|期约)?
    (?=开|收|报|跌|涨|结|,|主|上|下|以|夜|日盘|早盘)
"""
_LATIN = r"""
    (?P<contract>(?<![A-Za-z])(?!GB)[A-Z]{1,2}\d{1,2}(?:0[1-9]|1[0-2])(?:合约)?(?![\d.A-Za-z]))
  | (?P<other>(?<![A-Za-z])P\.?\s?(?:[CFOPS]|II?)\.?\s?[3-6]2(?:\.5)?R?(?![\dA-Za-z]))  # P.O42.5, of cement
  | (?P<month>\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\s20\d\d\b(?:\s\w{3,8}){0,1}(?=\s(?:contract|futures|delivery))(?:\scontract)?)
  | (?P<date>\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?\s\d{1,2}(?:,\s?\d{4})?(?!,?\d))
"""
_OTHER_PER = (
    r"[万亿]?(?:元|块)\s*(?:/|每|一)\s*(?:头|根|穗|棵|只|箱|枚|羽|袋|亩|车|手|桶|盒|株|包|件|立?方|m[³3]|㎡|平|人|天|月|年"
    r"|公里|度|点|个|套|瓶|条|米|千米|户|家|升|公升|毫升)"
)
_FOREIGN = (
    r"[万亿]?(?:美元|美分|欧元|日元|卢比|令吉|林吉特|马币|比索|雷亚尔|澳元|加元|港元|港币|新台币|台币"
    r"|卢布|泰铢|英镑|US\$|USD|dollars?|cents?|\$)(?:\s*/\s*\w{1,6})?"
)
_SMALL = (
    r"厘(?!米)钱?|分(?!钟|之|别|析|类|公|厂|店|点|地|市|区|品|等|批|期|布|为|位|割)钱?"
    r"|毛(?![猪鸡鸭利粮重油豆])钱?|(?<!八)角钱?"
)
_FEW = rf"[一二两三四五六七八九半](?=(?!角)(?:{_SMALL}))"
_WATER = r"个?水(?:分|份)?(?![平稻果产泥利运位量杂域电渠牛库路肥费灾旱面])"
_COUNT = (
    r"[万亿百千十余多几]*(?:个百分点|个月|个|吨|千克|公斤|斤|克/升|克|g/?l|kg/m|手|头|家|辆|车|天|日|时"
    r"|分钟|小时|度|大卡|级|等|cm|mm|厘米|毫米|米|岁|次|成|倍|条|批|场|周|期|粒|名|位|只|枚|箱|口|列|艘|船"
    r"|亩|公顷|岸|号|年|月|式|元|户|县|省|市|区|袋|件|人|席|票|折|轮|品种|多|余|万|亿|国|ml|目|型|[#＃]|[*×]\d{1,6}(?:\.\d)?)(?!/)"
)
_SOME = "[多余来几]"  # 2280多元 is read as 2280元左右
_POINTS = r"个?点|points?|pts?"
_SUFFIX = rf"""[^\S\t\n]?(?:
    (?P<coins>(?:{_SMALL})\s*[/每一]\s*(?:{WEIGHT})) | (?P<amount>{_SOME}?[万千]?{RMB_PER_WEIGHT}|[多余]\s?[一每/]\s?(?:{WEIGHT})) | (?P<other>{_OTHER_PER}) | (?P<foreign>{_FOREIGN})
  | (?P<yuan>{_SOME}?{BARE_MONEY}) | (?P<percent>[%‰]+|per\s?cent|pct) | (?P<small>{_SMALL}) | (?P<water>{_WATER})
  | (?P<points>{_POINTS}) | (?P<count>{_COUNT}) )"""
_UNIT_FIRST = (
    rf"一(?:{HEAVY})(?=(?:约|合|才|就|给|只|卖|到|出){{0,2}}\s?[\d.零一二两三四五六七八九十])"
    rf"|{PRICE_OF_WEIGHT}"
)
_STARTS = re.compile(
    r"[0-9.+↑↓\-¥$\[第A-Za-z零一二两三四五六七八九十壹贰叁肆伍陆柒捌玖半元圆块每/人斤公千吨]"
)
_RMB = "(?:RMB|CNY|Yn)"
_RANGE_LINK = re.compile(
    rf"[^\S\t\n]*(?:-{{1,2}}|一|至|到|或|(?P<latin>to))[^\S\t\n]*(?:{_RMB}\s?)?", re.IGNORECASE
)
_AND = re.compile(rf"\s(?P<latin>and)\s(?:{_RMB}\s?)?", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween(?:\s{_RMB})?$", re.IGNORECASE)
# From one price to another one is a move, unless that is what prices are or range from.
_NO_MOVE = "".join(rf"(?<!\b{word})" for word in "prices range ranges ranged ranging".split())
_MOVE = re.compile(rf"(?:[由从自]|{_NO_MOVE}\sfrom(?:\s{_RMB})?)$", re.IGNORECASE)
FOREIGN_MONEY = r"(?:USD|US\$|EUR|TWD|NT\$|HKD|JPY|新?台币|港[币元]|日元|欧元|美[元金])"
_FOREIGN_BEFORE = re.compile(rf"{FOREIGN_MONEY}\s?$", re.IGNORECASE)
_UNIT_BEFORE = re.compile(rf"[每一](?:{HEAVY})[^\d,。;]{{0,6}}$")
_NUMBERED = re.compile(r"0\d+")  # 01 of a list, 0573 of a telephone, 03-04
_SIGNS = {"+": 1, "↑": 1, "-": -1, "↓": -1}
_TENTH, _HALF = Decimal("0.1"), Decimal("0.5")
_MANY_DIMES = Decimal("0.4")  # from here on rather a price than a change
# 一分五, 1分半, but not 一分五家.
_TENTH_BEHIND = re.compile("[一二三四五六七八九半](?=[,，。;；、)）\\s至到钱]|$)")
SMALL_WORTH = {"厘": Decimal("0.001"), "分": Decimal("0.01"), "毛": _TENTH, "角": _TENTH}


@lru_cache(maxsize=1)
def _patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the compiled patterns by the kind of the first character of a figure; the first that matches counts."""
    # Compiled once for two kinds, since it takes a sixth of the time until a process can read prices.
    spoken = rf"(?P<spoken>{SPOKEN})"
    sources = {
        "digit": (
            rf"(?P<contract>{_CONTRACT})|(?P<date>{_DATE})",
            spoken,
            rf"(?P<mixed>{_MIXED})|(?P<number>{_NUM})",
        ),
        "sign": (
            rf"(?:(?P<sign>[+↑↓]\s?|(?:(?<=[\s(,、;:。])|^)-)?(?P<money>[¥$]\s?)?(?P<number>{_NUM}))"
            rf"|(?P<dot>{_NUM_DOT})|(?P<unit>{RMB_PER_WEIGHT})",
        ),
        "latin": (rf"{_LATIN}|(?P<unit>{RMB_PER_WEIGHT})",),
        "word": (
            r"(?P<date>二零[零一二三][零一二三四五六七八九]年)",
            spoken,
            rf"(?P<written>{_WRITTEN})|(?P<unit>{_UNIT_FIRST})|(?P<few>{_FEW})",
        ),
        "money": (rf"(?P<unit>{_UNIT_FIRST}|{RMB_PER_WEIGHT})",),
        "label": (r"(?P<date>\[\d{1,3}\]|第[\d一二三四五]{1,4}[周期号届])",),
        "suffix": (_SUFFIX,),
    }
    flags = re.VERBOSE | re.IGNORECASE
    return {name: tuple(re.compile(one, flags) for one in parts) for name, parts in sources.items()}


def _starter(char: str) -> str:
    if char.isdigit():
        return "digit"
    if char in "+↑↓-¥$./":
        return "sign"
    if char in "元圆块每人斤公千吨":
        return "money"
    if char in "[第":
        return "label"
    return "latin" if char.isascii() else "word"


_starters = RememberedValues(_starter, 200)


def find_figures(text: str) -> list[Figure]:
    """Return every number of a normalised line, left to right, ranges joined."""
    patterns = _patterns()
    (suffix,) = patterns["suffix"]
    found: list[Figure] = []
    position = 0
    while start := _STARTS.search(text, position):
        for pattern in patterns[_starters[start.group()]]:
            if match := pattern.match(text, start.start()):
                break
        else:
            position = start.end()
            continue
        figure = _figure(text, match, suffix)
        found.append(figure)
        position = max(figure.end, start.end())
    return _join_ranges(text, found)


def _figure(text: str, match: re.Match[str], suffix: re.Pattern[str]) -> Figure:
    group = match.lastgroup or ""
    start, end = match.span()
    if group in ("contract", "date", "month", "other"):
        return Figure(_KINDS[group], start, end)
    if group == "unit":
        start -= start > 0 and text[start - 1] == "万"
        return Figure(TokenKind.UNIT, start, end, unit=unit_named(text[start:end]))
    if group == "spoken":
        return _spoken_figure(match)
    if group in ("written", "few"):
        value = _written_value(match.group().translate(_FORMAL))
    elif group == "mixed":
        value = _mixed_value(match.group().translate(_FORMAL))
    else:
        value = _decimal(match["dot"] if group == "dot" else match["number"])
    figure = Figure(TokenKind.BARE, start, end, value, value)
    if group == "number" and match.re.groupindex.get("sign"):
        figure.sign = _SIGNS.get((match["sign"] or " ")[0], 0)
        if (match["money"] or "").startswith("$"):
            figure.kind = TokenKind.FOREIGN
            return figure
        figure.kind = TokenKind.YUAN if match["money"] else TokenKind.BARE
    if _FOREIGN_BEFORE.search(text, max(0, start - 6), start):
        figure.kind = TokenKind.FOREIGN
        return figure
    _add_suffix(text, figure, suffix)
    if figure.kind is TokenKind.BARE and _NUMBERED.fullmatch(match.group()):
        figure.kind = TokenKind.OTHER
    return figure


def _spoken_figure(match: re.Match[str]) -> Figure:
    low, high = spoken_value(match.group())
    unit = unit_named(match.group()) if _HAS_PER.search(match.group()) else None  # 八毛五一斤
    kind = TokenKind.AMOUNT if unit else TokenKind.YUAN
    return Figure(kind, match.start(), match.end(), low, high, unit, is_spoken=True)


def _add_suffix(text: str, figure: Figure, suffix: re.Pattern[str]) -> None:
    """Extend a figure by the unit after its number: %, 厘, 水, 吨."""
    match = suffix.match(text, figure.end)
    if match is None:
        return
    group = match.lastgroup or ""
    kind = _KINDS[group]
    if group == "count" and match.group()[0].isspace():
        return  # +20 天津, 1 天成玉米: the next name, not days
    if kind is TokenKind.WATER and (match.group()[0].isspace() or figure.low > 60):
        return
    figure.end = match.end()
    figure.kind = kind
    if kind is TokenKind.YUAN and match.group().strip()[0] in _SOME:
        # 每吨2280多元, but not 每亩能卖3000多元.
        is_priced = _UNIT_BEFORE.search(text, max(0, figure.start - 12), figure.start)
        figure.kind = TokenKind.YUAN if is_priced else TokenKind.OTHER
    elif kind is TokenKind.SMALL:
        worth = SMALL_WORTH[match.group().strip()[0]]
        figure.low, figure.high = figure.low * worth, figure.high * worth
        if worth == SMALL_WORTH["分"] and (tenth := _TENTH_BEHIND.match(text, figure.end)):
            figure.end = tenth.end()
            figure.low += worth / 10 * _DIGITS.get(tenth.group(), 5)
            figure.high = figure.low
        if worth == _TENTH and figure.low >= _MANY_DIMES:
            figure.kind = TokenKind.YUAN
    if kind is TokenKind.AMOUNT or group == "coins":
        figure.kind, figure.unit = TokenKind.AMOUNT, unit_named(match.group())


def _decimal(printed: str) -> Decimal:
    if printed.isdigit():
        return Decimal(printed)
    return Decimal("".join(printed.split()).replace(",", "").replace("..", "."))


def _written_value(printed: str) -> Decimal:
    """Return a written number: ``两千三百五`` is 2350, ``半`` is 0.5."""
    if len(printed) > 3 and not re.search("[千百十]", printed):
        return Decimal("".join(str(_DIGITS[digit]) for digit in printed))
    total, worth = Decimal(0), 10
    for digit, mark in re.findall(
        r"([一二两三四五六七八九])([千百十]?)", printed.replace("零", "")
    ):
        worth = {"千": 1000, "百": 100, "十": 10}.get(
            mark, worth // 10 if "零" not in printed else 1
        )
        total += _DIGITS[digit] * worth
    return total or _HALF


def _mixed_value(printed: str) -> Decimal:
    """Return a number of figures and words: ``2千2百80`` is 2280, ``2千3`` 2300, ``2千2百8`` 2280."""
    thousands, rest = printed.rstrip("十").split("千")
    hundreds, mark, ones = rest.rpartition("百")
    if not mark:  # 2千3, 2千280
        return Decimal(thousands) * 1000 + int(rest or 0) * (100 if len(rest) == 1 else 1)
    tens = int(ones or 0) * (10 if len(ones) == 1 else 1)
    return Decimal(thousands) * 1000 + int(hundreds) * 100 + tens


_WIDEST_RANGE, _WIDEST_IN_WORDS = 10, 2
_LONGEST_LINK = 9
_WIDEST_CHAIN = Decimal("1.3")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_CLOSED = frozenset({TokenKind.DATE, TokenKind.CONTRACT, TokenKind.UNIT})


def _join_ranges(text: str, figures: list[Figure]) -> list[Figure]:
    joined: list[Figure] = []
    for figure in figures:
        is_near = joined and figure.start - joined[-1].end <= _LONGEST_LINK
        if is_near and (both := _range_of(text, joined[-1], figure)):
            joined[-1] = both
        else:
            joined.append(figure)
    return joined


def _range_of(text: str, first: Figure, second: Figure) -> Figure | None:
    if first.kind in _CLOSED or second.kind in _CLOSED:
        return None
    if first.low != first.high:
        return _longer_range(text, first, second)
    if second.sign < 0 and text[first.end : second.start].strip(" ") == "":
        if second.low < first.low:
            return None  # 21.2 -0.2: a price and its change
        second = replace(second, start=second.start + 1, sign=0)
    between = text[first.end : second.start]
    before = text[max(0, first.start - 18) : first.start].rstrip()
    link = (_AND if _BETWEEN.search(before) else _RANGE_LINK).fullmatch(between)
    if link is None or (_MOVE.search(before) and not between.strip().startswith("-")):
        return None
    low, high = first.low, _whole_end(text, first, second)
    if first.kind is TokenKind.BARE and second.kind is TokenKind.SMALL:
        low = low * (second.high / second_raw) if (second_raw := _raw(text, second)) else low
    is_in_words = link["latin"] and first.kind is not TokenKind.BARE
    widest = _WIDEST_IN_WORDS if is_in_words else _WIDEST_RANGE
    if second.kind in PRICE_LIKE and min(low, high) * widest < max(low, high):
        return None  # 2240 - 0.89: two cells and a mark between them
    low, high = min(low, high), max(low, high)
    is_numbered = _NUMBERED.fullmatch(text, first.start, first.end) and second.unit is None
    kind = TokenKind.OTHER if is_numbered else second.kind
    return replace(second, kind=kind, start=first.start, low=low, high=high, sign=first.sign)


def _longer_range(text: str, first: Figure, second: Figure) -> Figure | None:
    """Return the range of a chain of rising or falling prices (1.14-1.15-1.16), None for any other."""
    if text[first.end : second.start].strip() != "-" or second.kind not in PRICE_LIKE:
        return None
    low, high = min(first.low, second.low), max(first.high, second.high)
    is_chain = not first.low < second.low < first.high and high <= low * _WIDEST_CHAIN
    return replace(second, start=first.start, low=low, high=high) if is_chain else None


def _whole_end(text: str, first: Figure, second: Figure) -> Decimal:
    """Return the upper end of a range; one that is printed in part (2280-90, 1.14-16) completed."""
    begin = _NUMBER.match(text, first.start, first.end)
    end = _NUMBER.match(text, second.start, second.end)
    # 2300-10 without a unit may be a price and its change.
    if (
        second.kind is TokenKind.BARE
        or begin is None
        or end is None
        or second.low != second.high
        or "." in end[0]
    ):
        return second.high
    missing = len(begin[0]) - len(end[0])
    is_decimal = "." in begin[0]
    # As they are printed, they are no range: 2280-90 falls too far, 1.14-16 rises too far.
    is_wide = second.low > first.low * _WIDEST_RANGE if is_decimal else second.low * 2 < first.low
    if missing < 1 or not is_wide or (is_decimal and len(end[0]) > len(begin[0].split(".")[1])):
        return second.high
    whole = Decimal(begin[0][:missing] + end[0])
    return whole if first.low < whole <= first.low * _WIDEST_CHAIN else second.high


def _raw(text: str, figure: Figure) -> Decimal:
    match = re.match(r"[+-]?\s?(\d+(?:\.\d+)?|\.\d+)", text[figure.start : figure.end])
    return _decimal(match[1]) if match else Decimal(0)
