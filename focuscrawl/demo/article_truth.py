"""True quotes of the demo articles, for tests that score a reader of prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class TruthQuote:
    """A price that stands in an article, in yuan per metric ton; ``low == high`` if no range.

    ``mention`` is the name as printed, county included, city and province left out.
    """

    mention: str
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleTruth:
    """An article that the list pages name.

    ``title`` is as listed, ``heading`` as the article itself has it (they differ in script on
    Big5 pages). ``encodings`` are the codecs of its pages' bytes, whatever they declare.
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
        """How many pages the article runs over."""
        return len(self.encodings)
