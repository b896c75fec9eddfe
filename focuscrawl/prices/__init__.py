"""Extraction of price quotes from free text: units, ranges, tables, entities, aliases.

``read_quotes`` is the reader to use; ``read_quotes_paper`` implements the rules of the paper (Li
Qiaoyu et al. 2018) for comparison. Heavy modules are imported on the first call.
"""

from __future__ import annotations

from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

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


def _reader(module: str) -> Reader:
    """Return the reader of a module, which is imported on the first call."""

    def read(text: str, **options: Any) -> list[Quote]:
        found: list[Quote] = import_module(f"focuscrawl.prices.{module}").read_quotes(
            text, **options
        )
        return found

    return read


read_quotes = _reader("quote_reader")
read_quotes_paper = _reader("paper_rules")


def load_aliases(path: str | Path | None = None) -> AliasTable:
    """Return an alias table; see :func:`.firm_aliases.load_aliases`."""
    from focuscrawl.prices.names.firm_aliases import load_aliases as load

    return load(path)


READERS: dict[str, Reader] = {"rules": read_quotes, "paper": read_quotes_paper}
