"""Task of reading a text in a worker process, which caches the alias table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import ArgumentError
from focuscrawl.items import Quote
from focuscrawl.prices import READERS

if TYPE_CHECKING:
    from focuscrawl.prices.confidence.price_model import PriceModel
    from focuscrawl.prices.names.firm_aliases import AliasTable


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Name of the reader, its aliases and model, and the least confidence of a quote without a flag.

    ``aliases`` and ``model`` are the texts of the files: whatever becomes of these during a crawl, all of
    it is read alike, also by a worker that replaces another one.
    """

    reader: str = "rules"
    aliases: str | None = None
    model: str | None = None
    threshold: float | None = None


def reading_options(settings: Mapping[str, Any]) -> ReadingOptions:
    """Return the options of the settings.

    Raises :class:`~focuscrawl.errors.ArgumentError` for an unknown reader, an unusable file, or a
    confidence that is none.
    """
    from focuscrawl.prices.names.firm_aliases import parse_aliases, read_aliases

    reader, alias_file = settings["FOCUSCRAWL_READER"], settings["FOCUSCRAWL_ALIASES"]
    if reader not in READERS:
        raise ArgumentError(
            f"FOCUSCRAWL_READER={reader!r} is unknown; choose from {', '.join(READERS)}"
        )
    aliases = model = None
    if alias_file:
        aliases = read_aliases(alias_file)
        parse_aliases(aliases, alias_file)
    if model_file := settings["FOCUSCRAWL_PRICE_MODEL"]:
        # Imported here: a crawler, whose workers read the prices, needs no NumPy.
        from focuscrawl.prices.confidence.price_model import parse_model, read_model

        model = read_model(model_file)
        parse_model(model, model_file)
    threshold = threshold_of(settings["FOCUSCRAWL_PRICE_CONFIDENCE"])
    return ReadingOptions(reader, aliases, model, threshold)


def threshold_of(value: object) -> float | None:
    """Return the setting ``FOCUSCRAWL_PRICE_CONFIDENCE`` as a number, None if it is unset."""
    if value is None or value == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentError(
            f"FOCUSCRAWL_PRICE_CONFIDENCE={value!r} is no confidence; give a number from 0 to 1"
        )
    return number


def read_text(options: ReadingOptions, text: str, title: str, day: date | None) -> list[Quote]:
    """Return the quotes of a text."""
    read = READERS[options.reader]
    aliases, model = _aliases(options.aliases), _model(options.model)
    return list(
        read(text, title=title, day=day, aliases=aliases, threshold=options.threshold, model=model)
    )


@lru_cache(maxsize=1)
def _aliases(text: str | None) -> AliasTable:
    from focuscrawl.prices.names.firm_aliases import load_aliases, parse_aliases

    return load_aliases() if text is None else parse_aliases(text, "FOCUSCRAWL_ALIASES")


@lru_cache(maxsize=1)
def _model(text: str | None) -> PriceModel:
    from focuscrawl.prices.confidence.price_model import load_model, parse_model

    return load_model() if text is None else parse_model(text, "FOCUSCRAWL_PRICE_MODEL")
