"""Task of reading a text in a worker process, which caches the alias table."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.items import Quote
from focuscrawl.prices import READERS, load_aliases

if TYPE_CHECKING:
    from focuscrawl.prices.names.firm_aliases import AliasTable

_UNSURE = "可信度"


class ReaderSettings(NamedTuple):
    """How texts are read: the reader's name, the file of aliases, and the least confidence.

    A quote of which the reader is less confident gets a flag.
    """

    reader: str
    alias_file: str | None
    least_confidence: float

    def check(self) -> None:
        """Raise :class:`~focuscrawl.errors.ArgumentError` for a value that cannot be used."""
        if self.reader not in READERS:
            raise ArgumentError(
                f"FOCUSCRAWL_READER={self.reader!r} is unknown; choose from {', '.join(READERS)}"
            )
        if not 0 <= self.least_confidence <= 1:
            raise ArgumentError(
                f"FOCUSCRAWL_PRICE_CONFIDENCE={self.least_confidence} is not between 0 and 1"
            )
        if self.alias_file:
            load_aliases(self.alias_file)


def read_text(settings: ReaderSettings, text: str, title: str, day: date | None) -> list[Quote]:
    """Return the quotes of a text."""
    aliases = _aliases(settings.alias_file)
    quotes = READERS[settings.reader](text, title=title, day=day, aliases=aliases)
    return [_flagged(quote, settings.least_confidence) for quote in quotes]


def _flagged(quote: Quote, least: float) -> Quote:
    if quote.confidence is None or quote.confidence >= least or quote.flag:
        return quote
    return replace(quote, flag=f"{_UNSURE} {quote.confidence:.2f}")


@lru_cache(maxsize=1)
def _aliases(alias_file: str | None) -> AliasTable:
    return load_aliases(alias_file)
