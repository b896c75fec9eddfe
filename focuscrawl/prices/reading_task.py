"""Reading a text in another process: plain arguments, the alias table kept there."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from focuscrawl.errors import ArgumentError
from focuscrawl.items import Quote
from focuscrawl.prices import READERS, load_aliases

if TYPE_CHECKING:
    from focuscrawl.prices.names.firm_aliases import AliasTable


def check_settings(reader: str, alias_file: str | None) -> None:
    """Raise an ArgumentError, or an error of the alias table, for what the worker could not use."""
    if reader not in READERS:
        raise ArgumentError(f"FOCUSCRAWL_READER={reader!r} is unknown; known: {', '.join(READERS)}")
    if alias_file:
        load_aliases(alias_file)


def read_text(
    reader: str, alias_file: str | None, text: str, title: str, day: date | None
) -> list[Quote]:
    """Return the quotes of a text by the reader of that name."""
    return list(READERS[reader](text, title=title, day=day, aliases=_aliases(alias_file)))


@lru_cache(maxsize=1)
def _aliases(alias_file: str | None) -> AliasTable:
    return load_aliases(alias_file)
