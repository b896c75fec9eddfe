"""Optional dependencies of the package: one line with the remedy where they are missing."""

from __future__ import annotations

from importlib.util import find_spec

from focuscrawl.errors import ArgumentError


def require_matplotlib() -> None:
    """Raise ArgumentError where the pictures of the lab could not be drawn."""
    if find_spec("matplotlib") is None:
        raise ArgumentError(
            "pictures need matplotlib, which is not installed: pip install 'focuscrawl[lab]'"
        )
