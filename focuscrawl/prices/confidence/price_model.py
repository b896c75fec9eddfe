"""Model of the confidence of quotes, read from JSON.

The log-odds of a right reading are a sum over small trees, each of which asks for one sign after
another, and over the weights that a user's corrections have added. So each sign's share in one
reading can be told, as the differences that it makes on the ways through the trees.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from focuscrawl.errors import ArgumentError
from focuscrawl.prices.confidence.reading_models import ChoiceModel, SignModel, Trees, WordModel
from focuscrawl.prices.confidence.text_network import TextNetwork
from focuscrawl.system.durable_files import read_bounded

FORMAT = 6
MODEL_FILE = "price_model.json"


@dataclass(frozen=True)
class PriceModel(ChoiceModel):
    """Choice of the reading of each figure; ``threshold`` is that of quotes to trust, ``least`` that of quotes at all.

    ``names``, of firms, are what a user's corrections have added.
    """

    threshold: float
    least: float
    names: frozenset[str] = frozenset()
    card: Mapping[str, Any] = field(default_factory=dict)


def as_text(model: PriceModel) -> str:
    """Return the model as JSON."""
    return json.dumps(_row(model), ensure_ascii=False, separators=(",", ":"))


def _row(model: PriceModel) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "card": model.card,
        "threshold": model.threshold,
        "least": model.least,
        "names": sorted(model.names),
        "calibration": model.calibration,
        **_trees_row(model),
        "fusion": model.fusion,
        "network": model.network.row() if model.network else None,
        "text_words": {name: asdict(words) for name, words in model.text_words.items()},
        "goods": _trees_row(model.goods),
        "units": _trees_row(model.units),
        "doubts": _trees_row(model.doubts),
    }


def _trees_row(model: SignModel) -> dict[str, Any]:
    return {
        "start": model.start,
        "weights": model.weights,
        "signs": model.nodes.signs,
        "trees": list(model.nodes.numbered()),
    }


@lru_cache(maxsize=4)
def load_model(path: str | None = None) -> PriceModel:
    """Return the model of a file, by default the project's own.

    Raises :class:`~focuscrawl.errors.ArgumentError` for a file that is none, or of another version.
    """
    if path is None:
        return parse_model(
            (files("focuscrawl.prices.confidence") / MODEL_FILE).read_text("utf-8"), MODEL_FILE
        )
    return parse_model(read_model(path), path)


def read_model(path: str) -> str:
    """Return the text of a model's file; raises :class:`~focuscrawl.errors.ArgumentError`."""
    try:
        return read_bounded(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ArgumentError(
            f"Cannot read the price model {path}: {reason}; train one with scrapy train prices."
        ) from error


def parse_model(text: str, path: str) -> PriceModel:
    """Return the model of a text, as :func:`load_model` does; errors name ``path``."""
    remedy = "train one with scrapy train prices"
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        raise ArgumentError(f"The price model {path} is not JSON; {remedy}.") from None
    found = row.get("format") if isinstance(row, dict) else None
    if found != FORMAT:
        raise ArgumentError(
            f"The price model {path} has format {found!r}, this version reads {FORMAT}; {remedy}."
        )
    try:
        return _model(row)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArgumentError(f"The price model {path} is damaged; {remedy}.") from None


def _model(row: dict[str, Any]) -> PriceModel:
    one, against_all, against_none, of_goods, of_unit = map(float, row["calibration"])
    trees, of_name, of_figure, start = map(float, row["fusion"])
    return PriceModel(
        *_trees(row),
        float(row["threshold"]),
        float(row["least"]),
        frozenset(map(str, row["names"])),
        dict(row["card"]),
        weights=_weights(row),
        calibration=(one, against_all, against_none, of_goods, of_unit),
        fusion=(trees, of_name, of_figure, start),
        network=TextNetwork.of_row(row["network"]) if row["network"] else None,
        text_words={str(goods): _word_model(words) for goods, words in row["text_words"].items()},
        goods=_sign_model(row["goods"]),
        units=_sign_model(row["units"]),
        doubts=_sign_model(row["doubts"]),
    )


def _sign_model(row: dict[str, Any]) -> SignModel:
    return SignModel(*_trees(row), weights=_weights(row))


def _word_model(row: dict[str, Any]) -> WordModel:
    return WordModel(float(row["start"]), _weights(row))


def _trees(row: dict[str, Any]) -> tuple[float, Trees]:
    return float(row["start"]), Trees(row["trees"], [*map(str, row["signs"])])


def _weights(row: dict[str, Any]) -> dict[str, float]:
    return {str(sign): float(weight) for sign, weight in row["weights"].items()}
