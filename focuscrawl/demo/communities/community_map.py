"""Link graph of the communities: a tree of topical ones with chains of others between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from focuscrawl.demo.communities.community_words import common_words, load_themes
from focuscrawl.demo.repeatable_chance import draw, pick

_DECOYS_PER_TOPICAL_COMMUNITY = 2
_CHILDREN = 2
_CHARSETS = ("utf-8", "utf-8", "utf-8", "gb2312", "gb2312", "big5")


class Role(StrEnum):
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
    role: Role
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
class Chain:
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
        self.chains: list[Chain] = []
        self._grow(count, longest_chain)

    def _grow(self, count: int, longest_chain: int) -> None:
        topical = [self._add(Role.TOPICAL)]
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
                    _befriend(owner, self._add(Role.DECOY))

    def _lay_chain(self, start: Community, pages: int) -> list[Community]:
        sites = [self._add(Role.CHAIN) for _ in range(pages // 2)]
        end = self._add(Role.TOPICAL)
        *way, last = [start, *sites]
        for one, following in zip(way, sites, strict=True):
            _befriend(one, following)
        _befriend(last, end, by_blogroll=pages % 2 == 0)
        numbers = tuple(site.number for site in sites)
        self.chains.append(Chain(start.number, end.number, pages, numbers))
        return [*sites, end]

    def _add(self, role: Role) -> Community:
        number = len(self.communities)
        theme = self._topic if role is Role.TOPICAL else self._other_theme(number)
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
        return (one for one in self.communities if one.role is Role.TOPICAL)


def _befriend(one: Community, other: Community, by_blogroll: bool = False) -> None:
    (one.blogroll if by_blogroll else one.friends).append(other.number)
    other.friends.append(one.number)


def _site_name(seed: int, number: int, theme: str) -> str:
    common = common_words()
    # Every second name is unrelated to the theme.
    options = pick((common.sites, load_themes()[theme].sites), seed, number, "kind of name")
    name = pick(common.names, seed, number, "name")
    return pick(options, seed, number, "pattern").format(name=name)
