"""True quotes of the demo articles, for tests of the price reader."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class TruthQuote:
    """A price in an article, in yuan per metric ton; ``low == high`` if it is not a range.

    ``mention`` is the name as printed, including the county, without city and province.
    """

    mention: str
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleTruth:
    """An article on the list pages.

    ``title`` is that of the list, ``heading`` that of the article (they differ in script on Big5
    pages). ``encodings`` are the actual codecs of its pages, whatever they declare.
    """

    url: str
    title: str
    heading: str
    published: date
    commodity: str
    stamp: str
    encodings: tuple[str, ...]
    quotes: tuple[TruthQuote, ...]

    @property
    def pages(self) -> int:
        """The number of pages of the article."""
        return len(self.encodings)
