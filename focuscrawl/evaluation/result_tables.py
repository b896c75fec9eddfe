"""Results as files: tables of figures as aligned text and as CSV, and pictures of plots."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 120
Cell = str | int | float | Interval


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table; ``name`` is that of its file, ``note`` below it explains the measurement."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def as_text(self) -> str:
        """Return title, rule, aligned columns and note; intervals as ``0.71 [0.65, 0.77]``."""
        cells = [list(self.columns), *([_shown(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        right = [
            all(not isinstance(row[number], str) for row in self.rows)
            for number in range(len(widths))
        ]
        lines = [
            "  ".join(
                cell.rjust(width) if number_like else cell.ljust(width)
                for cell, width, number_like in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in cells
        ]
        rule = "-" * max(map(len, lines))
        parts = [self.title, rule, lines[0], rule, *lines[1:]]
        return "\n".join([*parts, *([self.note] if self.note else [])])

    def as_markdown(self) -> str:
        """Return a heading, a Markdown table and the note."""
        cells = [list(self.columns), *([_shown(cell) for cell in row] for row in self.rows)]
        head, *rows = [f"| {' | '.join(row)} |" for row in cells]
        lines = [f"## {self.title}", "", head, "|" + " --- |" * len(self.columns), *rows]
        return "\n".join([*lines, *(["", self.note] if self.note else [])])

    def as_csv(self) -> str:
        """Return CSV with all digits; an interval has three columns (``f1``, ``f1 low``, ``f1 high``)."""
        spread = [
            any(isinstance(row[number], Interval) for row in self.rows)
            for number in range(len(self.columns))
        ]
        out = io.StringIO(newline="")
        writer = csv.writer(out)
        writer.writerow(
            name
            for column, wide in zip(self.columns, spread, strict=True)
            for name in ((column, f"{column} low", f"{column} high") if wide else (column,))
        )
        for row in self.rows:
            writer.writerow(
                value
                for cell, wide in zip(row, spread, strict=True)
                for value in _values(cell, wide)
            )
        return out.getvalue()

    def write(self, folder: Path) -> Path:
        """Write the CSV file into the folder and return its path."""
        path = folder / f"{self.name}.csv"
        with written(path):
            path.write_text(self.as_csv(), encoding="utf-8-sig", newline="")
        return path


def _shown(cell: Cell) -> str:
    if isinstance(cell, Interval):
        if math.isnan(cell.low):
            return _number(cell.estimate)
        return f"{_number(cell.estimate)} [{_number(cell.low)}, {_number(cell.high)}]"
    if isinstance(cell, float):
        return _number(cell)
    return f"{cell:,}" if isinstance(cell, int) else cell


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _values(cell: Cell, wide: bool) -> tuple[str | float, ...]:
    if isinstance(cell, Interval):
        return tuple(map(_exact, cell))
    return (_exact(cell), "", "") if wide else (_exact(cell),)


def _exact(cell: str | float) -> str | float:
    return "" if isinstance(cell, float) and math.isnan(cell) else cell


def saved_figure(figure: Figure, path: Path) -> Path:
    """Write a figure and return its path; raises :class:`~focuscrawl.errors.ArgumentError` on failure."""
    with written(path):
        figure.savefig(path, dpi=_DPI)
    return path


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Raise :class:`~focuscrawl.errors.ArgumentError` where the file cannot be written."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(
            f"cannot write {path}: {error.strerror}; name a folder you may write to."
        ) from None
