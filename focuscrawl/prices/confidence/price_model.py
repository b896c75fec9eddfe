"""Model of the confidence of quotes: small trees over named signs, read from JSON.

The log-odds of a right reading are a sum over the trees, each of which asks for one sign after
another, and over the weights that a user's corrections have added. So each sign's share in one
reading can be told, as the differences that it makes on the ways through the trees.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import ArgumentError
from focuscrawl.prices.confidence.tree_sums import TreeSums
from focuscrawl.system.input_files import read_bounded

FORMAT = 1
MODEL_FILE = "price_model.json"

Tree = Sequence[Sequence[Any]]
"""Nodes ``[sign, node without it, node with it, value]``; a leaf has the sign ``""``."""


@dataclass(frozen=True)
class PriceModel:
    """Trees and weights; ``threshold`` is that of quotes to trust, ``least`` that of quotes at all.

    ``weights`` and ``names``, of firms, are what a user's corrections have added. ``choice`` judges
    pairs of a figure and a subject; its own threshold is that of figures that the rules leave out.
    """

    start: float
    trees: Sequence[Tree]
    threshold: float
    least: float
    weights: Mapping[str, float] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    card: Mapping[str, Any] = field(default_factory=dict)
    choice: PriceModel | None = None

    @cached_property
    def _sums(self) -> TreeSums:
        return TreeSums(self.trees)

    def confidences(self, rows: Sequence[Sequence[str]]) -> list[float]:
        """Return the probabilities, 0 to 1, that quotes with these signs are read right."""
        odds = np.clip(self.log_odds(rows), -30, 30)
        return [float(p) for p in 1 / (1 + np.exp(-odds))]

    def log_odds(self, rows: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the log-odds of right readings, all sets of signs at once."""
        added = [sum(self.weights.get(s, 0.0) for s in set(row)) for row in rows if self.weights]
        return self.start + self._sums.of(rows) + (np.array(added) if added else 0.0)

    def reasons(self, signs: Iterable[str]) -> list[tuple[str, float]]:
        """Return the share of each sign in the log-odds, by size; ``no …`` is that of a missing one."""
        present = frozenset(signs)
        shares: dict[str, float] = defaultdict(float)
        for tree in self.trees:
            node = 0
            while tree[node][0]:
                sign, without, having, value = tree[node]
                node = having if sign in present else without
                shares[sign if sign in present else f"no {sign}"] += tree[node][3] - value
        for sign in sorted(present):
            shares[sign] += self.weights.get(sign, 0.0)
        return sorted(((s, v) for s, v in shares.items() if v), key=lambda share: -abs(share[1]))


def as_text(model: PriceModel) -> str:
    """Return the model as JSON."""
    return json.dumps(_row(model), ensure_ascii=False, separators=(",", ":"))


def _row(model: PriceModel) -> dict[str, Any]:
    signs = sorted({node[0] for tree in model.trees for node in tree if node[0]})
    number = {sign: at for at, sign in enumerate(signs)}
    return {
        "format": FORMAT,
        "card": model.card,
        "threshold": model.threshold,
        "least": model.least,
        "start": model.start,
        "weights": model.weights,
        "names": sorted(model.names),
        "signs": signs,
        "trees": [[[number.get(n[0], -1), *n[1:]] for n in tree] for tree in model.trees],
        "choice": _row(model.choice) if model.choice else None,
    }


@lru_cache(maxsize=4)
def load_model(path: str | None = None) -> PriceModel:
    """Return the model of a file, by default the project's own.

    Raises :class:`~focuscrawl.errors.ArgumentError` for a file that is none, or of another version.
    """
    if path is None:
        return _parsed(
            (files("focuscrawl.prices.confidence") / MODEL_FILE).read_text("utf-8"), MODEL_FILE
        )
    try:
        return _parsed(read_bounded(Path(path)), path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ArgumentError(
            f"Cannot read the price model {path}: {reason}; train one with scrapy train prices."
        ) from error


def _parsed(text: str, path: str) -> PriceModel:
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
    return PriceModel(
        float(row["start"]),
        [_checked(tree, [*map(str, row["signs"]), ""]) for tree in row["trees"]],
        float(row["threshold"]),
        float(row["least"]),
        {str(sign): float(weight) for sign, weight in row["weights"].items()},
        frozenset(map(str, row["names"])),
        dict(row["card"]),
        _model(row["choice"]) if row["choice"] else None,
    )


def _checked(tree: Any, signs: Sequence[str]) -> list[list[Any]]:
    """Return a tree with the names of its signs, whose ways all end in a leaf; raises ValueError."""
    for number, (sign, without, having, value) in enumerate(tree):
        is_ahead = all(isinstance(n, int) and number < n < len(tree) for n in (without, having))
        is_known = isinstance(sign, int) and -1 <= sign < len(signs) - 1
        if not is_known or not math.isfinite(value) or (sign >= 0 and not is_ahead):
            raise ValueError
    # The last sign is that of leaves, whose number is -1.
    return [[signs[node[0]], *node[1:]] for node in tree] or [["", 0, 0, 0.0]]
