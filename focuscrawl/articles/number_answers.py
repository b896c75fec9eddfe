"""Meaning of a response for a number: article, missing, soft 404 or failure."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.articles.url_patterns import UrlPattern

SOFT_404 = "soft 404"
SENT_HOME = "sent home"
SENT_ELSEWHERE = "sent elsewhere"

_HOME = re.compile(r"(?:/(?:index|default|home|main)(?:\.[a-z]{2,5})?)?/?", re.IGNORECASE)
# Odd, below what a signed integer of 32 bits holds: larger ones break some sites.
_GHOSTS = (1_999_999_973, 1_988_888_887)
# More than are under way at once.
_LOOKS_REMEMBERED = 1000
# In a row. Somebody may have posted the same a few times.
_MOST_ALIKE = 5


def ghosts(highest: int) -> list[int]:
    """Return two numbers that cannot have an article in a series that has come to ``highest``."""
    if highest * 10 < min(_GHOSTS):
        return list(_GHOSTS)
    return [highest * 100 + 73, highest * 90 + 87]


class Probe(NamedTuple):
    """What a number gets now: the look of the page, and whether it stands for no article."""

    look: str = ""
    is_missing: bool = False


class MissingPages:
    """Knows the pages that stand for "no such article" on one site.

    It learns them from the answers to numbers that cannot exist: what such a page looks like, and
    where such a request is led to.
    """

    def __init__(self, pattern: UrlPattern, redirect: str = "") -> None:
        self._pattern = pattern
        self._redirect = redirect
        self._looks: list[str] = []
        self._targets: set[str] = set()
        self._recent: deque[tuple[str, int]] = deque(maxlen=_LOOKS_REMEMBERED)
        self._trusted: deque[str] = deque(maxlen=_LOOKS_REMEMBERED)
        self._walls: set[str] = set()
        self._last_content = ""
        self._alike: list[int] = []

    def learn(self, url: str, look: str, *, was_redirected: bool) -> None:
        """Take in the answer to a number that cannot exist: the URL it came from, its look."""
        if was_redirected:
            self._targets.add(url)
        if look:
            self._looks.append(look)

    @property
    def is_unsteady(self) -> bool:
        """Whether the site answers such numbers with pages that are told by nothing."""
        return len(set(self._looks)) > 1 and len(self._targets) != 1

    @property
    def signs(self) -> list[str]:
        """What tells such pages: looks, and where requests were led to; empty where errors do."""
        return sorted({*self._looks, *self._targets})

    def redirect_reason(self, number: int, url: str) -> str:
        """Return why a request that was led to ``url`` found no article, ``""`` if it may have."""
        if url == self._pattern.url(number):
            return ""
        if (self._redirect and re.search(self._redirect, url)) or url in self._targets:
            return SENT_ELSEWHERE if not is_home(url) else SENT_HOME
        if is_home(url):
            return SENT_HOME
        other = self._pattern.number_of(url)
        return "" if other in (None, number) else f"sent to number {other}"

    def look_reason(self, look: str) -> str:
        """Return ``soft 404`` for the look of a page that stands for no article, else ``""``."""
        return SOFT_404 if look and look in self._looks else ""

    def is_doubtful(self, look: str, number: int) -> bool:
        """Whether a page of this look has come for another number, and nothing tells it from a wall.

        A wall is what a site puts up in the middle of a run, for any number: a form to log in, a
        captcha. A number that cannot exist tells: see :meth:`judge`.
        """
        if not look or look in self._trusted or look in self._walls:
            return False
        if self._first_with(look) is not None:
            return True
        self._recent.append((look, number))
        return False

    def judge(self, look: str, look_of_ghost: str) -> int | None:
        """Take in what a number that cannot exist looks like now that a look is doubtful.

        Returns the number whose page was taken for an article, where there is a wall.
        """
        if look != look_of_ghost:
            self._trusted.append(look)
            return None
        self._walls.add(look)
        return self._first_with(look)

    def take_in(self, look: str, content: str, number: int) -> int | None:
        """Take in a page that seems to be an article; ``content`` is an MD5 of all it says.

        Returns the first of more numbers in a row than ever had the same article, where it finds so
        many: a wall, though a number that cannot exist gets something else, an error for one.
        """
        if content != self._last_content:
            self._last_content, self._alike = content, []
        self._alike.append(number)
        if look in self._walls or len(self._alike) <= _MOST_ALIKE:
            return None
        self._walls.add(look)
        return self._alike[0]

    @property
    def walls(self) -> list[str]:
        """The looks of all walls known."""
        return sorted(self._walls)

    def expect_walls(self, looks: Iterable[str]) -> None:
        """Take in the walls that earlier runs came upon."""
        self._walls.update(looks)

    def is_wall(self, look: str) -> bool:
        """Whether pages of this look come for any number now."""
        return look in self._walls

    def _first_with(self, look: str) -> int | None:
        return next((number for known, number in self._recent if known == look), None)


def is_home(url: str) -> bool:
    """Whether a URL is that of a home page."""
    parts = urlsplit(url)
    return not parts.query and bool(_HOME.fullmatch(parts.path))
