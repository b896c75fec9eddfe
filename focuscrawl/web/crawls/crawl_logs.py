"""Logs of crawls that were started from the web, read from their end: they may have gigabytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from focuscrawl.system.secret_masking import masked

LEVELS = ("INFO", "WARNING", "ERROR", "CRITICAL")
"""Levels of the lines of a log, lowest first."""
_PART = 1024 * 1024
"""Bytes that are read at once."""
_LINES, _LONGEST_LINE = 400, 2000
_HEAD = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[[^\]]*\] ([A-Z]+): ")


class LogPart(NamedTuple):
    """Lines of a log, oldest first; ``begin`` is the byte before which it goes on, 0 for none."""

    lines: list[str]
    begin: int


def log_part(path: Path, level: str = LEVELS[0], before: int | None = None, most: int = _LINES) -> LogPart:  # fmt: skip
    """Return the last lines of a level or a higher one, of the megabyte that ends before a byte.

    Lines without a level, as those of a traceback, go with the line above. A log that cannot be read
    has none.
    """
    wanted = tuple(name.encode() for name in LEVELS[LEVELS.index(level) :])
    try:
        with path.open("rb") as file:
            end = min(before or 2**63, file.seek(0, 2))
            begin = file.seek(max(0, end - _PART))
            data = file.read(end - begin)
    except OSError:
        return LogPart([], 0)
    if begin:
        # The rest of a line, unless it is longer than all of this.
        cut = data.find(b"\n") + 1
        begin, data = begin + cut, data[cut:]
    found, place, is_wanted = [], begin, True
    for line in data.splitlines(keepends=True):
        if head := _HEAD.match(line):
            is_wanted = head[1] in wanted or level == LEVELS[0]
        if is_wanted:
            found.append((place, line))
        place += len(line)
    if len(found) > most:
        found = found[-most:]
        begin = found[0][0]
    return LogPart([_text(line) for _, line in found], begin)


def _text(line: bytes) -> str:
    return masked(line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip("\r\n"))
