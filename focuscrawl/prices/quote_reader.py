"""Reader of all quotes of a text: lines to tokens, rows and prose to drafts, drafts to quotes."""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from focuscrawl.items import Quote
from focuscrawl.prices.confidence.price_model import PriceModel, load_model
from focuscrawl.prices.confidence.quote_confidence import judge
from focuscrawl.prices.confidence.reading_signs import add_signs_of_text
from focuscrawl.prices.figures.moisture_and_condition import commodity_of, is_deduction, moisture_in
from focuscrawl.prices.figures.shared_details import name_goods
from focuscrawl.prices.names.firm_aliases import AliasTable, load_aliases
from focuscrawl.prices.names.subject_finder import SubjectFinder
from focuscrawl.prices.prose_quotes import LineReader
from focuscrawl.prices.quote_checks import check_drafts, quote_of
from focuscrawl.prices.quote_drafts import PER_PIECE, Document, Subject
from focuscrawl.prices.tables.stacked_cells import with_rows
from focuscrawl.prices.tables.table_cells import cells_of, is_list, with_tabs
from focuscrawl.prices.tables.table_columns import role_of
from focuscrawl.prices.tables.table_quotes import TableReader
from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon, Commodity, lexicon, normalise
from focuscrawl.prices.tokens.figures import FOREIGN_MONEY
from focuscrawl.prices.tokens.implied_unit import with_decimal_marks
from focuscrawl.prices.tokens.line_tokens import (
    Token,
    has_kind,
    last_unit,
    tokenise,
    with_whole_names,
)
from focuscrawl.prices.tokens.price_units import RMB_PER_WEIGHT, Unit, unit_named
from focuscrawl.prices.tokens.token_kinds import (
    FIRM_NAMES,
    MOVES,
    PLACES,
    PRICE_LIKE,
    SENTENCE_ENDS,
    TokenKind,
)
from focuscrawl.text.seen_text import as_seen, unseen_places

_log = logging.getLogger(__name__)
_LONGEST = 4000  # longer lines are split, preferably after a sentence
_HAS_FIGURE = re.compile(r"\d|[一二两三四五六七八九][块毛千角]")
_DAY = re.compile(r"(20\d\d|19\d\d)年(\d{1,2})月(\d{1,2})[日号]")
_SPECIMEN = 3000
_FOREIGN_UNIT = re.compile(rf"单位[:是为]?[^\S\n]{{0,2}}\(?{FOREIGN_MONEY}", re.IGNORECASE)
_PAIR = re.compile(
    r"^[^\S\n]*[^\W\d]{2,10}[^\S\n]{1,9}\d{3,5}(?:-\d{3,5})?(?:左右)?[^\S\n]*$", re.M
)
_A_LIST = 3
_YEAR = re.compile(
    r"(\d\d|\d{4}|二零[零一二三][零一二三四五六七八九])[-/.年](?:(\d{1,2})[-/.月]?)?(?:份|[^产]{0,3})"
)
_IN_DIGITS = str.maketrans("零一二三四五六七八九", "0123456789")
_NOT_OLD = tuple("起 以来 开始 至今 新 陈 秋 春 夏 冬 产 生产 种植 收获 库存".split())
_NO_HEADING = PRICE_LIKE | SENTENCE_ENDS | MOVES | {TokenKind.NOT_PRICE}
_DAYS = frozenset({TokenKind.DATE, TokenKind.TODAY})
_PER_PIECE = re.compile(
    r"(?:[(\s)]|^|单位:?)元/(?:[只羽头箱袋瓶桶盒株枚件尾条张根块棵把升米]|公升|毫升|[立平]?方米?|m[23³]?|㎡)[\s)]*$"
)
_MAX_HEADING = 24
_NOTES = ("(", "以上", "备注", "注:", "说明", "单位")
_MAIZE_SIGNS = re.compile(r"潮粮|\d[%个]?水|水分|深加工|淀粉|粮库|国储库")


def read_quotes(
    text: str,
    *,
    title: str = "",
    day: date | None = None,
    aliases: AliasTable | None = None,
    threshold: float | None = None,
    model: PriceModel | None = None,
) -> list[Quote]:
    """Return every price in ``text`` with its entity, in the order of the text.

    ``title`` helps to determine the commodity and, without ``day``, the date. ``aliases`` maps
    names as printed to canonical ones; the project's own table by default. Quotes whose confidence is
    below ``threshold`` have a flag; by default the one of the ``model``. Never raises.
    """
    table = aliases or load_aliases()
    model = model or load_model()
    day = day or _day_of(title)
    document = read_document(text, title, table.names | model.names, day)
    drafts = judge(document, model, threshold)
    quotes = [quote_of(draft, document, day, table) for draft in drafts]
    return quotes if len(document.text) == len(text) else _at_printed(quotes, text)


