"""The paths of recordings, as a setting and the options of commands name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import ArchiveError


def recording_paths(names: Sequence[str]) -> list[Path]:
    """Return the paths of WARC files; ``names`` are the parts between the commas of a list.

    Blanks around a name and a comma at the end are allowed. Raises :class:`ArchiveError` for a list
    of commas only.
    """
    paths = [Path(name.strip()) for name in names if name.strip()]
    if names and not paths:
        raise ArchiveError("no recording is named; give WARC files, comma-separated")
    return paths
