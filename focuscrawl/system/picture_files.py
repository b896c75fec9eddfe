"""Pictures on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 120


def saved(figure: Figure, path: Path) -> Path:
    """Write a figure; raises :class:`~focuscrawl.errors.ArgumentError` where that cannot be."""
    try:
        figure.savefig(path, dpi=_DPI)
    except OSError as error:
        raise ArgumentError(
            f"cannot write {path}: {error.strerror}; name a folder you may write to."
        ) from None
    return path
