"""Drafts of quotes, their subjects, and the context of the document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache

from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon, Commodity
from focuscrawl.prices.tokens.figures import Figure
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.text.chinese_dates import find_date, find_full_date

REPEATED = "repeated"
"""What :attr:`Document.columns` has for a price that the text has in another unit before."""
PER_PIECE = "per piece"
"""What it has for a figure below a heading such as 鸭苗(元/羽)."""
_SAME_PRICE = Decimal("0.015")  # as a share


@dataclass(frozen=True, slots=True)
class Subject:
    """Owner or place of a price. ``kind``: firm, actor, place, nation, contract, goods, weak.

    ``mention`` is the name as printed; ``region`` the printed place names, joined; ``province`` the
    gazetteer's short name of its province, ``province_printed`` the same as printed (``""`` if it
    was not).
    """

    kind: str
    mention: str
    region: str = ""
    province: str = ""
    province_printed: str = ""
    is_bare_place: bool = False

    @property
    def area(self) -> str:
        """Return the region of what is in the subject: its own one, with a place itself."""
        return self.region + self.mention if self.is_bare_place else self.region


@dataclass(slots=True, kw_only=True)
class Draft:
    """An unfinished quote; offsets are relative to the beginning of the document."""

    figure: Figure
    start: int
    end: int
    span_start: int
    unit: Unit
    subject: Subject
    commodity: Commodity | None
    condition: list[str] = field(default_factory=list)
    moisture: str = ""
    goods: str = ""
    wording: str = ""  # kind of price as printed: 收购价, 成交均价
    change: tuple[Decimal, Decimal] | None = None
    is_primary: bool = True
    is_doubtful: bool = False
    flag: str = ""
    implausible: str = ""  # why the price of these goods in this unit is
    signs: tuple[str, ...] = ()  # what tells how sure the reading is, by name
    context: tuple[float, float] = (0.0, 0.0)  # what the model's network says of name and figure
    confidence: float | None = None
    day: date | None = None  # if it is not that of the document

    @property
    def per_ton(self) -> tuple[Decimal, Decimal]:
        """Return the price in yuan per ton, low and high."""
        worth = self.unit.yuan_per_ton
        return self.figure.low * worth, self.figure.high * worth

    def is_repeated_by(self, figure: Figure, unit: Unit) -> bool:
        """Return whether a figure is the same price in another unit: 4.6元/公斤(2.3元/斤)."""
        own, other = self.per_ton[0], figure.low * unit.yuan_per_ton
        return unit != self.unit and abs(other - own) <= own * _SAME_PRICE


def prices_by_goods(drafts: Iterable[Draft]) -> dict[Commodity | None, list[Decimal]]:
    """Return the lower prices in yuan per ton, by their goods."""
    prices: dict[Commodity | None, list[Decimal]] = {}
    for draft in drafts:
        prices.setdefault(draft.commodity, []).append(draft.per_ton[0])
    return prices


_FIRST = 4000  # characters in which the goods of a text are named


@dataclass(slots=True)
class Document:
    """Text of a document, and the context for its remaining lines."""

    text: str
    plain: str
    words: BulletinLexicon
    title: str = ""  # normalised
    day: date | None = None
    commodity: Commodity | None = None
    title_commodity: Commodity | None = None
    unit: Unit | None = None
    is_foreign: bool = False  # whether prices without a unit are in another currency
    is_per_piece: bool = False  # whether those below the last heading are per head or box
    heading: Subject | None = None
    heading_commodity: Commodity | None = None
    is_price_list: bool = False
    mistyped: set[int] = field(
        default_factory=set
    )  # offsets of figures with doubtful decimal marks
    lists_pairs: bool = False  # whether lines of a name and a bare number are a list of prices
    width: int = 0  # of the line above, in columns, if it is one of a table
    moisture: str = ""  # of the last heading, for the prices below it
    drafts: list[Draft] = field(default_factory=list)
    tokens: dict[int, list[Token]] = field(default_factory=dict)  # of lines, by their beginning
    columns: dict[int, str] = field(default_factory=dict)
    """Roles of the columns of tables, by the offset of each of their tokens; prices that are ``REPEATED``."""

    def earlier_day(self, text: str) -> date | None:
        """Return the day that a text begins with or consists of, if it is before that of the document."""
        if self.day is None:
            return find_full_date(text, date.max)
        found = find_date(text, self.day)
        return found if found is not None and found < self.day else None

    def is_long_ago(self, year: int, month: int | None) -> bool:
        """Return whether a year, or a month of it, ended more than a month before the document."""
        if self.day is None or year > self.day.year or (month is None and year == self.day.year):
            return False
        following = date(year + (month or 12) // 12, (month or 12) % 12 + 1, 1)
        return following + timedelta(days=31) < self.day

    def goods_as_printed(self) -> str:
        """Return the word that the text has for its goods, the goods' own name if it has none."""
        goods = self.heading_commodity or self.commodity
        return _as_printed(goods, self.plain[:_FIRST], self.words) if goods else "价格"


@lru_cache(maxsize=16)
def _as_printed(goods: Commodity, plain: str, words: BulletinLexicon) -> str:
    own = words.words_of[goods.name]
    found = [(at, -len(w), w) for w in own if (at := plain.find(w)) >= 0]
    return goods.name if not found else min(found)[2]
