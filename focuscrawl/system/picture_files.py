"""Picture files of matplotlib figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 120


def saved(figure: Figure, path: Path) -> Path:
    """Write a figure and return its path; raises :class:`~focuscrawl.errors.ArgumentError` on failure."""
    try:
        figure.savefig(path, dpi=_DPI)
    except OSError as error:
        raise ArgumentError(
            f"cannot write {path}: {error.strerror}; name a folder you may write to."
        ) from None
    return path