def _at_printed(quotes: Sequence[Quote], text: str) -> list[Quote]:
    """Return quotes of a text as it is seen with the offsets that they have in the text as printed."""
    # The place of each unseen character among those that are seen.
    unseen = [at - n for n, at in enumerate(unseen_places(text))]

    def printed(at: int) -> int:
        return at + bisect_right(unseen, at)

    return [
        replace(q, text_start=printed(q.text_start), text_end=printed(q.text_end - 1) + 1)
        for q in quotes
    ]


def read_document(
    text: str, title: str, firms: frozenset[str], day: date | None = None
) -> Document:
    """Return the drafts that the rules find in a text, not yet judged, and their context.

    ``firms`` are names that count as such wherever they stand.
    """
    words = lexicon(firms)
    text = as_seen(text)
    plain = with_tabs(with_rows(normalise(text)))
    document = Document(text, plain, words, normalise(as_seen(title)), day)
    titled = _counted(document.title, words)
    document.title_commodity = titled[0] if len(titled) == 1 else None
    document.commodity = titled[0] if titled else _main_commodity(plain, words)
    document.plain, document.mistyped = with_decimal_marks(plain, document.commodity)
    plain = document.plain
    document.lists_pairs = len(_PAIR.findall(plain)) >= _A_LIST
    named = title or (plain[:_SPECIMEN].split("\n")[0] if document.lists_pairs else "")
    document.is_price_list = "价" in named
    document.unit = _declared_unit(plain)
    document.is_foreign = document.unit is None and _FOREIGN_UNIT.search(plain) is not None
    heading = tokenise(document.title, 0, len(document.title), words)
    if document.unit is None:
        _note_unit(document, heading)
    document.moisture = _moisture(document.title, heading)
    _read_lines(document, _lines(plain))
    if document.is_foreign:
        document.drafts = [draft for draft in document.drafts if draft.figure.unit]
    name_goods(document)
    check_drafts(document.drafts, document.mistyped)
    add_signs_of_text(document, document.drafts)
    return document


