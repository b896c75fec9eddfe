"""One character in, one character out: so that offsets into the normalised text are offsets
into the text as printed."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

_DASHES = "~‐‑‒–—―−－﹣～〜∼˜ー⁓∽"
_SPACES = (
    "\u3000\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\v\f\u200b\ufeff"
)
_SINGLES = {
    "￥": "¥",
    "∕": "/",
    "⁄": "/",
    "／": "/",
    "％": "%",
    "﹪": "%",
    "℅": "%",
    "﹕": ":",
    "∶": ":",
    "。": "。",
    "｡": "。",
    "、": "、",
    "､": "、",
    "〇": "零",
    "○": "零",
    "【": "(",
    "】": ")",
    "［": "[",
    "］": "]",
    "〔": "(",
    "〕": ")",
    "「": "(",
    "」": ")",
    "“": '"',
    "”": '"',
    "丶": "、",
    "·": ".",
    "•": " ",
    "●": " ",
    "■": " ",
    "◆": " ",
    "▲": "↑",
    "▼": "↓",
    "△": "↑",
    "▽": "↓",
    "⬆": "↑",
    "⬇": "↓",
    "➔": "→",
    "➡": "→",
    "⇒": "→",
    "㎏": "㎏",
    "\r": "\n",
    "\u2028": "\n",
    "\u2029": "\n",
    "\x85": "\n",
    "｜": "\t",
    "│": "\t",
    "┃": "\t",
    "|": "\t",
}


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    table = {ord(full): chr(ord(full) - 0xFEE0) for full in map(chr, range(0xFF01, 0xFF5F))}
    table |= {ord(char): "-" for char in _DASHES}
    table |= {ord(char): " " for char in _SPACES}
    table |= {ord(char): plain for char, plain in _SINGLES.items()}
    pairs = (files("focuscrawl.prices") / "lists" / "traditional.txt").read_text("utf-8").split()
    table |= {ord(pair[0]): pair[1] for pair in pairs if len(pair) == 2}
    return table


def normalise(text: str) -> str:
    """Return ``text`` in half-width, simplified characters with plain dashes and blanks.

    Every character is replaced by exactly one: ``len(normalise(text)) == len(text)``.
    """
    return text.translate(_table())
