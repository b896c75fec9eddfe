"""What an answer of the server means for a number, apart from what its page says."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from focuscrawl.articles.patterns import UrlPattern

SOFT_404 = "soft 404"
SENT_HOME = "sent home"
SENT_ELSEWHERE = "sent elsewhere"

_HOME = re.compile(r"(?:/(?:index|default|home|main)(?:\.[a-z]{2,5})?)?/?", re.IGNORECASE)
# Odd, below what a signed integer of 32 bits holds: larger ones break some sites.
_GHOSTS = (1_999_999_973, 1_988_888_887)


def ghosts(highest: int) -> list[int]:
    """Return two numbers that cannot have an article in a series that has come to ``highest``."""
    if highest * 10 < min(_GHOSTS):
        return list(_GHOSTS)
    return [highest * 100 + 73, highest * 90 + 87]


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


def is_home(url: str) -> bool:
    """Whether a URL is that of a home page."""
    parts = urlsplit(url)
    return not parts.query and bool(_HOME.fullmatch(parts.path))
