"""Task of reading a text in a worker process, which caches the alias table."""

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
    """Raise :class:`~focuscrawl.errors.ArgumentError` for an unknown reader or unusable alias file."""
    if reader not in READERS:
        raise ArgumentError(
            f"FOCUSCRAWL_READER={reader!r} is unknown; choose from {', '.join(READERS)}"
        )
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