def _lines(plain: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(plain):
        end = plain.find("\n", start)
        end = len(plain) if end < 0 else end
        while end - start > _LONGEST:
            cut = max(plain.rfind(mark, start, start + _LONGEST) for mark in "。;\t, ")
            cut = cut + 1 if cut > start else start + _LONGEST
            yield start, cut
            start = cut
        yield start, end
        start = end + 1


def _read_lines(document: Document, lines: Iterable[tuple[int, int]]) -> None:
    tables = TableReader(document)
    block = 0
    for start, end in lines:
        known = len(document.drafts)
        _read_safely(document, tables, start, end)
        if document.is_per_piece:
            _leave_out_pieces(document, start, known)
        for draft in document.drafts[known:] if document.moisture else ():
            draft.moisture = draft.moisture or document.moisture
        last = document.plain[start:end]
        if len(document.drafts) == known and last.strip():
            moisture = _noted_moisture(document, last)
            for draft in document.drafts[block:] if moisture else ():
                draft.moisture = draft.moisture or moisture
            block = known


def _read_safely(document: Document, tables: TableReader, start: int, end: int) -> None:
    try:
        _read_line(document, tables, start, end)
    except Exception:  # an error in one line must not lose the quotes of the others
        _log.exception("Cannot read prices from the line %r", document.plain[start:end][:200])


def _noted_moisture(document: Document, line: str) -> str:
    """Return the moisture that a note below a list states for the whole list, "" for other lines."""
    if not line.lstrip().startswith(_NOTES):
        return ""
    tokens = tokenise(line, 0, len(line), document.words)
    return "" if is_deduction(tokens) else _moisture(line, tokens)


def _moisture(text: str, tokens: Sequence[Token]) -> str:
    """Return the first moisture among the tokens as printed, "" if there is none."""
    found = moisture_in(tokens)
    return "".join(text[slice(*found)].split()) if found else ""


def _declared_unit(plain: str) -> Unit | None:
    """Return the unit declared anywhere in the text for all its prices, None if there are several."""
    units = {unit_named(match.group()) for match in _declarations().finditer(plain)}
    return units.pop() if len(units) == 1 else None


@lru_cache(maxsize=1)
def _declarations() -> re.Pattern[str]:
    named = rf"(?:单位|[均都])(?:[均都]?[是为]|:)?[^\S\n]{{0,4}}万?{RMB_PER_WEIGHT}"
    begins = rf"^[-\s(]{{0,9}}万?{RMB_PER_WEIGHT}(?=[,).;。\s]|单价|$)"
    of_price = r"(?<=[价格]\()(?:公斤|千克|kg|市?斤|吨)(?=\))"
    return re.compile(rf"{named}|{begins}|{of_price}", re.I | re.M)


def _read_line(document: Document, tables: TableReader, start: int, end: int) -> None:
    plain = document.plain
    has_figure = _HAS_FIGURE.search(plain, start, end)
    if not has_figure and end - start > 4 * _MAX_HEADING and "\t" not in plain[start:end]:
        return
    tokens = with_whole_names(tokenise(plain, start, end, document.words))
    document.tokens[start] = tokens
    if not tokens:
        return
    cells = cells_of(document, start, end, tokens)
    if tables.takes_header(cells):
        _note_unit(document, tokens)
        document.is_per_piece = False
        return
    if not cells:  # 省份, 生猪(kg), 仔猪(元/头) are heads of columns
        _note_pieces(document, tokens, plain[start:end])
    is_row = bool(cells) and (tables.fits(cells) or not is_list(cells))
    if is_row and any(t.kind in PRICE_LIKE for t in tokens):
        document.drafts += tables.read(cells)
        return
    if any(t.kind in PRICE_LIKE or t.kind is TokenKind.SMALL for t in tokens):
        _mark_old_years(document, tokens)
        drafts = LineReader(document, tokens).read()
        earlier = _day_of_line(document, tokens)
        for draft in drafts:
            draft.day = earlier
        document.drafts += drafts
    _note_heading(document, tokens, end - start)


def _note_pieces(document: Document, tokens: Sequence[Token], line: str) -> None:
    """Note whether the prices below a heading are per head or box."""
    if not any(t.kind in PRICE_LIKE for t in tokens):
        is_heading = has_kind(tokens, TokenKind.UNIT, TokenKind.COMMODITY)
        document.is_per_piece = _PER_PIECE.search(line) is not None or (
            document.is_per_piece and not is_heading
        )


def _leave_out_pieces(document: Document, start: int, known: int) -> None:
    """Leave out the prices of a line that are per head or box; ``known`` drafts were there before it.

    After it was read, since the columns of a row have roles of their own.
    """
    tokens = document.tokens.get(start, ())
    document.columns.update(
        (t.start, PER_PIECE) for t in tokens if t.figure and t.figure.unit is None
    )
    document.drafts[known:] = [draft for draft in document.drafts[known:] if draft.figure.unit]


def _mark_old_years(document: Document, tokens: Sequence[Token]) -> None:
    """Make 2025年同期 and 2024年11月 of an article of 2026 what 去年同期 is, but not 2025年产."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        found = _YEAR.fullmatch(token.text) if token.kind is TokenKind.DATE else None
        if found is None or document.day is None:
            continue
        year = int(found[1].translate(_IN_DIGITS))
        year += 2000 if year < 100 else 0
        is_same = after is not None and after.text.startswith(("同期", "同日", "同月"))
        is_of_goods = after is not None and after.text.startswith(_NOT_OLD)
        if (document.is_long_ago(year, int(found[2] or 0) or None) and not is_of_goods) or (
            is_same and year < document.day.year
        ):
            token.kind = TokenKind.YEARLY


def _day_of_line(document: Document, tokens: Sequence[Token]) -> date | None:
    """Return the earlier day that a line begins with and that is the only day in it."""
    begin = tokens[1:] if tokens[0].kind is TokenKind.OPEN else tokens
    days = [t for t in tokens if t.kind in _DAYS]
    if not begin or len(days) != 1 or begin[0] is not days[0]:
        return None
    is_since = len(begin) > 1 and begin[1].text.startswith(_NOT_OLD)
    is_range = "月" in days[0].text and re.search("[-至到]", days[0].text)
    return None if is_since or is_range else document.earlier_day(days[0].text)


def _note_unit(document: Document, tokens: list[Token]) -> None:
    document.unit = last_unit(tokens) or document.unit


def _note_heading(document: Document, tokens: list[Token], length: int) -> None:
    """Remember the unit, commodity and place of a heading for the lines below it."""
    has_price = has_kind(tokens, TokenKind.AMOUNT)
    is_sentence = has_kind(tokens, TokenKind.STOP, TokenKind.SEMI)
    if not has_price and not is_sentence:
        _note_unit(document, tokens)
    is_about_prices = has_kind(tokens, TokenKind.PRICE_WORD, TokenKind.UNIT)
    if (
        is_about_prices
        and length <= 2 * _MAX_HEADING
        and not any(t.kind in _NO_HEADING for t in tokens)
    ):
        document.moisture = _moisture(document.plain, tokens) or document.moisture
    if has_price or length > _MAX_HEADING or is_sentence or has_kind(tokens, TokenKind.COMMA):
        return
    finder = SubjectFinder(document)
    value = _value(tokens)
    is_field = len(value) < len(tokens)
    is_marked = (
        is_field
        or tokens[-1].kind in (TokenKind.COLON, TokenKind.CLOSE)
        or tokens[0].kind is TokenKind.OPEN
    )
    commodity = commodity_of(tokens, document.words)
    if commodity is not None:
        document.heading_commodity = commodity
    finder.subjects = []
    finder.adopt(value if tokens[-1].kind is not TokenKind.CLOSE else tokens[1:-1])
    is_short = len(tokens) <= 2 and all(t.figure is None for t in tokens)
    if finder.subjects and (is_marked or is_short) and finder.subjects[0].kind != "actor":
        document.heading = finder.subjects[0]
    elif is_field and value[0].kind in FIRM_NAMES | PLACES:
        document.heading = Subject("firm", document.text[value[0].start : value[-1].end].strip())


def _value(tokens: list[Token]) -> list[Token]:
    """Return the owner in a line such as 厂家:云天化, all tokens of any other line, such as 产地:山东."""
    colon = next((i for i, t in enumerate(tokens) if t.kind is TokenKind.COLON), 0)
    label = "".join(t.text for t in tokens[:colon])
    is_owner = role_of(label, False) in ("entity", "region") and "产" not in label
    return tokens[colon + 1 :] or tokens if is_owner else tokens


def _main_commodity(plain: str, words: BulletinLexicon) -> Commodity | None:
    """Return the commodity named most often at the beginning."""
    specimen = plain[:_SPECIMEN]
    if found := _counted(specimen, words):
        return found[0]
    if "玉米" in specimen or _MAIZE_SIGNS.search(specimen):
        return words.commodity_of["玉米"]
    return None


def _counted(plain: str, words: BulletinLexicon) -> list[Commodity]:
    """Return the commodities of a text, those named most often first."""
    # Line by line, as they are read afterwards: the tokens of lines are remembered.
    tokens = (t for start, end in _lines(plain) for t in tokenise(plain, start, end, words))
    counts = Counter(c for t in tokens if (c := commodity_of([t], words)) is not None)
    return [commodity for commodity, _ in counts.most_common()]


def _day_of(title: str) -> date | None:
    if match := _DAY.search(normalise(title)):
        try:
            return date(*map(int, match.groups()))
        except ValueError:
            return None
    return None


# Signs that the articles of a site are price bulletins.


# Code and formulas have figures beside the names of goods, and no such word. Of 1,858 recorded blog posts, 4 have
# both, all 60 price bulletins do.
_PRICE_WORD = re.compile(
    r"元\s*[/每一]\s*(?:吨|斤|公斤|kg|市斤|头|只)|[一两每/]斤|"
    r"(?:收购|批发|零售|出厂|成交|平均|市场)价|价格|报价|均价|行情"
)
_LEAST_QUOTES = 2
_LEAST_ARTICLES = 2
# Price bulletins begin with prices.
_READ = 20_000


def have_prices(articles: Iterable[tuple[str, str]]) -> bool:
    """Return whether two or more articles, titles and texts, have two prices of goods each."""
    found = sum(_count(title, text[:_READ]) >= _LEAST_QUOTES for title, text in articles)
    return found >= _LEAST_ARTICLES


def _count(title: str, text: str) -> int:
    if not (_PRICE_WORD.search(title) or _PRICE_WORD.search(text)):
        return 0
    quotes = read_quotes(text, title=title)
    return sum(1 for quote in quotes if quote.commodity and not quote.flag)
