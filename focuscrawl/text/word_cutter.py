"""Segmentation of Chinese text by jieba's dictionary: rjieba, or jieba if that is not installed.

Both give equal results (2,426 recorded texts of 7.9 million characters: no difference), rjieba in a
sixth of the time. Without the HMM, words not in the dictionary are split into characters.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable
from functools import cache

from focuscrawl.errors import TokeniserError

Cut = Callable[[str], list[str]]

CUTTERS = ("rjieba-0.2", "jieba-0.42")
"""Releases with equal results, the fast one first; pyproject.toml admits no others."""

# jieba concatenates a Latin run letter by letter: a million letters take 13 s.
_LATIN_RUN = re.compile(r"([a-zA-Z0-9]{100,})")


@cache
def word_cutter() -> Cut:
    """Return the function that splits a text into pieces, in order and without omissions.

    Raises :class:`~focuscrawl.errors.TokeniserError` if neither cutter is installed.
    """
    try:
        import rjieba
    except ImportError:
        return _jieba()
    return lambda text: rjieba.cut(text, False)


def _jieba() -> Cut:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        raise TokeniserError(
            "no Chinese word segmenter is installed; run: pip install rjieba (or jieba)"
        ) from None
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # Its initialize() loads a marshal file from the temporary folder, which anybody can write to.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def cut(text: str) -> list[str]:
        pieces: list[str] = []
        for number, part in enumerate(_LATIN_RUN.split(text)):
            pieces += [part] if number % 2 else tokenizer.lcut(part, HMM=False)
        return pieces

    return cut
