"""A link with anchor, context and position, as known before its target is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

TOO_MANY_LINKS = "too many links"


class Position(StrEnum):
    """Where on its page a link stands."""

    NAVIGATION = "navigation"
    BODY = "body"
    FOOTER = "footer"


class Link(NamedTuple):
    """One link of a page. ``url`` is absolute, canonical and without fragment; texts are trimmed."""

    url: str
    anchor: str = ""
    before: str = ""
    after: str = ""
    title: str = ""
    heading: str = ""
    position: Position = Position.BODY
    rel: str = ""


class ParsedPage(NamedTuple):
    """A page after its one parse: title, visible text (blank between blocks) and distinct links.

    ``unread`` is how many links, some of them perhaps alike, the page has beyond those that are read.
    """

    title: str
    text: str
    links: list[Link]
    unread: int = 0


class LabelledLink(NamedTuple):
    """A link on page ``source``; ``label`` says whether its target is relevant, None: not known."""

    link: Link
    source: str
    label: bool | None


class LabelledPage(NamedTuple):
    """A fetched page; ``text`` as in :class:`ParsedPage`, ``label`` whether it is relevant."""

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
    """A feature that is present, in words a user knows (``anchor:学习``), and what it adds to the score."""

    feature: str
    weight: float


class LinkScorer(Protocol):
    """Scores links; the trained classifier and the lexicon are two of them."""

    @property
    def name(self) -> str:
        """What scores, for logs: ``machine-learning (nb, 61234 links)``."""

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order, each with its score."""

    def explain(self, link: Link) -> list[Reason]:
        """Return why, heaviest first; the weights and the bias add up to the score."""
