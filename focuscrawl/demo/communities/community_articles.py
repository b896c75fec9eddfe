"""The articles of one community: numbers, subjects, categories and tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import cache
from importlib import resources
from random import Random
from typing import Any, NamedTuple

import yaml

from focuscrawl.demo.site_protocol import draw, pick
from focuscrawl.errors import ArgumentError

# Texts of the communities: themes, and random titles and sentences from their words.

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


# Link graph of the communities: a tree of topical ones with chains of others between them.

_DECOYS_PER_TOPICAL_COMMUNITY = 2
_CHILDREN = 2
_CHARSETS = ("utf-8", "utf-8", "utf-8", "gb2312", "gb2312", "big5")


class CommunityRole(StrEnum):
    """Role of a community in the graph."""

    TOPICAL = "topical"
    CHAIN = "chain"
    DECOY = "decoy"


@dataclass(slots=True, kw_only=True)
class Community:
    """One site: its links page has the ``friends``, the side bar of its home lists the ``blogroll``.

    ``charset`` is as declared: gb2312 pages may contain any character of GB18030, big5 pages are in
    traditional characters.
    """

    number: int
    role: CommunityRole
    theme: str
    name: str
    articles: int
    charset: str
    friends: list[int] = field(default_factory=list)
    blogroll: list[int] = field(default_factory=list)

    @property
    def host(self) -> str:
        """The host name."""
        return f"c{self.number:03d}.communities.demo.test"

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://{self.host}/"


@dataclass(frozen=True, slots=True)
class CommunityPath:
    """The path between two topical communities: at least ``pages`` irrelevant pages, on ``sites``."""

    start: int
    end: int
    pages: int
    sites: tuple[int, ...]


class CommunityMap:
    """``count`` communities: a tree of topical ones, with chains and decoys.

    A chain of one page is the links page of its start. Each further site adds its home and its
    links page, or only its home if that has the next link in its blogroll. Every site links back to
    its predecessor; decoys are linked by one site and have no further links. So there is no shortcut.
    """

    def __init__(
        self, seed: int, count: int, articles: int, longest_chain: int, topic: str
    ) -> None:
        self._seed = seed
        self._articles = articles
        self._topic = topic
        self.communities: list[Community] = []
        self.chains: list[CommunityPath] = []
        self._grow(count, longest_chain)

    def _grow(self, count: int, longest_chain: int) -> None:
        topical = [self._add(CommunityRole.TOPICAL)]
        while len(self.communities) < count:
            start = topical[(len(topical) - 1) // _CHILDREN]
            pages = 1 + int(draw(self._seed, "chain", len(topical)) * longest_chain)
            sites_needed = pages // 2
            owners = [start]
            if len(self.communities) + sites_needed < count:
                owners += self._lay_chain(start, pages)
                topical.append(owners[-1])
            for number in range(_DECOYS_PER_TOPICAL_COMMUNITY):
                if len(self.communities) < count:
                    owner = pick(owners, self._seed, "owner", len(self.communities), number)
                    _befriend(owner, self._add(CommunityRole.DECOY))

    def _lay_chain(self, start: Community, pages: int) -> list[Community]:
        sites = [self._add(CommunityRole.CHAIN) for _ in range(pages // 2)]
        end = self._add(CommunityRole.TOPICAL)
        *way, last = [start, *sites]
        for one, following in zip(way, sites, strict=True):
            _befriend(one, following)
        _befriend(last, end, by_blogroll=pages % 2 == 0)
        numbers = tuple(site.number for site in sites)
        self.chains.append(CommunityPath(start.number, end.number, pages, numbers))
        return [*sites, end]

    def _add(self, role: CommunityRole) -> Community:
        number = len(self.communities)
        theme = self._topic if role is CommunityRole.TOPICAL else self._other_theme(number)
        added = Community(
            number=number,
            role=role,
            theme=theme,
            name=_site_name(self._seed, number, theme),
            articles=max(1, round(self._articles * (0.5 + draw(self._seed, number, "articles")))),
            charset=pick(_CHARSETS, self._seed, number, "charset"),
        )
        self.communities.append(added)
        return added

    def _other_theme(self, number: int) -> str:
        others = [name for name in load_themes() if name != self._topic]
        return pick(others, self._seed, number, "theme")

    def topical(self) -> Iterator[Community]:
        """Yield the communities about the topic."""
        return (one for one in self.communities if one.role is CommunityRole.TOPICAL)


def _befriend(one: Community, other: Community, by_blogroll: bool = False) -> None:
    (one.blogroll if by_blogroll else one.friends).append(other.number)
    other.friends.append(one.number)


def _site_name(seed: int, number: int, theme: str) -> str:
    common = common_words()
    # Every second name is unrelated to the theme.
    options = pick((common.sites, load_themes()[theme].sites), seed, number, "kind of name")
    name = pick(common.names, seed, number, "name")
    return pick(options, seed, number, "pattern").format(name=name)


MISCELLANY = 4
"""The number of the category for articles about something else."""
TAGS = 12

_MISCELLANY_EVERY = 10
_NEWEST_DAY = date(2026, 3, 1)


class ArticleShelf:
    """Articles 1 to ``count``, newest last; everything is computed on demand."""

    def __init__(self, seed: int, topic: str, community: Community) -> None:
        self._seed = seed
        self._topic = topic
        self.community = community
        self.theme = load_themes()[community.theme]
        self.count = community.articles

    @property
    def numbers(self) -> range:
        """All articles, newest first."""
        return range(self.count, 0, -1)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return (*self.theme.categories, "杂谈")

    @property
    def tags(self) -> list[str]:
        """The names of the tags, by number."""
        step = len(self.theme.words) // TAGS
        offset = int(draw(self._seed, self.community.number, "tags") * step)
        return [self.theme.words[offset + number * step] for number in range(TAGS)]

    def category_of(self, number: int) -> int:
        """Return the number of an article's category."""
        return MISCELLANY if number % _MISCELLANY_EVERY == 0 else number % MISCELLANY

    def tags_of(self, number: int) -> list[int]:
        """Return the numbers of an article's tags; articles about another theme have none."""
        if self.category_of(number) == MISCELLANY:
            return []
        return sorted({number % TAGS, (5 * number + 1) % TAGS})

    def in_category(self, category: int) -> list[int]:
        """Return the articles of a category, newest first."""
        return [number for number in self.numbers if self.category_of(number) == category]

    def with_tag(self, tag: int) -> list[int]:
        """Return the articles with a tag, newest first."""
        return [number for number in self.numbers if tag in self.tags_of(number)]

    def theme_of(self, number: int) -> Theme:
        """Return the theme of an article: that of the community, or sometimes another one."""
        if self.category_of(number) != MISCELLANY:
            return self.theme
        themes = load_themes()
        # An irrelevant community has no relevant articles, which would shorten the path.
        others = [name for name in themes if name not in (self._topic, self.theme.name)]
        return themes[pick(others, self._seed, self.community.number, number, "theme")]

    def is_relevant(self, number: int) -> bool:
        """Return whether an article is about the topic."""
        return self.theme_of(number).name == self._topic

    def writer(self, number: int) -> Writer:
        """Return the writer of an article; call its ``headline`` before generating the text."""
        return Writer(self.theme_of(number), self._seed, self.community.number, number)

    def headline(self, number: int) -> str:
        """Return the headline of an article."""
        return self.writer(number).headline()

    def day(self, number: int) -> date:
        """Return the date of an article."""
        return _NEWEST_DAY - timedelta(days=3 * (self.count - number))

    def some(self, count: int, *keys: object) -> list[int]:
        """Return up to ``count`` different articles, chosen by the keys."""
        chosen = (
            1 + int(draw(self._seed, self.community.number, *keys, n) * self.count)
            for n in range(count)
        )
        return list(dict.fromkeys(chosen))
