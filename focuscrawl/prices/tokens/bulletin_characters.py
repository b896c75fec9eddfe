"""Normalisation of the characters of price bulletins, with unchanged offsets."""

from __future__ import annotations

from focuscrawl.text.character_folding import DASHES, CharacterFolding, half_width
from focuscrawl.text.chinese_script import simplified
from focuscrawl.text.seen_text import plain_double

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
