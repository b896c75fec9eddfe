"""Labelled texts: a JSON-lines file of texts, and a CSV file with the quotes that stand in them.

The columns of the CSV file may be in any order. ``source_id`` (or ``article_url``), ``mention``,
``price_yuan_per_ton_low`` and ``price_yuan_per_ton_high`` are needed; ``mention_alt``, ``score``,
``primary``, ``change``, ``moisture``, ``region``, ``condition``, ``unit``, ``commodity`` and
``price_start`` are used where they are given.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from focuscrawl.errors import ArgumentError
from focuscrawl.prices.tokens.price_units import unit_named
from focuscrawl.system.durable_files import read_chinese

FIELDS = ("primary", "change", "moisture", "region", "condition", "unit")
_NEEDED = ("mention", "price_yuan_per_ton_low", "price_yuan_per_ton_high")
_IDENTIFYING = ("region", "condition", "moisture", "unit", "kind", "commodity")


@dataclass(frozen=True, slots=True)
class LabelledQuote:
    """One labelled quote. ``is_scored`` is false for forecasts and the like: neither missed nor wrong."""

    names: tuple[str, ...]
    low: float
    high: float
    is_scored: bool
    commodity: str
    fields: Mapping[str, str]
    start: int | None = None
    span: str = ""
    printed: tuple[float, float] | None = None  # the price as printed, in yuan per ton


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text with its quotes; ``site`` is the host of its URL, or its own id without one."""

    source_id: str
    site: str
    style: str
    title: str
    text: str
    file: str
    labels: list[LabelledQuote] = field(default_factory=list)


def normal(text: str | None) -> str:
    """Return a text as it is compared: NFKC, lower case, without white space."""
    return "".join(unicodedata.normalize("NFKC", text or "").lower().split())


def read_labelled(texts: Path, labels: Path) -> list[LabelledText]:
    """Return the texts of a JSON-lines file with the labels of a CSV file.

    Both may have a byte order mark or be in GB 18030. Labels of texts that are not in the file are an
    error, since they would count as missed. Raises :class:`~focuscrawl.errors.ArgumentError`.
    """
    found = [_text_of(row, where, texts.stem) for where, row in _objects(texts)]
    by_id = {text.source_id: text for text in found}
    if len(by_id) < len(found):
        raise ArgumentError(f"{texts} has a source_id twice; give each text its own.")
    for key, label in _labels(labels):
        if key not in by_id:
            raise ArgumentError(
                f"{labels} has labels of {key!r}, which {texts} has not; add the text."
            )
        by_id[key].labels.append(label)
    return found


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(read_chinese(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise ArgumentError(f"{where} is not JSON; write one JSON object per line.") from None
        if not isinstance(row, dict) or not all(
            isinstance(row.get(k), str) for k in ("source_id", "text")
        ):
            raise ArgumentError(f'{where} needs text as "source_id" and "text".')
        yield where, row


def _text_of(row: dict[str, Any], where: str, file: str) -> LabelledText:
    rest = {name: row.get(name) or "" for name in ("url", "title", "style")}
    if not all(isinstance(value, str) for value in rest.values()):
        raise ArgumentError(f'{where} needs text as "url", "title" and "style".')
    try:
        host = urlsplit(rest["url"]).hostname or ""
    except ValueError:
        host = ""
    return LabelledText(
        row["source_id"], host or row["source_id"], rest["style"], rest["title"], row["text"], file
    )


def _labels(path: Path) -> Iterator[tuple[str, LabelledQuote]]:
    rows = csv.DictReader(io.StringIO(read_chinese(path), newline=""))
    columns = rows.fieldnames or ()
    key = next((name for name in ("source_id", "article_url") if name in columns), "")
    missing = [name for name in _NEEDED if name not in columns]
    if not key or missing:
        wanted = ", ".join(missing or ["source_id"])
        raise ArgumentError(f"{path} has no column {wanted}; add it to the first line.")
    seen: dict[str, set[object]] = defaultdict(set)
    try:
        for row in rows:
            label, identity = _label(row)
            if label is not None and identity not in seen[row[key]]:
                seen[row[key]].add(identity)
                yield row[key], label
    except csv.Error as error:
        raise ArgumentError(f"{path} is not CSV: {error}; save it as CSV.") from None


def _label(row: Mapping[str, str]) -> tuple[LabelledQuote | None, object]:
    """Return the label of a row, None without a price; two rows of the same identity count once."""
    low, high = (number(row[name]) for name in _NEEDED[1:])
    if low is None or high is None:
        return None, None
    names = [normal(row["mention"]), *map(normal, (row.get("mention_alt") or "").split("|"))]
    identity = (names[0], low, high, *(normal(row.get(name)) for name in _IDENTIFYING))
    start = row.get("price_start") or ""
    return LabelledQuote(
        names=tuple(name for name in names if name),
        low=low,
        high=high,
        is_scored=(row.get("score") or "1") != "0",
        commodity=row.get("commodity") or "",
        fields={name: row[name] or "" for name in FIELDS if name in row},
        start=int(start) if start.isdecimal() and len(start) < 10 else None,
        span=row.get("span") or "",
        printed=_printed(row),
    ), identity


def _printed(row: Mapping[str, str]) -> tuple[float, float] | None:
    """Return the price of a row as printed in yuan per ton, None without one or without its unit."""
    low, high = number(row.get("price_low")), number(row.get("price_high"))
    if low is None or high is None or not (row.get("unit") or "").startswith("yuan/"):
        return None
    unit = row["unit"].replace("jin", "斤").replace("dan", "担").replace("ton", "吨")
    worth = float(unit_named(unit).yuan_per_ton)
    return low * worth, high * worth


def number(text: str | None) -> float | None:
    """Return a number as CSV files have it, None for anything else."""
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def read_all(files: Iterable[tuple[Path, Path]]) -> list[LabelledText]:
    """Return the texts of several pairs of files."""
    return [text for texts, labels in files for text in read_labelled(texts, labels)]
