"""Texts of the communities: themes, and random titles and sentences from their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any, NamedTuple

import yaml

from focuscrawl.errors import ArgumentError

FOCUS = 12
"""The number of words of its theme that an article is about."""

_SHARE_OF_VAGUE_HEADLINES = 0.2
_SHARE_OF_ASIDES = 0.12
_SHARE_OF_STRAY_WORDS = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """A theme of articles; the tuples are words, or patterns with placeholders for words."""

    name: str
    title: str
    words: tuple[str, ...]
    acts: tuple[str, ...]
    categories: tuple[str, ...]
    descriptions: tuple[str, ...]
    sites: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonWords:
    """Words shared by all themes, so that no single word identifies a theme."""

    words: tuple[str, ...]
    headlines: tuple[str, ...]
    vague_headlines: tuple[str, ...]
    sentences: tuple[str, ...]
    pointers: tuple[tuple[str, str, str], ...]
    asides: tuple[str, ...]
    names: tuple[str, ...]
    sites: tuple[str, ...]


class Pointer(NamedTuple):
    """A sentence with a link whose anchor is uninformative."""

    before: str
    anchor: str
    after: str


@cache
def load_themes() -> dict[str, Theme]:
    """Return all themes by name."""
    return {
        name: Theme(
            name=name,
            title=known["title"],
            words=tuple(known["words"].split()),
            acts=tuple(known["acts"].split()),
            categories=tuple(known["categories"]),
            descriptions=tuple(known["descriptions"]),
            sites=tuple(known["sites"]),
        )
        for name, known in _read()["themes"].items()
    }


def theme_named(name: str) -> Theme:
    """Return a theme; raises :class:`ArgumentError` for an unknown one."""
    themes = load_themes()
    if name not in themes:
        raise ArgumentError(f"no theme {name!r} in the demo web; choose from {', '.join(themes)}")
    return themes[name]


@cache
def common_words() -> CommonWords:
    """Return the words shared by all themes."""
    known = _read()["common"]
    return CommonWords(
        words=tuple(known["words"].split()),
        headlines=tuple(known["headlines"]),
        vague_headlines=tuple(known["vague_headlines"]),
        sentences=tuple(known["sentences"]),
        pointers=tuple((before, anchor, after) for before, anchor, after in known["pointers"]),
        asides=tuple(known["asides"]),
        names=tuple(known["names"].split()),
        sites=tuple(known["sites"]),
    )


class Writer:
    """Generator of texts about one theme, deterministic for the same keys.

    The words of an article are drawn first, then its headline, so that a list of headlines need not
    generate the texts, and a text is about the subject of its headline.
    """

    def __init__(self, theme: Theme, *keys: object) -> None:
        self._theme = theme
        self._common = common_words()
        # Random hashes a string seed with SHA-512, which is the same on all platforms.
        self._random = Random(repr(keys))
        self._focus = self._random.sample(theme.words, FOCUS)

    def headline(self) -> str:
        """Return a headline; one in five is uninformative."""
        if self._random.random() < _SHARE_OF_VAGUE_HEADLINES:
            return self._random.choice(self._common.vague_headlines)
        return self._fill(self._random.choice(self._common.headlines), *self._focus[:3])

    def paragraph(self, sentences: int) -> str:
        """Return sentences, a few of them unrelated to the theme."""
        return "".join(self._sentence() for _ in range(sentences))

    def pointer(self) -> Pointer:
        """Return a sentence with a link to this writer's article."""
        before, anchor, after = self._random.choice(self._common.pointers)
        words = self._focus[:3]
        return Pointer(self._fill(before, *words), anchor, self._fill(after, *words))

    def _sentence(self) -> str:
        if self._random.random() < _SHARE_OF_ASIDES:
            return self._random.choice(self._common.asides)
        pattern = self._random.choice(self._common.sentences)
        return self._fill(pattern, *(self._word() for _ in range(3)))

    def _word(self) -> str:
        if self._random.random() < _SHARE_OF_STRAY_WORDS:
            return self._random.choice(self._common.words)
        return self._random.choice(self._focus)

    def _fill(self, pattern: str, a: str, b: str, c: str) -> str:
        w, x = self._random.choice(self._common.words), self._random.choice(self._common.words)
        act = self._random.choice(self._theme.acts)
        return pattern.format(a=a, b=b, c=c, v=act, w=w, x=x)


@cache
def _read() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("themes.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data
