"""Characters of price bulletins: signs that mean the same are replaced by one, offsets stay valid."""

from __future__ import annotations

from focuscrawl.text.character_folding import DASHES, CharacterFolding, half_width
from focuscrawl.text.chinese_script import simplified

_SPACES = (
    "\u3000\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\v\f\u200b\ufeff"
)
_SIGNS = {
    **dict.fromkeys(DASHES + "~〜∼˜ー⁓∽", "-"),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys("\r\u2028\u2029\x85", "\n"),
    # Cells of a table drawn with lines.
    **dict.fromkeys("|｜│┃", "\t"),
    **dict.fromkeys("•●■◆", " "),
    **dict.fromkeys("〔「【", "("),
    **dict.fromkeys("〕」】", ")"),
    **dict.fromkeys("∕⁄", "/"),
    **dict.fromkeys("﹪℅", "%"),
    **dict.fromkeys("﹕∶", ":"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("〇○", "零"),
    **dict.fromkeys("▲△⬆", "↑"),
    **dict.fromkeys("▼▽⬇", "↓"),
    **dict.fromkeys("➔➡⇒", "→"),
    "￥": "¥",
    "｡": "。",
    "､": "、",
    "丶": "、",
    "·": ".",
}

normalise = CharacterFolding(half_width, simplified, signs=_SIGNS)
"""Half-width, simplified characters with plain dashes and blanks; ``len`` stays the same."""
