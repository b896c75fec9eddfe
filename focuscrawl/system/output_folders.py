"""Folders for what a program writes."""

from __future__ import annotations

from pathlib import Path

from focuscrawl.errors import FocuscrawlError


def made_folder(folder: Path, kind: type[FocuscrawlError], remedy: str) -> Path:
    """Return a folder, created if it does not exist; raises ``kind`` with the remedy if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise kind(f"cannot create the folder {folder} ({error.strerror}); {remedy}") from error
    return folder
