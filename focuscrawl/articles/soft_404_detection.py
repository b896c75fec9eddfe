"""Meaning of the response for a number: article, missing, soft 404 or failure."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.sites.foreign_pages import SENT_HOME, is_home

SOFT_404 = "soft 404"
SENT_ELSEWHERE = "sent elsewhere"

# Below 2**31, since larger numbers break some sites.
_IMPOSSIBLE_NUMBERS = (1_999_999_973, 1_988_888_887)
# More than the number of concurrent requests.
_LOOKS_REMEMBERED = 1000
# Consecutive equal articles; an author may have posted the same text a few times.
_MOST_ALIKE = 5


def impossible_numbers(highest: int) -> list[int]:
    """Return two numbers that cannot have an article if the highest known one is ``highest``."""
    if highest * 10 < min(_IMPOSSIBLE_NUMBERS):
        return list(_IMPOSSIBLE_NUMBERS)
    return [highest * 100 + 73, highest * 90 + 87]


class Probe(NamedTuple):
    """Current response for a number: the look of its page, and whether that means "no article"."""

    look: str = ""
    is_missing: bool = False


class MissingPages:
    """Detector of the "no such article" pages of one site.

    It learns from the responses for impossible numbers: the look of such a page, and the target of
    its redirect.
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
        """Learn from the response for an impossible number: its final URL and its look."""
        if was_redirected:
            self._targets.add(url)
        if look:
            self._looks.append(look)

    @property
    def varies(self) -> bool:
        """True if the pages for impossible numbers have neither a common look nor a common redirect."""
        return len(set(self._looks)) > 1 and len(self._targets) != 1

    @property
    def signs(self) -> list[str]:
        """The looks and redirect targets of such pages; empty if the site returns errors instead."""
        return sorted({*self._looks, *self._targets})

    def redirect_reason(self, number: int, url: str) -> str:
        """Return the reason why a request redirected to ``url`` has no article, ``""`` if it may have."""
        if url == self._pattern.url(number):
            return ""
        if (self._redirect and re.search(self._redirect, url)) or url in self._targets:
            return SENT_ELSEWHERE if not is_home(url) else SENT_HOME
        if is_home(url):
            return SENT_HOME
        other = self._pattern.number_of(url)
        return "" if other in (None, number) else f"sent to number {other}"

    def look_reason(self, look: str) -> str:
        """Return ``soft 404`` for the look of a "no such article" page, else ``""``."""
        return SOFT_404 if look and look in self._looks else ""

    def is_doubtful(self, look: str, number: int) -> bool:
        """Return whether another number had a page with this look, so that it may be a wall.

        A wall is a page that a site starts to return for any number during a run: a login form, a
        captcha. The response for an impossible number decides, see :meth:`judge`.
        """
        if not look or look in self._trusted or look in self._walls:
            return False
        if self._first_with(look) is not None:
            return True
        self._recent.append((look, number))
        return False

    def judge(self, look: str, probe_look: str) -> int | None:
        """Compare a doubtful look with the current look of an impossible number.

        If they are equal, it is a wall: returns the first number whose page was taken for an article.
        """
        if look != probe_look:
            self._trusted.append(look)
            return None
        self._walls.add(look)
        return self._first_with(look)

    def add_article(self, look: str, content: str, number: int) -> int | None:
        """Add a page that seems to be an article; ``content`` is an MD5 of its text.

        Returns the first of more than five consecutive numbers with the same article: that is a wall
        even if an impossible number gets a different response, such as an error.
        """
        if content != self._last_content:
            self._last_content, self._alike = content, []
        self._alike.append(number)
        if look in self._walls or len(self._alike) <= _MOST_ALIKE:
            return None
        self._walls.add(look)
        return self._alike[0]

    def taken_since(self, first: int) -> list[int]:
        """Return the numbers whose pages were taken for articles before ``first`` was known to begin a wall."""
        return self._alike[:-1] if len(self._alike) > _MOST_ALIKE else [first]

    @property
    def walls(self) -> list[str]:
        """The looks of all known walls."""
        return sorted(self._walls)

    def expect_walls(self, looks: Iterable[str]) -> None:
        """Add the walls found by earlier runs."""
        self._walls.update(looks)

    def is_wall(self, look: str) -> bool:
        """Return whether a look is that of a wall."""
        return look in self._walls

    def _first_with(self, look: str) -> int | None:
        return next((number for known, number in self._recent if known == look), None)
