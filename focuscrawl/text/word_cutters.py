"""The cutters of Chinese text: two programs, one dictionary. No guessing: unknown words fall to characters."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Literal, get_args

from focuscrawl.errors import TokeniserError

Cut = Callable[[str], list[str]]
EngineName = Literal["rjieba", "jieba"]
# jieba adds up a run letter by letter: a million of them take it 13 s.
_LATIN_RUN = re.compile(r"([a-zA-Z0-9]{100,})")

ENGINES: tuple[EngineName, ...] = get_args(EngineName)  # the fast one first


def first_engine() -> EngineName:
    """Return the fastest engine that is installed."""
    for name in ENGINES:
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    raise TokeniserError(f"Install a tokeniser: pip install {' or '.join(ENGINES)}.")


@lru_cache
def load_engine(name: EngineName) -> Cut:
    """Return the engine's function from a text to its pieces, in order, none left out."""
    try:
        return _rjieba() if name == "rjieba" else _jieba()
    except ImportError:
        raise TokeniserError(
            f"The tokeniser {name} is not installed: pip install {name}."
        ) from None


def _rjieba() -> Cut:
    import rjieba

    return lambda text: rjieba.cut(text, False)


def _jieba() -> Cut:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # Its own initialize() loads a marshal file out of the temporary folder that anybody may write to.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def cut(text: str) -> list[str]:
        pieces: list[str] = []
        for number, part in enumerate(_LATIN_RUN.split(text)):
            pieces += [part] if number % 2 else tokenizer.lcut(part, HMM=False)
        return pieces

    return cut
