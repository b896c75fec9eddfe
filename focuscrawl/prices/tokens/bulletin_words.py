"""Lexicon of bulletins: known words and their kinds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files

import yaml

from focuscrawl.prices.tokens.token_kinds import TokenKind
from focuscrawl.text.character_folding import DASHES, CharacterFolding, half_width
from focuscrawl.text.normal_form import simplified
from focuscrawl.text.places.gazetteer import gazetteer
from focuscrawl.text.seen_text import plain_double

# Normalisation of the characters of price bulletins, with unchanged offsets.

_SPACES = (
    "\u3000\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\v\f\u200b\ufeff"
)
_SIGNS = {
    **dict.fromkeys(DASHES + "~〜∼˜ー⁓∽", "-"),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys("\r\u2028\u2029\x85", "\n"),
    # Vertical lines between table cells.
    **dict.fromkeys("|｜│┃", "\t"),
    **dict.fromkeys("•●■◆①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", " "),
    **dict.fromkeys("〔「【", "("),
    **dict.fromkeys("〕」】", ")"),
    **dict.fromkeys("∕⁄", "/"),
    **dict.fromkeys("﹪℅", "%"),
    **dict.fromkeys("﹕∶︰", ":"),
    **dict(zip("﹐﹑﹒﹔﹖﹗﹙﹚﹢", ",、.;?!()+", strict=True)),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("〇○", "零"),
    **dict.fromkeys("▲△⬆", "↑"),
    **dict.fromkeys("▼▽⬇", "↓"),
    **dict.fromkeys("➔➡⇒", "→"),
    "￥": "¥",
    "｡": "。",
    "､": "、",
    "丶": "、",
    **dict.fromkeys("·・‧∙⋅˙", "."),
}

_folded = CharacterFolding(plain_double, half_width, simplified, signs=_SIGNS)
_named = CharacterFolding(plain_double, half_width, simplified)
# A county of maize; 干安 would be a part of 晒干安全.
_KEPT = "乾安"


def compact(text: str) -> str:
    """Return text without whitespace, or with single spaces if it is Latin."""
    return (" " if text.isascii() else "").join(text.split())


def normalise(text: str) -> str:
    """Return half-width, simplified text with plain dashes and spaces, of the same length."""
    return _KEPT.join(map(_folded, text.split(_KEPT)))


def spelled(name: str) -> str:
    """Return a name as entities are stored: half-width, simplified, without white space.

    >>> spelled("青島港"), spelled("１ 号Ａ库"), spelled("乾安")
    ('青岛港', '1号A库', '乾安')
    """
    return _KEPT.join(map(_named, "".join(name.split()).split(_KEPT)))


# Precedence of the lists for words in several of them.
_ORDER = (
    "brand port latin_province latin_place zone toward sale grade origin quality actor yearly total not_price to up down up_or_down old recent than"
    " converted each moisture fact price today mod filler name_end"
).split()


@dataclass(frozen=True, slots=True)
class Commodity:
    """A commodity with its plausible price range and usual price, all in yuan per ton."""

    name: str
    low: Decimal
    high: Decimal
    usual: Decimal


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, a key of caches
class BulletinLexicon:
    """Known words by kind.

    ``kinds`` maps a word to its kind, ``lengths`` a first character to the word lengths to try
    (longest first), ``commodity_of`` a word to its commodity, ``words_of`` the name of a commodity to
    its words; ``endings`` are the last characters of these.
    """

    kinds: dict[str, TokenKind]
    lengths: dict[str, tuple[int, ...]]
    commodity_of: dict[str, Commodity]
    words_of: dict[str, list[str]]
    endings: dict[str, frozenset[str]]


@lru_cache(maxsize=2)
def _read(name: str) -> dict[str, dict[str, str | int]] | dict[str, str]:
    text = (files("focuscrawl.prices") / "lists" / name).read_text("utf-8")
    # The loader in C, where it was built, takes a tenth of the time.
    loaded: dict[str, str] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


@lru_cache(maxsize=1)
def commodities() -> dict[str, Commodity]:
    """Return the commodities by each of their words, in lower case."""
    table: dict[str, Commodity] = {}
    for name, row in _read("commodities.yaml").items():
        assert isinstance(row, dict)
        low, high, usual = (Decimal(row[key]) for key in ("low", "high", "usual"))
        for word in str(row["words"]).split():
            table[word.lower()] = Commodity(name, low, high, usual)
    return table


@lru_cache(maxsize=1)
def commodities_by_name() -> dict[str, Commodity]:
    """Return the commodities by the names that quotes have."""
    return {commodity.name: commodity for commodity in commodities().values()}


@lru_cache(maxsize=1)
def latin_provinces() -> frozenset[str]:
    """Return the provinces in Latin letters, in lower case."""
    words = str(_read("words.yaml")["latin_province"]).split()
    return frozenset(word.replace("-", " ") for word in words)


@lru_cache(maxsize=8)
def lexicon(firms: frozenset[str] = frozenset()) -> BulletinLexicon:
    """Return the lexicon, including ``firms`` (names of an alias table) as brands."""
    words = {name: TokenKind.BRAND for name in firms if len(name) > 1}
    lists = {key: str(value).split() for key, value in _read("words.yaml").items()}
    commodity_of = commodities()
    for word in commodity_of:
        words.setdefault(word, TokenKind.COMMODITY)
    for place in gazetteer():
        words.setdefault(place, TokenKind.PLACE)
    for name in _ORDER:
        kind = TokenKind.PORT if name.startswith("latin_") else TokenKind(name)
        for word in lists[name]:
            words.setdefault(word.lower(), kind)
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[0], set()).add(len(word))
    by_first = {first: tuple(sorted(sizes, reverse=True)) for first, sizes in lengths.items()}
    words_of: dict[str, list[str]] = {}
    for word, commodity in commodity_of.items():
        words_of.setdefault(commodity.name, []).append(word)
    ends = {name: frozenset(word[-1] for word in own) for name, own in words_of.items()}
    return BulletinLexicon(words, by_first, commodity_of, words_of, ends)
