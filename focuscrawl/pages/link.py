"""A link with anchor, context and position, as known before its target is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

TOO_MANY_LINKS = "too many links"
TOO_LONG = "too long"


class Position(StrEnum):
    """Position of a link on its page."""

    NAVIGATION = "navigation"
    BODY = "body"
    FOOTER = "footer"


class Link(NamedTuple):
    """One link of a page. ``url`` is absolute, canonical and without fragment; texts are stripped."""

    url: str
    anchor: str = ""
    before: str = ""
    after: str = ""
    title: str = ""
    heading: str = ""
    position: Position = Position.BODY
    rel: str = ""


class ParsedPage(NamedTuple):
    """A parsed page: title, visible text (blocks separated by blanks) and distinct links.

    ``unread`` is the number of links, possibly duplicates, beyond those that were read, ``too_long`` that
    of links left out for the length of their URL.
    """

    title: str
    text: str
    links: list[Link]
    unread: int = 0
    too_long: int = 0


class LabelledLink(NamedTuple):
    """A link on page ``source``; ``label`` tells whether its target is relevant, None if unknown."""

    link: Link
    source: str
    label: bool | None


class LabelledPage(NamedTuple):
    """A fetched page; ``text`` as in :class:`ParsedPage`, ``label`` tells whether it is relevant."""

    url: str
    title: str
    text: str
    label: bool


class ScoredLink(NamedTuple):
    """A link, its score for ranking (log-odds, natural logarithm) and its calibrated probability."""

    link: Link
    score: float
    probability: float


class Reason(NamedTuple):
    """A feature by its readable name (``anchor:学习``), and its contribution to the score."""

    feature: str
    weight: float


class LinkScorer(Protocol):
    """Scorer of links, such as the trained classifier or the lexicon."""

    @property
    def name(self) -> str:
        """The name of the scorer, for logs: ``machine-learning (nb, 61234 links)``."""

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score."""

    def explain(self, link: Link) -> list[Reason]:
        """Return the reasons, heaviest first; the weights and the bias add up to the score."""
