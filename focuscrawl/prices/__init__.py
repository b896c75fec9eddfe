"""Extraction of price quotes from free text: units, ranges, tables, entities, aliases.

``read_quotes`` is the reader to use; ``read_quotes_paper`` implements the rules of the paper (Li
Qiaoyu et al. 2018) for comparison. Heavy modules are imported on the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.items import Quote
    from focuscrawl.prices.confidence.price_model import PriceModel
    from focuscrawl.prices.names.firm_aliases import AliasTable

__all__ = ["READERS", "Reader", "load_aliases", "read_quotes", "read_quotes_paper"]


class Reader(Protocol):
    """Function that returns the quotes of a text."""

    def __call__(
        self,
        text: str,
        *,
        title: str = "",
        day: date | None = None,
        aliases: AliasTable | None = None,
        threshold: float | None = None,
        model: PriceModel | None = None,
    ) -> list[Quote]:
        """Return the quotes of ``text`` in the order of the text."""


def read_quotes(
    text: str,
    *,
    title: str = "",
    day: date | None = None,
    aliases: AliasTable | None = None,
    threshold: float | None = None,
    model: PriceModel | None = None,
) -> list[Quote]:
    """Return every price of ``text`` with its entity; see :func:`.quote_reader.read_quotes`."""
    from focuscrawl.prices.quote_reader import read_quotes as read

    return read(text, title=title, day=day, aliases=aliases, threshold=threshold, model=model)


def read_quotes_paper(
    text: str,
    *,
    title: str = "",
    day: date | None = None,
    aliases: AliasTable | None = None,
    threshold: float | None = None,
    model: PriceModel | None = None,
) -> list[Quote]:
    """Return the quotes found by the paper's three rules; see :func:`.paper_rules.read_quotes_paper`.

    ``threshold`` and ``model`` are those of the other reader; these quotes have no confidence.
    """
    from focuscrawl.prices.paper_rules import read_quotes_paper as read

    return read(text, title=title, day=day, aliases=aliases)


def load_aliases(path: str | Path | None = None) -> AliasTable:
    """Return an alias table; see :func:`.firm_aliases.load_aliases`."""
    from focuscrawl.prices.names.firm_aliases import load_aliases as load

    return load(path)


READERS: dict[str, Callable[..., list[Quote]] | Reader] = {
    "rules": read_quotes,
    "paper": read_quotes_paper,
}
